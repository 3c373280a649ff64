"""Dial: lets one figure be chosen by a slider or by typing.

Arrow keys move both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

DIGITS = 6  # beyond those, a step of a slider is rounding
MOST = 10**12


class Dial:
    """Report a figure once the hand lets go, and on the way what it would be."""

    def __init__(
        self,
        name: str,
        value: float,
        chosen: Callable[[float], None],
        *,
        ends: tuple[float, float] | None = None,
        limits: tuple[float, float] = (0, MOST),
        whole: bool = False,
        passing: Callable[[float], None] = lambda value: None,
    ) -> None:
        self.value = value
        self.limits = limits
        self.whole = whole
        self.chosen = chosen
        step = 1 if whole else _step(ends)
        with ui.element("div").classes("dial"):
            self.slider = None
            if ends is not None:
                self.slider = ui.slider(min=ends[0], max=ends[1], step=step, value=value)
                self.slider.on_value_change(lambda moved: passing(self._exact(moved.value or 0)))
                self.slider.on("change", lambda let_go: self._choose(let_go.args))
                self.slider.props["aria-label"] = name
            self.field = ui.number(name, value=value, step=step, min=limits[0], max=limits[1])
            self.field.props("dense outlined debounce=600").on(
                "blur", lambda: self.put(self.value), []
            )
            self.field.on_value_change(lambda typed: self._choose(typed.value))

    def put(self, value: float) -> None:
        """Show a figure that was chosen elsewhere."""
        self.value = value
        self.field.set_value(value)
        if self.slider is not None:
            self.slider.set_value(value)

    def _choose(self, value: Any) -> None:
        if value is None:  # about to be typed; a field that is left empty shows again what holds
            return
        before = self.value
        exact = self._exact(value)
        if not self.limits[0] <= value <= self.limits[1]:
            least, most = self.limits
            ui.notify(f"It goes from {least:,} to {most:,}: {exact:,} is taken.", type="warning")
        self.put(exact)
        if exact != before:
            self.chosen(exact)
        if self.field.value != value:  # the browser shows what was typed, and not what holds
            self.field.update()

    def _exact(self, value: float) -> float:
        within = min(max(value, self.limits[0]), self.limits[1])
        return int(within) if self.whole else round(float(within), DIGITS)


def _step(ends: tuple[float, float] | None) -> float:
    """Choose the step of a slider: hundredths for shares, tenths for larger figures."""
    return 0.01 if ends is None or ends[1] <= 1 else 0.1
