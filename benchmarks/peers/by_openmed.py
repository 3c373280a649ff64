"""openmed: full-domain generalization, every combination of levels tried."""

from exchange import Asked, serve
from openmed.risk.kanon import enforce_kanon


def openmed(asked: Asked) -> list[dict]:
    people = asked.frame.astype({"age": str}).to_dict("records")
    report = enforce_kanon(
        people,
        asked.quasi,
        target_k=asked.k,
        suppression_rate=asked.withhold,
        hierarchies={name: levels(asked, name) for name in asked.quasi},
        remove_direct_identifiers=False,
    )
    return report["records"]


def levels(asked: Asked, name: str) -> list[dict]:
    """Return a hierarchy as openmed takes it: nothing for the values, then a map for each level.

    A map names the labels below and above its level too.
    """
    lines = asked.lines(name)
    depth = len(lines[0])
    maps = (
        {line[at]: line[max(at, level)] for line in lines for at in range(depth)}
        for level in range(1, depth)
    )
    return [{}, *({"values": each} for each in maps)]


serve(openmed)
