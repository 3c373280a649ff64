"""Dial: one figure to choose: a slider for the hand, a field for whoever knows the number. Arrow keys move both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

DIGITS = 6  # beyond those, a step of a slider is rounding


class Dial:
    """Tells what was chosen once the hand lets go, and on its way what it would be."""

    def __init__(
        self,
        name: str,
        value: float,
        chosen: Callable[[float], None],
        *,
        ends: tuple[float, float] | None = None,
        whole: bool = False,
        passing: Callable[[float], None] = lambda value: None,
    ) -> None:
        self.value, self.whole, self.chosen = value, whole, chosen
        step = 1 if whole else 0.01 if ends is None or ends[1] <= 1 else 0.1
        with ui.element("div").classes("dial"):
            self.slider = None
            if ends is not None:
                self.slider = ui.slider(min=ends[0], max=ends[1], step=step, value=value)
                self.slider.on_value_change(lambda moved: passing(self._exact(moved.value or 0)))
                self.slider.on("change", lambda let_go: self._choose(let_go.args))
                self.slider.props["aria-label"] = name
            self.field = ui.number(name, value=value, step=step, on_change=lambda typed: self._choose(typed.value))
            self.field.props("dense outlined debounce=600")

    def put(self, value: float) -> None:
        """Show this one, which was chosen elsewhere."""
        self.value = value
        self.field.set_value(value)
        if self.slider is not None:
            self.slider.set_value(value)

    def _choose(self, value: Any) -> None:
        if value is None or (exact := self._exact(value)) == self.value:
            return
        self.put(exact)
        self.chosen(exact)

    def _exact(self, value: float) -> float:
        return int(value) if self.whole else round(float(value), DIGITS)
