"""The summary of a release once it is in place: one JSON object, or tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal import api
from shoal.adapters import tables
from shoal.adapters.certificates import certificate_places, signature_place
from shoal.cli import render
from shoal.groups import Note
from shoal.review.certificate_format import (
    LEAST,
    GroupsCertificate,
    GroupsPrivate,
    OverlapCertificate,
    OverlapPrivate,
)


def summary(release: api.Release, further: Sequence[Note] = ()) -> dict[str, Any]:
    """Summarize a release as `--json` prints it, with further notices about its folder."""
    public = release.certificate.public
    groups = public if isinstance(public, GroupsCertificate) else None
    return {
        "rows": public.rows,
        "groups": groups.groups if groups else None,
        "k": public.k,
        "withheld": release.certificate.private.withheld,
        "method": release.recipe.method,
        "losses": dict(release.losses),
        "risks": {stage: dict(risks) for stage, risks in release.risks.items()},
        "models": [one.as_dict() for one in groups.models] if groups else [],
        "seconds": dict(release.seconds),
        "notices": [*release.notices, *further],
        **_hidden(release),
    }


def _hidden(release: api.Release) -> dict[str, Any]:
    """Return how people are hidden among rows with boxes of their own, for the maker's JSON."""
    public = release.certificate.public
    private = release.certificate.private
    if not isinstance(public, OverlapCertificate) or not isinstance(private, OverlapPrivate):
        return {}
    return {
        "promise": public.promise,
        "concealment": private.concealment.as_dict(),
        "link": private.link.as_dict(),
        "attacks": [one.as_dict() for one in private.attacks],
    }


def show(
    release: api.Release,
    output: str,
    certificate: str | None,
    table: str | None = None,
    reports: Sequence[Path] = (),
    further: Sequence[Note] = (),
) -> None:
    """Show a release to people when it is done, with further notices about its folder."""
    console = render.stderr()
    for notice in (*further, *release.notices, *release.certificate.private.notes):
        console.print(f"note: {notice}", markup=False)
    public = release.certificate.public
    private = release.certificate.private
    if isinstance(public, OverlapCertificate) and isinstance(private, OverlapPrivate):
        _show_overlap(public, private)
    elif isinstance(public, GroupsCertificate) and isinstance(private, GroupsPrivate):
        _show_groups(release, public, sum(private.group_sizes.values()))
    console.print(
        render.table(
            "loss",
            ("", ""),
            [item for item in release.losses.items() if item[1] is not None],
            right=(1,),
        )
    )
    if gap := private.bound:
        lost = render.number(gap.lost)
        least = render.number(gap.least)
        console.print(
            f"\n{LEAST} {least} ({gap.loss}); this one loses {lost}, a gap of {gap.gap:.2g}",
            markup=False,
        )
    if output != "-":
        places = certificate_places(output, certificate, table)
        shown = tables.shown(output, table)
        console.print(
            f"\nrelease      {shown}\ncertificate  {places[0]}\nfor you alone  {places[1]}",
            markup=False,
        )
    if release.signer is not None:
        place = signature_place(certificate_places(output, certificate, table)[0])
        console.print(f"signature    {place}", markup=False)
    for path, kind in zip(reports, ("report, for you alone", "report, public"), strict=False):
        console.print(f"{kind}  {path}", markup=False)


def _show_groups(release: api.Release, public: GroupsCertificate, divided: int) -> None:
    console = render.stderr()
    merged = ""
    if divided != public.groups:
        merged = f" ({divided:,} as divided; those that look alike count once)"
    groups = render.counted(public.groups, "group")
    console.print(
        f"\n{public.rows:,} rows in {groups} of at least {public.k:,}{merged}, "
        f"recounted from the release; {release.certificate.private.withheld:,} withheld",
        markup=False,
    )
    before, after = (render.parted(release.risks[stage]) for stage in ("before", "after"))
    risks = [(name, before.get(name), value) for name, value in after.items() if value is not None]
    console.print(render.table("risk", ("", "before", "after"), risks, right=(1, 2)))


def _show_overlap(public: OverlapCertificate, private: OverlapPrivate) -> None:
    console = render.stderr()
    promised = f"{public.rows:,} rows, each with a box of its own; promised: {public.promise}"
    console.print(f"\n{promised}", markup=False)
    counts = [
        *private.concealment.as_dict().items(),
        ("likeliest link of a person and a row", private.link.largest),
    ]
    title = "recounted from the release and the original"
    console.print(render.table(title, ("", "fewest"), counts, right=(1,)))
    attacks = [
        (" of ".join(filter(None, (one.name, one.column))), one.attack, one.control)
        for one in private.attacks
    ]
    console.print(render.table("attack", ("", "right", "guessing"), attacks, right=(1, 2)))
    for sentence in public.not_promised:
        console.print(f"- {sentence}", markup=False)
