"""Judging: the refusal where a further release would leave people with too few others."""

from __future__ import annotations

import numpy as np

from shoal.errors import PrivacyNotMet
from shoal.ledger.comparing import Compared
from shoal.wording import Remedy, Set


def refuse_exposed(compared: Compared) -> None:
    """Refuse a release that leaves people with fewer than k others over all releases."""
    if compared.holds:
        return
    k = compared.k
    below = int(np.count_nonzero(compared.company < k))
    joined = int(np.count_nonzero(compared.newcomers_few))
    left = int(np.count_nonzero(compared.leavers_few))
    worst = compared.exposed_by()
    release = compared.joined.past.releases[int(worst.argmax())]
    alone = int(np.count_nonzero(compared.company == 1))
    facts: dict[str, object] = {
        f"people who share all of their groups with fewer than {k:,}": below,
        "of these alone": alone,
        "newcomers who join a group with too few others": joined,
        "people who leave a group with too few others": left,
        "people of this release": len(compared.here),
        "earlier releases compared": len(compared.joined.past.releases),
        "the release that exposes most": release.called,
    }
    if compared.by_boxes is not None:
        facts["of 100 of these, exposed even to who can't recognize rows"] = compared.by_boxes
    on_union = int(np.count_nonzero(compared.joint_company < k)) - below
    if on_union:
        facts["more of them on columns that one release shows and another generalizes"] = on_union
    facts["with sticky groups"] = _with_sticky(compared)
    facts["published"] = "nothing"
    sticky = Set("across", "sticky", "keep people in the groups they were published in")
    measure = Set("across", "measure", "publish all the same, and have it written down")
    exposed = int(np.count_nonzero(compared.exposed))
    raise PrivacyNotMet(
        f"together with earlier releases, {exposed:,} people would be in the company of fewer "
        f"than {k:,}",
        facts,
        Remedy(sticky, "wait until more people have joined or left", measure),
    )


def _with_sticky(compared: Compared) -> str:
    """Say what sticky groups would mean for this table."""
    new = compared.newcomers
    stay = len(compared.here) - new
    words = f"{stay:,} people stay where they were, {new:,} newcomers are grouped among themselves"
    if new < compared.k:
        waiting = "1 newcomer waits" if new == 1 else f"{new:,} newcomers wait"
        words = f"{stay:,} people stay where they were, {waiting}: fewer than k"
    gone = compared.leavers
    return f"{words}, and groups of {gone:,} who left are kept or withdrawn" if gone else words
