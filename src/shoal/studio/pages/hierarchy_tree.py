"""Tree: shows a hierarchy; arrows move, open and close, the space bar chooses, F2 renames."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from shoal.studio.pages.hierarchy_work import Work


class TreeView(Element, component="hierarchy_tree.js"):
    """Draw the open part of a column's tree.

    Calls `changed` when something else is chosen, `rename` when F2 is pressed.
    """

    def __init__(self, work: Work, changed: Callable[[], None], rename: Callable[[], None]) -> None:
        super().__init__()
        self.work = work
        self.chosen = changed
        self.rename = rename
        self.on("fold", self._fold)
        self.on("toggle", lambda event: self._choose(work.chosen ^ {int(event.args)}))
        self.on("reach", lambda event: self._choose(work.chosen.union(map(int, event.args))))
        self.on("clear", lambda: self._choose(()))
        self.on("ask", self._ask)
        self.follow()

    def follow(self) -> None:
        """Show the tree as it is now."""
        self._props["rows"] = self.work.rows()
        self._props["chosen"] = sorted(self.work.chosen)
        self.update()

    def _fold(self, event: GenericEventArguments) -> None:
        self.work.fold(int(event.args))
        self.follow()

    def _choose(self, nodes: Iterable[int]) -> None:
        self.work.choose(nodes)
        self.follow()
        self.chosen()

    def _ask(self, event: GenericEventArguments) -> None:
        self._choose([int(event.args)])
        self.rename()
