"""Second release: notice that a folder holds another release that may be of the same table.

Two releases of the same people, each safe by itself, can single people out together. Nothing is
stored to find that out: the public certificates in the folder are read. Another release may be of
the same table if its input had the same columns, and if the rows of both, with as many left out as
their recipes allow, can be equally many. Equal releases tell nothing new, and count as one.
"""

from __future__ import annotations

from pathlib import Path

from shoal.adapters.certificates import public_of
from shoal.errors import ShoalError
from shoal.groups import Note
from shoal.review.certificate_format import ReleaseCertificate
from shoal.review.certificate_reading import AnyDistortion, AnyRelease

ENDING = ".certificate.json"
MOST = 1000  # certificates that are read, and bytes of each in kilobytes
TOGETHER = (
    "two releases of the same people, each safe by itself, can single people out together. Hand "
    "over one of them, or give them to people who will not compare them"
)


def second_release(public: ReleaseCertificate, certificate: Path) -> Note | None:
    """Return a note if the folder of a certificate holds another release of the same table."""
    others = [
        path.name.removesuffix(ENDING)
        for path in sorted(certificate.parent.glob(f"*{ENDING}"))[:MOST]
        if path.name != certificate.name and _is_second(public, path)
    ]
    if not others:
        return None
    more = ""
    if len(others) > 1:
        more = f" and {len(others) - 1:,} more"
    return Note(
        "second-release",
        f"this folder holds another release that may be of the same table ('{others[0]}'{more}): "
        f"{TOGETHER}",
    )


def _is_second(public: ReleaseCertificate, path: Path) -> bool:
    try:
        if not path.is_file() or path.stat().st_size > MOST * 1000:
            return False
        other = public_of(path)
    except (ShoalError, OSError):  # no certificate of ours, or none that can be read
        return False
    if isinstance(other, AnyDistortion) or other.hash == public.hash:
        return False
    return _input_columns(public) == _input_columns(other) and _may_have_equal_rows(public, other)


def _input_columns(public: AnyRelease) -> set[str]:
    columns = public.columns
    return {
        *columns.quasi,
        *columns.sensitive,
        *columns.kept,
        *columns.weight,
        *columns.dropped,
        *columns.kept_by_force,
    }


def _may_have_equal_rows(one: AnyRelease, other: AnyRelease) -> bool:
    """Tell whether two inputs can have equally many rows, as far as public figures say."""
    fewest = max(one.rows, other.rows)
    most = min(_most_rows(one), _most_rows(other))
    return fewest <= most


def _most_rows(public: AnyRelease) -> float:
    """Return the most rows that the input can have had."""
    share = public.recipe.get("withhold", 0.0)
    if not isinstance(share, int | float) or not 0 <= share < 1:
        return float("inf")
    return public.rows / (1 - float(share)) + 1
