"""`python -m shoal.cli.warm`: compiles at set-up what a first run needs, while nobody waits."""

from __future__ import annotations

from shoal import api
from shoal.adapters.demo_data import patients
from shoal.cli.demo import RECIPE
from shoal.errors import notices_shown_by_door
from shoal.recipe import Recipe


def main() -> None:
    """Anonymize and perturb the demo's patients: compiled code is kept on disk from then on.

    A shorter table would not need all of it.
    """
    people = patients()
    with notices_shown_by_door():
        api.anonymize(people, recipe=Recipe.of(**RECIPE, seed=1))
        api.distort(people.slice(0, 100), as_published=True, seed=1)


if __name__ == "__main__":
    main()
