"""anonypyx: Mondrian. (Its MDAV-generic takes no categories with the pandas that it installs.)"""

from anonypyx import Anonymiser
from exchange import Asked, serve


def anonypyx(asked: Asked) -> object:
    return Anonymiser(
        asked.categories(),
        k=asked.k,
        algorithm="Mondrian",
        feature_columns=asked.quasi,
        generalisation_strategy="human-readable",
    ).anonymise()


serve(anonypyx)
