"""`python -m shoal.cli.warm`: compiles at set-up what a first run needs, while nobody waits."""

from __future__ import annotations

from shoal import api
from shoal.adapters.demo_data import patients
from shoal.cli.demo import RECIPE
from shoal.errors import notices_shown_by_door
from shoal.recipe import Recipe


def main() -> None:
    """Anonymize and perturb a few invented patients: compiled code is kept on disk from then on."""
    few = patients(100)
    with notices_shown_by_door():
        api.anonymize(few, recipe=Recipe.of(**RECIPE, seed=1))
        api.distort(few, as_published=True, seed=1)


if __name__ == "__main__":
    main()
