"""Measured model: a privacy model with what was measured, as a certificate states it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class MeasuredModel:
    """A privacy model of the recipe for one column, and the strictest value that all groups meet.

    In JSON the parameters of the model stand between `model` and `column`, under their own names:
    each model has others, so this is no struct.

    >>> MeasuredModel("l-diversity", {"l": 2}, "ill", 3).as_dict()
    {'model': 'l-diversity', 'l': 2, 'column': 'ill', 'measured': 3}
    """

    __slots__ = ("column", "measured", "model", "parameters")
    FIXED: ClassVar[tuple[str, ...]] = ("model", "column", "measured")
    SCHEMA: ClassVar[Mapping[str, Any]] = {
        "title": "MeasuredModel",
        "description": "A privacy model of the recipe for one column. Its parameters stand beside "
        "these fields, under their own names.",
        "type": "object",
        "properties": {
            "model": {"type": "string", "description": "The name of the model."},
            "column": {
                "type": ["string", "null"],
                "description": "The sensitive column it guards; null if it is about rows alone.",
            },
            "measured": {
                "type": ["number", "null"],
                "description": "The strictest value that all groups meet; null if it has none.",
            },
        },
        "required": list(FIXED),
    }

    def __init__(
        self, model: str, parameters: Mapping[str, Any], column: str | None, measured: float | None
    ) -> None:
        self.model = model
        self.parameters = dict(parameters)
        self.column = column
        self.measured = measured

    @classmethod
    def of(cls, stated: Mapping[str, Any]) -> MeasuredModel:
        """Return the model that an entry of a certificate states; ValueError if there is none."""
        model = stated.get("model")
        column = stated.get("column")
        measured = stated.get("measured")
        if not isinstance(model, str) or not {*cls.FIXED} <= {*stated}:
            raise ValueError("Object without `model`, `column` or `measured`")
        if not isinstance(column, str | None) or not isinstance(measured, float | int | None):
            raise ValueError("Object with another `column` or `measured` than a model has")
        rest = {name: value for name, value in stated.items() if name not in cls.FIXED}
        return cls(model, rest, column, measured)

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as it stands in a certificate."""
        return {
            "model": self.model,
            **self.parameters,
            "column": self.column,
            "measured": self.measured,
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeasuredModel) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"MeasuredModel({self.as_dict()})"
