"""Kinds: lets the kind of each column be changed, while the table is read again below."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet
from shoal.studio.frame import listen
from shoal.studio.work.reading import KINDS

AT_ONCE = 60  # columns whose kinds are shown together


class Kinds:
    """Draw the columns in a panel when it is first opened, one page at a time."""

    def __init__(self, desk: Desk, sheet: Sheet, panel: ui.expansion) -> None:
        self.desk = desk
        self.columns = sheet.columns
        self.choices: dict[str, ui.select] = {}
        self.wanted: dict[str, str] = {}
        """Kinds that were chosen and are not read yet, by column."""
        with panel:
            self.place = ui.element("div").classes("stack")
            listen(desk, self._agree)
        panel.on_value_change(
            lambda event: self._draw() if event.value and not self.choices else None
        )

    def _draw(self, page: int = 1) -> None:
        pages = -(-len(self.columns) // AT_ONCE)
        self.place.clear()
        with self.place:
            with ui.element("div").classes("kinds"):
                self.choices = {
                    name: self._choice(name)
                    for name in self.columns[(page - 1) * AT_ONCE : page * AT_ONCE]
                }
            if pages > 1:
                ui.pagination(
                    1,
                    pages,
                    value=page,
                    direction_links=True,
                    on_change=lambda event: self._draw(event.value),
                )

    def _choice(self, name: str) -> ui.select:
        """Draw the name of one column and the choice of its kind."""
        sheet = self._sheet
        shown = self.wanted.get(name, sheet.kinds[name])
        choice = ui.select(
            list(dict.fromkeys([sheet.as_read[name], *KINDS])), value=shown, label=name
        ).props("dense outlined")
        choice.on_value_change(lambda event: self._choose(name, event.value))
        return choice

    def _choose(self, name: str, kind: str) -> None:
        """Read the same source with another kind of this column.

        The table stays as it is until that is done.
        """
        sheet = self._sheet
        if kind != self.wanted.get(name, sheet.kinds[name]):
            self.wanted[name] = kind
            kinds = {**sheet.kinds, **self.wanted}
            self.desk.read(
                sheet.name,
                **sheet.source,
                kinds={column: kind for column, kind in kinds.items() if kind in KINDS},
            )

    def _agree(self) -> None:
        """Show the kind of each column in its choice, once nothing more is being read."""
        job = self.desk.jobs.get("read")
        if job is None or job.over:
            # said above the table too, which may be out of sight
            if self.wanted and job and job.problem:
                ui.notify(job.problem, type="negative", multi_line=True, classes="multi-line")
            self.wanted = {}
            for name, choice in self.choices.items():
                choice.set_value(self._sheet.kinds[name])

    @property
    def _sheet(self) -> Sheet:
        assert self.desk.sheet is not None
        return self.desk.sheet
