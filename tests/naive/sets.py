"""Sets, read literally: every group by hand, and nothing from Shoal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def cells(
    values: Sequence[str | None],
    labels: Sequence[int],
    paths: Mapping[str, Sequence[str]],
    most: int,
) -> dict[int, str | frozenset[str] | None]:
    """Tell what each group is published as: a label, a set of values, or None for missing.

    `paths` leads from each value of the hierarchy up to `*`, the value itself first.
    """
    published: dict[int, str | frozenset[str] | None] = {}
    for label in {label for label in labels if label >= 0}:
        own = {value for value, group in zip(values, labels, strict=True) if group == label}
        published[label] = _cell(own, paths, most)
    return published


def _cell(
    own: set[str | None], paths: Mapping[str, Sequence[str]], most: int
) -> str | frozenset[str] | None:
    known = {value for value in own if value is not None}
    if not known:
        return None
    if None in own:
        return "*"
    if len(known) == 1:
        return known.pop()
    first = paths[min(known)]
    above = next(node for node in first if all(node in paths[value] for value in known))
    below = {value for value, path in paths.items() if above in path}
    return above if known == below or len(known) > most else frozenset(known)
