"""`tight`: the least box around the members of a group.

Lowest loss, but the ends of an interval are real people's values, and an attacker who knows that
boxes are least can work backwards from them (downcoding). The certificate of a tight release says
so. Nodes of hierarchies are the same as in `snapped`.

By hand: a group of 31, 34 and 39 is published as `[31, 39]`: somebody is 31, and somebody is 39.

When to use it: to compare losses with papers, or among colleagues under a contract; not for
everyone.
"""

from __future__ import annotations

import pyarrow as pa

from shoal.recode.recoder import Boxes, Recoder, as_text, tight_intervals


class Tight(Recoder):
    """The least box: lowest loss, and its ends are real people's values."""

    name = "tight"

    def publish(self, boxes: Boxes) -> dict[str, pa.Array]:
        """Publish least intervals and lowest nodes."""
        return {boxes.axis.name: as_text(boxes, tight_intervals)}
