"""anjana: full-domain generalization of the column with most values, step by step."""

from anjana.anonymity import k_anonymity
from exchange import Asked, serve


def anjana(asked: Asked) -> object:
    frame = asked.frame.astype(dict.fromkeys(asked.quasi, object))
    frame["age"] = frame["age"].astype(str)
    return k_anonymity(
        frame,
        [],
        asked.quasi,
        asked.k,
        100 * asked.withhold,
        {n: levels(asked, n) for n in asked.quasi},
    )


def levels(asked: Asked, name: str) -> dict[int, list[str]]:
    """Return a hierarchy level by level, as anjana takes it."""
    return {
        level: list(column) for level, column in enumerate(zip(*asked.lines(name), strict=True))
    }


serve(anjana)
