"""Overlapping: a table in, a release in which each row has a box of its own out.

    near      = for each row its neighbourhood                               (overlap/nsvdist)
    hidden    = their boxes, widened until people hide                       (overlap/hiding)
    cells     = the boxes as printed                                         (recode)
    speech    = what rows tell of the other columns, and of whom             (overlap/hiding)
    gate      = rows that each person could be, from cells and the original  (review/overlap_gate)
    findings  = what attacks regain; one that gates and succeeds ends it     (attacks)

`as_published` leaves out the repairs, as the paper has it, and the certificate says what is not
protected then. Whatever protects is drawn from the operating system; the seed drives the search
alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal import registry
from shoal.attacks import attacking
from shoal.attacks.attack import Attack, Material
from shoal.attacks.findings import Findings
from shoal.attacks.overlapped import Overlapped, Told
from shoal.attacks.sight import Seen
from shoal.declare.coding import coded_table
from shoal.declare.memory import refuse_beyond_memory
from shoal.encode.profile import Profile
from shoal.encode.rows import Rows
from shoal.errors import DataError, RecipeError
from shoal.flows.attacked import ATTACKED, had_their_turn, on_overlaps
from shoal.flows.certified import columns_of, public_recipe, stated
from shoal.flows.clock import Clock, Stage, seed_of, unstaged
from shoal.flows.coded import coded
from shoal.flows.declared import encoded, profiled, understood_table
from shoal.flows.exposure import published_view
from shoal.flows.port import Outcome
from shoal.flows.repeated import refuse_repeated_people
from shoal.groups import Groups, Note, Watch
from shoal.overlap.concealment import Concealment
from shoal.overlap.cover import Cover
from shoal.overlap.hiding import Hidden, divides, hidden, left_alone, links_of, spoken
from shoal.overlap.speech import Speech, exact, sampled
from shoal.recipe import OverlapPlan, Plan, Recipe
from shoal.recode.distributions import shares_in, written
from shoal.recode.recoder import Boxes
from shoal.review.certificate import Certificate, finite
from shoal.review.certificate_format import (
    FORMAT,
    LikeliestLink,
    OverlapCertificate,
    OverlapColumns,
    OverlapPrivate,
    Promise,
)
from shoal.review.coded_ends import refuse_beyond_ends
from shoal.review.coverage import refuse_untrue
from shoal.review.fingerprint import fingerprint
from shoal.review.identifiers import nearly_unique
from shoal.review.losses import gathered
from shoal.review.losses.gathered import Gathered
from shoal.review.losses.loss import Evidence, Loss
from shoal.review.losses.published import PublishedLoss
from shoal.review.overlap_check import counted, not_promised, without_values
from shoal.review.overlap_gate import printed_boxes, recount, refuse_exposed
from shoal.review.what_is_left import columns_left
from shoal.wording import FILE, Remedy, Set

MOST_VALUES = 1_000  # of a column that is guessed: beyond that nobody guesses right by voting
TABLES_OF_BITS = 4  # who covers whom, who matches, and each seen from both sides
OF_MEMBER = 24  # bytes: who it is, where it stands on an axis, and whom its row speaks about
# The loss by which groups are found where no method minimizes the one that was asked for.
OF_GROUPS = {"loss-metric": "leaf-share"}
Gate = Callable[[pa.Table], Concealment]
Dividing = Callable[[Rows, Plan, np.random.Generator, Watch], Groups]
"""Divides rows into groups that keep every promise; rings of people are made inside them."""


def run(
    table: pa.Table, recipe: Recipe, dividing: Dividing, stage: Stage = unstaged
) -> tuple[Outcome, Gate]:
    """Carry out a recipe; return the release and its gate, or refuse and publish nothing."""
    clock = Clock(stage)
    plan = recipe.overlap_plan()
    seed = seed_of(recipe)
    with clock("looking at the table"):
        table, rows, notices = _looked_at(table, plan)
        beside = _shown((*rows.sensitive, *coded(profiled(table, recipe.keep), plan.coding)))
        _refuse_too_large(rows, recipe.k)
        if not recipe.as_published:
            plan.method.refuse_unhidden(rows, recipe.k)
    with clock("finding neighbours") as watch:
        near = plan.method.cover(rows, recipe.k, np.random.default_rng(seed), watch)
    with clock("hiding people") as watch:
        if recipe.as_published:
            boxes = left_alone(near)
        else:
            inside = _groups_inside(rows, plan, dividing, seed, watch)
            boxes = hidden(rows, near, recipe.k, plan.method, inside)
    with clock("recoding"):
        cells = printed_cells(rows, boxes, plan)
        cover = Cover.of(rows.codes, *printed_boxes(pa.table(cells), rows.axes))
    with clock("drawing values"):
        if recipe.as_published:
            speech = exact(near, beside)
        else:
            speech = spoken(boxes, cover, beside, plan.method, _chance())
        published = _in_order(cells, told_columns(beside, speech, plan))
        likely = links_of(boxes, cover, speech, _chance())
    with clock("recounting"):
        gate = _gate(rows, plan, boxes.promise)
        counts = gate(published)
    with clock("measuring"):
        losses = _losses(rows, boxes)
        printed = printed_losses(published, plan)
        left = columns_left(published_view(published, plan, 0))
    with clock("attacking"):
        findings = withstood(table, rows, published, plan, overlapped(speech, rows.sensitive, plan))
    columns = _columns(published, table.column_names, recipe)
    public = _public(_Shown(published, columns, printed), plan, boxes.promise)
    private = OverlapPrivate(
        seed=seed,
        rows_in=rows.count,
        losses=losses,
        notes=[str(note) for note in (*near.notes, *_grouped_by_another_loss(boxes, plan))],
        losses_as_in_the_paper=_losses(rows, left_alone(near)),
        concealment=counted(counts),
        link=LikeliestLink(largest=likely.largest, limit=likely.limit, draws=likely.draws),
        attacks=stated(findings),
    )
    certificate = Certificate(public, private)
    return Outcome(
        published, None, certificate, losses | printed, {}, notices, clock.seconds, rows.axes, left
    ), gate


def _refuse_too_large(rows: Rows, k: int) -> None:
    """Refuse, before the work, a table whose pairs of rows would not fit into memory.

    Who covers whom takes a bit for each pair of different rows, several times over; each has k
    members.
    """
    different = rows.distinct.codes.shape[1]
    pairs = TABLES_OF_BITS * different * rows.count // 8
    members = OF_MEMBER * rows.count * min(k, rows.count)
    facts = {"rows": rows.count, "different rows": different, "k": k}
    grouping = Set("method", "shoal", "a method that makes groups")
    remedy = Remedy(Set("k", 10, "a lower k"), grouping)
    refuse_beyond_memory(pairs + members, "the table", facts, remedy)


def _looked_at(table: pa.Table, plan: OverlapPlan) -> tuple[pa.Table, Rows, tuple[Note, ...]]:
    """Understand and encode a table; refuse one with several rows about one person."""
    repeated = refuse_repeated_people(table, plan.recipe)
    understood, notes = understood_table(table, plan)
    rows, notices = encoded(understood, (*repeated, *notes), plan)
    return understood, rows, notices


def _groups_inside(
    rows: Rows, plan: OverlapPlan, dividing: Dividing, seed: int, watch: Watch
) -> Groups | None:
    """Find the best groups that there are, where rings of people are made inside groups.

    They keep l where it was asked for.
    """
    method = plan.method
    recipe = plan.recipe
    if not divides(method):
        return None
    inside = msgspec.structs.replace(
        recipe,
        method="shoal",
        models=(f"frequency-l-diversity:l={method.l}",) if method.l > 1 else (),
        as_published=False,
        loss=OF_GROUPS.get(plan.loss, recipe.loss),
    )
    return dividing(rows, inside.plan(), np.random.default_rng(seed), watch)


def _grouped_by_another_loss(boxes: Hidden, plan: OverlapPlan) -> tuple[Note, ...]:
    """Say where rings stand in groups that were not found by the loss that was asked for."""
    if boxes.groups is None or plan.loss not in OF_GROUPS:
        return ()
    instead = f"rings stand in groups found by {OF_GROUPS[plan.loss]}"
    return (Note("loss", f"no method makes groups by {plan.loss}: {instead}"),)


def _chance() -> np.random.Generator:
    """Seed random numbers that nobody can repeat."""
    return np.random.default_rng(secrets.randbits(256))


def printed_cells(rows: Rows, boxes: Hidden, plan: OverlapPlan) -> dict[str, pa.Array]:
    """Print the boxes, a cell for each row and column, checked to cover what they should."""
    cells: dict[str, pa.Array] = {}
    alone = Groups(np.arange(rows.count, dtype=np.int32), rows.count)
    for a, axis in enumerate(rows.axes):
        recoder = plan.recoders[axis.name]
        box = Boxes(axis, rows.codes[a], alone, boxes.lo[a], boxes.hi[a])
        of_axis = recoder.publish(box)
        refuse_untrue(box, of_axis, recoder.name)
        cells |= of_axis
    return cells


def _shown(columns: Iterable[Profile]) -> tuple[Profile, ...]:
    """Give columns the values with which they are published, where ends are open."""
    return tuple(replace(column, values=column.shown) for column in columns)


def told_columns(
    beside: Sequence[Profile], speech: Speech, plan: OverlapPlan
) -> dict[str, pa.Array]:
    """Publish the sensitive and kept columns: a record's own values, or shares."""
    if speech.carried is not None:
        carried = [column.codes[speech.carried] for column in beside]
        return {
            column.name: column.values.take(pa.array(codes, mask=codes == column.size))
            for column, codes in zip(beside, carried, strict=True)
        }
    told: dict[str, pa.Array] = {}
    for column, shares in zip(beside, speech.shares, strict=True):
        more = written(column, shares, plan.method.write)
        if {*told} & {*more}:  # their names hold values, and are not told
            problem = (
                f"the distributions of '{column.name}' and of another column "
                "need a column of the same name"
            )
            remedy = "rename one of them, or write distributions as text (write=text)"
            raise RecipeError(problem, remedy=remedy)
        told |= more
    return told


def _in_order(cells: Mapping[str, pa.Array], told: Mapping[str, pa.Array]) -> pa.Table:
    """Sort rows by all that is published about them, so that order says nothing more."""
    if both := {*cells} & {*told}:
        problem = "a distribution needs a column whose name a quasi-identifier has already"
        remedy = "rename it, or write distributions as text (write=text)"
        raise RecipeError(problem, {"columns": len(both)}, remedy)
    table = pa.table({**cells, **told})
    return table.take(pc.sort_indices(table, [(name, "ascending") for name in table.column_names]))


def _gate(rows: Rows, plan: OverlapPlan, promise: str) -> Gate:
    """Make the gate: it counts how people are hidden in a table, and refuses a broken promise."""
    ends = {name: each for name, each in plan.coding.items() if name in plan.recipe.quasi}

    def gate(published: pa.Table) -> Concealment:
        refuse_beyond_ends(published, ends, plan.recipe.quasi)
        counts = recount(published, rows, plan.recipe.k)
        refuse_exposed(counts, promise, rows=rows.count)
        return counts

    return gate


def _losses(rows: Rows, boxes: Hidden) -> dict[str, float | None]:
    """Measure every loss of boxes, and of the records that they were made from."""
    of = (rows, Groups(np.arange(rows.count, dtype=np.int32), rows.count), 1, (boxes.lo, boxes.hi))
    made = boxes.gathered
    evidence = Evidence(*of) if made is None else Gathered(*of, *made)
    every = registry.names(Loss).items()
    return {
        n: finite(loss().measure(evidence))
        for n, loss in every
        if loss.of_boxes or (made and n in gathered.NAMES)
    }


def printed_losses(published: pa.Table, plan: OverlapPlan) -> dict[str, float | None]:
    """Measure every loss of cells as printed."""
    view = published_view(published, plan, 0)
    return {
        name: finite(loss().measure(view)) for name, loss in registry.names(PublishedLoss).items()
    }


def nearly_unique_in(published: pa.Table, plan: OverlapPlan) -> list[str]:
    """Name the sensitive columns of which most published rows have a value of their own."""
    if not plan.tells_values:
        return []
    names = [name for name in plan.recipe.sensitive if name in published.column_names]
    return nearly_unique(profiled(published, names))


def overlapped(speech: Speech, sensitive: Sequence[Profile], plan: OverlapPlan) -> Overlapped:
    """Collect the knowledge of an attacker who has all quasi-identifiers and the method."""
    told = {}
    for place, column in enumerate(sensitive):
        if column.size > MOST_VALUES:
            continue
        if speech.carried is not None:
            shares = np.zeros((len(speech.carried), column.size + 1))
            shares[np.arange(len(shares)), column.codes[speech.carried]] = 1.0
        else:
            shares = speech.shares[place]
        told[column.name] = Told(np.ascontiguousarray(shares[:, : column.size]), column.codes)
    return Overlapped(
        speech.starts, speech.members, told, plan.method.l, speech.own, speech.unit_of
    )


def withstood(
    table: pa.Table, rows: Rows, published: pa.Table, plan: OverlapPlan, known: Overlapped
) -> Findings:
    """Run the attacks on overlapping boxes.

    Refuses the release where one that gates succeeds, unless the paper's form was asked for.
    """
    attacks = [attack() for attack in on_overlaps().values()]
    findings = attacking.attack(_material(table, rows, published, plan, known), attacks)
    return findings if plan.recipe.as_published else findings.require(published="nothing")


def _material(
    table: pa.Table, rows: Rows, published: pa.Table, plan: OverlapPlan, known: Overlapped
) -> Material:
    recipe = plan.recipe
    trees = {name: tree for name, tree in plan.hierarchies.items() if name in recipe.quasi}
    return Material(
        Seen(published, recipe.quasi, (), trees),
        flow="overlap",
        original=coded_table(table, plan.coding, (*recipe.sensitive, *recipe.keep)),
        encoded=rows,
        k=recipe.k,
        most=ATTACKED,
        overlapped=known,
    )


def attacked_later(
    original: pa.Table | None, published: pa.Table, plan: OverlapPlan, attacks: Sequence[Attack]
) -> Findings:
    """Attack a release made some time ago, as someone who knows everyone's quasi-identifiers.

    Each row then speaks about everybody whom it covers. Who finds the paper's neighbourhoods again
    learns more: the attacks before a release do, and the private certificate states what they
    found.
    """
    if original is None:
        raise DataError(
            "attacks on overlapping boxes need the original table",
            remedy=Remedy(Set("original", FILE)),
        )
    original, notes = understood_table(original, plan)
    rows, _ = encoded(original, notes, plan)
    cover = Cover.of(rows.codes, *printed_boxes(published, rows.axes))
    speech = sampled(cover, np.zeros(0, np.int32))
    guessed = [column for column in _shown(rows.sensitive) if column.size <= MOST_VALUES]
    told = {column.name: Told(shares_in(published, column), column.codes) for column in guessed}
    known = Overlapped(speech.starts, speech.members, told, plan.method.l, None, speech.unit_of)
    return attacking.attack(_material(original, rows, published, plan, known), attacks)


@dataclass(frozen=True)
class _Shown:
    """The published table, its columns by role, and the losses of its cells as printed."""

    table: pa.Table
    columns: OverlapColumns
    losses: dict[str, float | None]


def _columns(published: pa.Table, names: Sequence[str], recipe: Recipe) -> OverlapColumns:
    """Name the columns of the original by role, and the published ones."""
    beside = (*recipe.sensitive, *recipe.keep)
    roles = msgspec.structs.asdict(columns_of(names, recipe))
    return OverlapColumns(**roles, published=without_values(published.column_names, beside))


def _public(shown: _Shown, plan: OverlapPlan, promise: str) -> OverlapCertificate:
    """State what may be known: what the release and the recipe tell, and nothing of the original.

    The promise follows from the method and its parameters. How well people are hidden follows from
    the original, so it is private.
    """
    recipe = public_recipe(plan.recipe)
    return OverlapCertificate(
        format=FORMAT,
        kind="overlap",
        shoal=registry.version(),
        rows=shown.table.num_rows,
        k=plan.recipe.k,
        promise=cast(Promise, promise),
        recipe=recipe,
        hash=fingerprint(shown.table),
        attacks=had_their_turn(plan.recipe),
        not_promised=not_promised(recipe, nearly_unique_in(shown.table, plan)),
        losses=shown.losses,
        columns=shown.columns,
    )
