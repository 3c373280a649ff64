"""Local search on a block: rows move and swap, groups dissolve and split, while the loss falls.

Every step is weighed before it is taken, in integers, and taken only if it lowers the loss; none
takes a group below k, and none breaks a rule of the models (see `safety`). A group is looked at
again only after it has changed. The steps of rows stand in `moving`, those of groups in
`regrouping`.
"""

from __future__ import annotations

from shoal.arrays import Ints
from shoal.kernels.costs import Costs
from shoal.kernels.guards import Rules
from shoal.kernels.jit import compiled
from shoal.kernels.partition.block import NONE, Block
from shoal.kernels.partition.moving import SearchArrays, improve_piece, move_all, workspace_for
from shoal.kernels.partition.regrouping import dissolve, split
from shoal.kernels.partition.safety import Safety, safety_of


@compiled
def refine(costs: Costs, block: Block, k: int, passes: int, near: int, rules: Rules) -> int:
    """Improve the groups of a block in passes, until nothing saves; return what was saved.

    `near` is the number of groups in which a row looks for a place or a partner; the rules are
    those of the tuples.
    """
    work = workspace_for(block, near, k)
    safety = safety_of(rules)
    # While rows are balanced against each other, they go one by one.
    together = are_alike(block.worth)
    total = 0
    for _ in range(passes):
        saved = 0
        for group in range(len(block.size)):
            if work.stale[group] == 0 or block.size[group] == 0:
                continue
            work.stale[group] = 0
            if block.size[group] >= 2 * k and block.cost[group] > 0:
                saved += split(costs, block, safety, group, k, work.stale)
            saved += improve_group(costs, block, safety, group, k, together, work)
            if block.cost[group] > 0 and block.size[group] < 2 * k and block.size[group] > 0:
                saved += dissolve(costs, block, safety, group, work)
        total += saved
        if saved == 0:
            break
    return total


@compiled
def improve_group(
    costs: Costs,
    block: Block,
    safety: Safety,
    group: int,
    k: int,
    together: bool,
    work: SearchArrays,
) -> int:
    """Improve each piece of a group once; return what was saved.

    All rows of a piece may move together only if `together`.
    """
    saved = 0
    piece = block.head[group]
    while piece != NONE:
        following = block.after[piece]
        gain = improve_piece(costs, block, safety, piece, k, work)
        if gain == 0 and together and block.cost[group] > 0:
            gain = move_all(costs, block, safety, piece, k, work)
        if gain > 0:
            saved += gain
            work.stale[group] = 1
            work.stale[work.best[0]] = 1
            # The step has taken the next piece along: the group is stale, and comes again.
            if following != NONE and block.home[following] != group:
                break
        piece = following
    return saved


@compiled
def are_alike(worth: Ints) -> bool:
    """Tell whether all rows are worth equally much; 0 is a place that no piece has taken."""
    first = 0
    for of in worth:
        if first != 0 and of != 0 and of != first:
            return False
        first = of if first == 0 else first
    return True
