"""`python -m shoal.cli.warm`: compiles at set-up what a first run needs, while nobody waits."""

from __future__ import annotations

from typing import Any

from shoal import api
from shoal.adapters.demo_data import patients
from shoal.cli.demo import RECIPE
from shoal.errors import notices_shown_by_door
from shoal.recipe import Recipe


def main() -> None:
    """Carry out what people begin with: compiled code is kept on disk from then on.

    The demo, a table without hierarchies, a sensitive column that is guarded, an attack, and
    numbers that are perturbed. A shorter table would not need all of the code.
    """
    people = patients()
    plain: dict[str, Any] = {"quasi": ["birth_date", "sex", "postcode"], "sensitive": ["diagnosis"]}
    with notices_shown_by_door():
        api.anonymize(people, recipe=Recipe.of(**RECIPE, seed=1))
        guarded = Recipe.of(**plain, identifiers=["name"], models=["l-diversity(l=3)"], seed=1)
        release = api.anonymize(people, recipe=guarded)
        api.attack(release.table, original=people, **plain)
        api.distort(people.slice(0, 100), as_published=True, seed=1)


if __name__ == "__main__":
    main()
