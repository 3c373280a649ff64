"""The summary of a release once it is in place: one JSON object, or a few lines for people."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal import api
from shoal.adapters import databases, tables
from shoal.adapters.atomic_files import STANDARD
from shoal.adapters.certificates import certificate_places, signature_place
from shoal.cli import render
from shoal.cli.spelling import typed
from shoal.groups import Note
from shoal.review.certificate_format import (
    LEAST,
    GroupsCertificate,
    GroupsPrivate,
    OverlapCertificate,
    OverlapPrivate,
)
from shoal.review.optimality_gap import distance
from shoal.screen import percent


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
        "columns": release.columns.as_dict(),
        "notices": [typed(note.words) for note in (*release.notices, *further)],
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


@dataclass(frozen=True)
class Placed:
    """Where a release and its papers were put."""

    output: str
    certificate: str | None = None
    table: str | None = None
    reports: Sequence[Path] = ()

    @property
    def release(self) -> str:
        """The release as people call it: a file, or a table of a database."""
        return tables.shown(self.output, self.table)

    @property
    def certificates(self) -> tuple[Path, ...]:
        """The public certificate, and the private one."""
        return tuple(certificate_places(self.output, self.certificate, self.table))

    def lines(self, *, signed: bool) -> list[str]:
        """Say what to hand over, what to keep and how to check it; nothing of standard output."""
        if self.output == STANDARD:
            return [f"hand over   {signature_place(self.certificates[0])}"] if signed else []
        public, private = self.certificates
        signature = [signature_place(public)] if signed else []
        handed = [self.release, public, *signature, *self.reports[1:]]
        kept = [private, *self.reports[:1]]
        return [
            f"hand over   {_listed(handed)}     keep private   {_listed(kept)}",
            f"check it    {self._check(public)}",
        ]

    def _check(self, public: Path) -> str:
        """Type the command that checks the release; no password stands in it."""
        place = self.output
        named = ""
        if databases.is_url(place):
            place, table = databases.parted(place, self.table)
            place = databases.shown(place)
            named = f" --table {shlex.quote(table or '')}"
        return f"shoal verify {shlex.quote(place)} {shlex.quote(str(public))}{named}"


def show(
    release: api.Release, placed: Placed, further: Sequence[Note] = (), *, verbose: bool = False
) -> None:
    """Show a release to people when it is done, with further notices about its folder.

    In at most fifteen lines, or with every figure.
    """
    if verbose:
        _show_figures(release, further)
    short = replace(release.screen, notices=(*further, *release.notices))
    ends = placed.lines(signed=release.signer is not None)
    render.screen(render.stderr(), short, ends, before="\n")


def _listed(places: Sequence[object]) -> str:
    return " and ".join([", ".join(map(str, places[:-1])), str(places[-1])][len(places) == 1 :])


def _show_figures(release: api.Release, further: Sequence[Note]) -> None:
    """Show every notice and figure of a release."""
    console = render.stderr()
    for notice in (*further, *release.notices):
        console.print(f"note: {typed(notice.words)}", markup=False)
    for note in release.certificate.private.notes:
        if note not in release.notices:
            console.print(f"note: {note}", markup=False)
    public = release.certificate.public
    private = release.certificate.private
    if isinstance(public, OverlapCertificate) and isinstance(private, OverlapPrivate):
        _show_overlap(public, private)
    elif isinstance(public, GroupsCertificate) and isinstance(private, GroupsPrivate):
        _show_groups(release, public, sum(private.group_sizes.values()))
    _show_columns(release)
    losses = [item for item in release.losses.items() if item[1] is not None]
    console.print(render.table("loss", ("", ""), losses, right=(1,)))
    if gap := private.bound:
        lost = render.number(gap.lost)
        least = render.number(gap.least)
        console.print(
            f"\n{LEAST} {least} ({gap.loss}); this one loses {lost}: {distance(gap)}", markup=False
        )


def _show_columns(release: api.Release) -> None:
    rows = [
        (each.name, percent(each.exact), percent(each.widened), each.typical, percent(each.lost))
        for each in release.columns.values()
    ]
    titles = ("", "exact", "widened", "typically", "lost")
    render.stderr().print(render.table("column", titles, rows, right=(1, 2, 4)))


def _show_groups(release: api.Release, public: GroupsCertificate, divided: int) -> None:
    console = render.stderr()
    merged = ""
    if divided != public.groups:
        merged = f" ({divided:,} as divided; those that look alike count once)"
    groups = render.counted(public.groups, "group")
    console.print(
        f"\n{public.rows:,} rows in {groups} of at least {public.k:,}{merged}, "
        f"counted again in the release; {release.certificate.private.withheld:,} left out",
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
