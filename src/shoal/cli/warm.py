"""`python -m shoal.cli.warm`: compiles what a first run needs, at set-up and not while someone waits."""

from __future__ import annotations

from shoal import api
from shoal.cli.demo import RECIPE
from shoal.cli.patients import patients
from shoal.recipe import Recipe


def main() -> None:
    """Anonymize a few invented patients: compiled code is kept on disk from then on."""
    api.anonymize(patients(100), recipe=Recipe.of(**RECIPE, seed=1))


if __name__ == "__main__":
    main()
