"""Safety of the groups of a block: the rules of the models, looked at before a step is taken.

Two tallies are kept: of the group that a row would leave, and of the one that it would join. They
are counted when a step first asks for them, so a step that saves nothing costs nothing, and steps
between the same two groups share them.
"""

from __future__ import annotations

from typing import NamedTuple

from shoal.arrays import Ints
from shoal.kernels.guards import Rules, Tally, add, change, clear, follows_all, judged, tally_of
from shoal.kernels.jit import compiled, inlined
from shoal.kernels.partition.block import NONE, Block


class Safety(NamedTuple):
    """Rules of the tuples of a block, and the two tallies."""

    rules: Rules
    left: Tally
    joined: Tally


@compiled
def safety_of(rules: Rules) -> Safety:
    """Build the two tallies, with nobody counted yet."""
    return Safety(rules, tally_of(rules), tally_of(rules))


@compiled
def count_group(
    safety: Safety, tally: Tally, block: Block, group: int, less: int, rows: int
) -> None:
    """Count the rows of a group, `rows` rows of the piece `less` left out."""
    piece = block.head[group]
    while piece != NONE:
        add(
            safety.rules,
            tally,
            block.owner[piece],
            block.held[piece] - (rows if piece == less else 0),
        )
        piece = block.after[piece]


@inlined
def move_is_safe(safety: Safety, block: Block, piece: int, rows: int, target: int) -> bool:
    """Tell whether both groups stay safe when `rows` rows of a piece move."""
    if len(safety.rules.kind) == 0:
        return True
    if safety.left.known[1] == 0:
        count_group(safety, safety.left, block, block.home[piece], piece, rows)
    if not follows_all(safety.rules, safety.left):
        return False
    count_group(safety, safety.joined, block, target, NONE, 0)
    add(safety.rules, safety.joined, block.owner[piece], rows)
    return judged(safety.rules, safety.joined)


@inlined
def swap_is_safe(safety: Safety, block: Block, piece: int, other: int, candidate: int) -> bool:
    """Tell whether both groups stay safe when rows of two pieces are exchanged, one for one."""
    rules = safety.rules
    left = safety.left
    joined = safety.joined
    if len(rules.kind) == 0:
        return True
    if joined.known[1] == 0:
        count_group(safety, joined, block, other, NONE, 0)
        add(rules, joined, block.owner[piece], 1)
    change(rules, joined, block.owner[candidate], -1)
    safe = follows_all(rules, joined)
    change(rules, joined, block.owner[candidate], 1)
    if not safe:
        return False
    if left.known[1] == 0:
        count_group(safety, left, block, block.home[piece], piece, 1)
    seen = left.known[0]
    add(rules, left, block.owner[candidate], 1)
    safe = follows_all(rules, left)
    change(rules, left, block.owner[candidate], -1)
    left.known[0] = seen
    return safe


@compiled
def forget(safety: Safety) -> None:
    """Clear both tallies, for another piece or another group."""
    clear(safety.left)
    clear(safety.joined)


@inlined
def group_is_safe(safety: Safety, block: Block, group: int) -> bool:
    """Tell whether a group is safe as it is."""
    if len(safety.rules.kind) == 0:
        return True
    count_group(safety, safety.joined, block, group, NONE, 0)
    return judged(safety.rules, safety.joined)


@compiled
def begin_cut(safety: Safety, block: Block, members: Ints) -> None:
    """Count all pieces on one side of a cut."""
    for piece in members:
        add(safety.rules, safety.joined, block.owner[piece], block.held[piece])


@compiled
def pass_over(safety: Safety, block: Block, piece: int) -> None:
    """Move a piece from one side of the cut to the other."""
    add(safety.rules, safety.left, block.owner[piece], block.held[piece])
    change(safety.rules, safety.joined, block.owner[piece], -block.held[piece])


@compiled
def cut_is_safe(safety: Safety) -> bool:
    """Tell whether both sides of the cut are safe groups."""
    return follows_all(safety.rules, safety.left) and follows_all(safety.rules, safety.joined)
