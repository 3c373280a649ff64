"""Ledger choice: the ledger that a desk's releases are held against, and how.

It is asked beside the recipe: no release tells where its ledger is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from shoal.review.across_releases import Mode

RECORDED = "recorded.json"  # where the release of a run stands in its ledger, beside its files
Leavers = Literal["keep", "withdraw"]


class LedgerChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Name a ledger, and say how the next release is held against it."""

    place: str
    across: Mode = "guard"
    leavers: Leavers | None = None
    wait: int = 0
    recipient: str | None = None

    @classmethod
    def of(cls, plain: Any) -> LedgerChoice | None:
        """Read a choice from plain data; None where there is none that can be read.

        >>> LedgerChoice.of({"place": "ward.ledger"}).across
        'guard'
        >>> LedgerChoice.of(None), LedgerChoice.of({"across": "guard"})
        (None, None)
        """
        try:
            return msgspec.convert(plain, cls | None)
        except msgspec.ValidationError:  # of another version of Shoal
            return None

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return Path(self.place).name

    @property
    def shown(self) -> str:
        """Return its place as its owner would type it."""
        return at_home(self.place)

    def as_dict(self) -> dict[str, Any]:
        """Return the choice as plain data."""
        return dict(msgspec.to_builtins(self))

    @property
    def typed(self) -> dict[str, str]:
        """Return the options of the terminal that say the same, without what is so by default."""
        asked = self.asked()
        usual = {"across": "guard", "wait": 0}
        given = {name: value for name, value in asked.items() if value != usual.get(name)}
        return {name: str(value) for name, value in given.items()}

    def asked(self, **instead: Any) -> Mapping[str, Any]:
        """Return the options of `anonymize`; waiting and leaving mean nothing but with sticky."""
        chosen = msgspec.structs.replace(self, **instead)
        asked: dict[str, Any] = {
            "ledger": chosen.place,
            "across": chosen.across,
            "recipient": chosen.recipient,
        }
        if chosen.across == "sticky":
            asked |= {"leavers": chosen.leavers, "wait": chosen.wait}
        return asked


def at_home(place: str) -> str:
    """Shorten a place in the user's own folder to how one types it."""
    path = Path(place)
    try:
        inside = path.relative_to(Path.home())
    except (RuntimeError, ValueError):
        return place
    return str(Path("~") / inside)


def recorded(folder: Path) -> dict[str, Any] | None:
    """Return where the release of a run stands in its ledger; None while it stands in none."""
    try:
        told: dict[str, Any] = json.loads((folder / RECORDED).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return told
