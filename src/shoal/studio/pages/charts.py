"""Charts: figures as options of the drawing library, in colours for light and dark.

Whatever comes from a table stands in these options as a value, never as a key and never in a
formatter; tips are plain text. The drawing library remembers how wide a text is under the text
itself, in a plain object: one called `__proto__` would change every object of the page. What all
objects have therefore gets a sign without width.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

BEFORE = "#8a979c"
AFTER = "#12929b"
OTHER = "#d0843a"
COLOURS = (BEFORE, AFTER, OTHER)
OF_KINDS = (OTHER, AFTER, BEFORE)  # of dots, which differ in shape too
INK_OF_PATTERNS = "rgba(0, 0, 0, 0.55)"
HATCHED = {
    "symbol": "rect",
    "dashArrayX": [1, 0],
    "dashArrayY": [2, 5],
    "rotation": -0.785,
    "color": INK_OF_PATTERNS,
}
DOTTED = {
    "symbol": "circle",
    "symbolSize": 0.6,
    "dashArrayX": [[8, 8], [0, 8, 8, 0]],
    "dashArrayY": [6, 0],
    "color": INK_OF_PATTERNS,
}
WITHOUT = ("before", "without the release")  # series that a release had no part in
# drawings are SVG, so that they follow the page into the dark
WORDS = "var(--faint)"
INK = "var(--ink)"
ON_COLOUR = "#000000"  # ink on a square of nearly full colour, in light and in dark
FULL = 0.65  # from which share of the full colour on
FEW = 8  # columns with room for figures in squares, and for names that lean
LEAST = 0.1  # a difference that is worth a full colour
# letters of a label that stands upright under its bar, and of one that has no room there
SHORT = 5
LONG = 18
COLD = "#12929b"
PALE = "#8a979c22"
WARM = "#d0843a"
HAD_BY_ALL = re.compile(
    "__proto__|__(?:define|lookup)[GS]etter__|constructor|hasOwnProperty|isPrototypeOf|"
    "propertyIsEnumerable|toLocaleString|toString|valueOf"
)
Options = dict[str, Any]
TIP: Options = {
    "renderMode": "richText",
    "confine": True,
    "backgroundColor": "#1b2427",
    "borderWidth": 0,
    "textStyle": {"color": "#ffffff", "fontSize": 12},
}


def chart(options: Options, height: int, what: str) -> ui.echart:
    """Draw a chart of `height` pixels; `what` tells those who can't see it."""
    drawn = (
        ui.echart(without_names_of_all(options), renderer="svg")
        .classes("w-full")
        .style(f"height: {height}px")
    )
    drawn.props('role="img"').props["aria-label"] = what
    return drawn


def without_names_of_all(part: Any) -> Any:
    """Replace texts that are names of properties which every JavaScript object has."""
    if isinstance(part, str):
        return HAD_BY_ALL.sub(lambda match: f"{match[0][0]}\u200b{match[0][1:]}", part)
    if isinstance(part, Mapping):
        return {name: without_names_of_all(one) for name, one in part.items()}
    return [without_names_of_all(one) for one in part] if isinstance(part, list | tuple) else part


def bars(
    labels: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    *,
    full: float | None = None,
    in_percent: bool = False,
) -> Options:
    """Build upright bars: one for each label and series; shares are drawn in percent."""
    upright = max(map(len, labels), default=0) <= SHORT
    return {
        **_plain(series),
        "grid": {
            "left": 44,
            "right": 12,
            "top": 34 if len(series) > 1 else 12,
            "bottom": 28 if upright else 80,
        },
        "xAxis": {
            "type": "category",
            "data": list(labels),
            "axisLabel": _words() if upright else _tilted(),
            "axisTick": {"show": False},
        },
        "yAxis": _measured(full, in_percent=in_percent),
        "series": _bars(series, in_percent=in_percent),
    }


def lying(
    labels: Sequence[str], series: Mapping[str, Sequence[float | None]], *, full: float | None = 1.0
) -> Options:
    """Build lying bars of shares, for labels that are sentences; the first on top."""
    return {
        **_plain(series),
        "grid": {"left": 8, "right": 24, "top": 34, "bottom": 8, "containLabel": True},
        "yAxis": {
            "type": "category",
            "data": list(labels),
            "inverse": True,
            "axisTick": {"show": False},
            "axisLabel": {**_words(), "width": 230, "overflow": "truncate"},
        },
        "xAxis": _measured(full, in_percent=True),
        "series": _bars(series, in_percent=True),
    }


def spread(
    labels: Sequence[str], series: Mapping[str, Sequence[float | None]]
) -> tuple[Options, int]:
    """Build bars of shares that stand or lie, as labels need it, and their height in pixels."""
    labels = [_plainly(label) for label in labels]
    if max(map(len, labels), default=0) <= LONG:
        return bars(labels, series, in_percent=True), 250
    return lying(labels, series, full=None), 60 + (12 + 12 * len(series)) * len(labels)


def heat(
    names: Sequence[str], matrix: Sequence[Sequence[float | None]], *, signed: bool = False
) -> Options:
    """Build a square for each two columns; `signed` where it shows what was gained or lost."""
    cells = [
        (x, y, round(value, 2))
        for y, row in enumerate(matrix)
        for x, value in enumerate(row)
        if value is not None and x != y
    ]
    most = max([LEAST, *(abs(value) for *_, value in cells)]) if signed else 1
    squares = [
        {"value": list(cell), "label": {"color": ON_COLOUR if abs(cell[2]) > FULL * most else INK}}
        for cell in cells
    ]
    axis = {
        "type": "category",
        "data": list(names),
        "splitArea": {"show": False},
        "axisTick": {"show": False},
    }
    return {
        **_plain({}),
        "grid": {"left": 8, "right": 8, "top": 8, "bottom": 44, "containLabel": True},
        "xAxis": {**axis, "axisLabel": _tilted(_lean(len(names)))},
        "yAxis": {
            **axis,
            "inverse": True,
            "axisLabel": {**_words(), "width": 110, "overflow": "truncate"},
        },
        "visualMap": {
            "min": -most if signed else 0,
            "max": most,
            "calculable": False,
            "orient": "horizontal",
            "left": "center",
            "bottom": 0,
            "itemHeight": 90,
            "itemWidth": 10,
            "textStyle": {"color": WORDS},
            "text": [f"{most:.2f} more", f"{most:.2f} less"] if signed else ["1", "0"],
            "inRange": {"color": [WARM, PALE, COLD] if signed else [PALE, COLD]},
        },
        "series": [
            {
                "type": "heatmap",
                "data": squares,
                "label": {"show": len(names) <= FEW, "fontSize": 11},
            }
        ],
    }


def _plainly(label: str) -> str:
    """Shorten whole years and months: no first and last days."""
    label = re.sub(r"^(\d{4})-01-01 to (\d{4})-12-31$", r"\1 to \2", label)
    label = re.sub(r"^(\d{4}-\d\d)-01 to (\d{4}-\d\d)-(28|29|30|31)$", r"\1 to \2", label)
    return re.sub(r"^(.+) to \1$", r"\1", label)


def _plain(series: Mapping[str, Any]) -> Options:
    """Build the options that all charts have: tips as text, readable words, no motion."""
    legend = {
        "show": len(series) > 1,
        "top": 0,
        "right": 0,
        "textStyle": {"color": WORDS},
        "itemWidth": 14,
        "itemHeight": 10,
    }
    return {
        "animation": False,
        "color": list(COLOURS if next(iter(series), "") in WITHOUT else COLOURS[1:]),
        "textStyle": {"fontFamily": "Roboto, sans-serif"},
        "tooltip": dict(TIP),
        "legend": legend,
    }


def _measured(full: float | None, *, in_percent: bool = False) -> Options:
    """Build the axis along which bars reach."""
    unit = 100 if in_percent else 1
    return {
        "type": "value",
        "min": 0,
        **({} if full is None else {"max": full * unit}),
        "splitLine": _faint(),
        "axisLabel": {**_words(), **({"formatter": "{value} %"} if in_percent else {})},
    }


def _bars(
    series: Mapping[str, Sequence[float | None]], *, in_percent: bool = False
) -> list[Options]:
    """Build bars; what was before is hatched and a third one dotted, as colours may not tell."""
    unit = 100 if in_percent else 1
    patterns = (None, DOTTED) if next(iter(series), "") not in WITHOUT else (HATCHED, None, DOTTED)
    looks = [{} if pattern is None else {"decal": pattern} for pattern in patterns]
    return [
        {
            "type": "bar",
            "name": name,
            "barMaxWidth": 22,
            "itemStyle": looks[place] if place < len(looks) else {},
            "data": [None if one is None else round(one * unit, 4) for one in values],
        }
        for place, (name, values) in enumerate(series.items())
    ]


def _words() -> Options:
    return {"color": WORDS, "fontSize": 11}


def _lean(names: int) -> int:
    """Choose the degrees by which names lean; many stand upright, so as not to touch."""
    if names > FEW:
        return 90
    return 35


def _tilted(degrees: int = 35) -> Options:
    return {**_words(), "interval": 0, "rotate": degrees, "width": 105, "overflow": "truncate"}


def _faint() -> Options:
    return {"lineStyle": {"color": WORDS, "opacity": 0.2}}


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]], across: str, *, doubling: bool = False
) -> Options:
    """Build lines through points; a second series has an axis of its own on the right.

    `doubling` gives small numbers more room.
    """
    scale = {"type": "log", "logBase": 2, "min": 2} if doubling else {"type": "value", "min": 0}
    named = {
        "nameTextStyle": _words(),
        "axisLabel": _words(),
        "axisLine": {"lineStyle": {"color": WORDS}},
    }
    colours = [AFTER, OTHER, BEFORE]
    up = {**_measured(None), **named}
    ups = [
        {
            **up,
            "name": name,
            "splitLine": {**_faint(), "show": not i},
            "nameTextStyle": {"color": colour},
        }
        for i, (name, colour) in enumerate(zip(series, colours, strict=False))
    ]
    return {
        **_plain({}),
        "color": colours,
        "grid": {"left": 48, "right": 48 if len(series) > 1 else 16, "top": 30, "bottom": 40},
        "xAxis": {
            **scale,
            **named,
            "name": across,
            "nameLocation": "middle",
            "nameGap": 26,
            "splitLine": {"show": False},
        },
        "yAxis": ups,
        "series": [
            {
                "type": "line",
                "name": name,
                "yAxisIndex": i,
                "data": [list(point) for point in points],
                "symbolSize": 9,
            }
            | ({"lineStyle": {"type": "dashed", "width": 1.5}} if i else {})
            for i, (name, points) in enumerate(series.items())
        ],
    }


def scatter(
    points: Sequence[Mapping[str, Any]], across: str, up: str, taken: int | None
) -> Options:
    """Build a dot for each point, which has `x`, `y` and `words`; the taken one stands out."""
    dots = [_dot(point, AFTER, 10) for point in points]
    if taken is not None:
        dots[taken] |= {"symbolSize": 18, "itemStyle": {"color": OTHER, "opacity": 0.85}}
    grid = {"left": 64, "right": 24, "top": 16, "bottom": 44}
    return _scattered({"": (dots, "circle")}, across, up, grid)


def scatter_of_kinds(
    kinds: Mapping[str, tuple[Sequence[Mapping[str, Any]], str]], across: str, up: str
) -> Options:
    """Build dots of several kinds, each with a shape of its own; taken ones have a dark rim.

    A point has `x`, `y`, `words`, `taken` and `label`; the label is written beside it.
    """
    drawn = {}
    for (name, (points, shape)), colour in zip(kinds.items(), OF_KINDS, strict=False):
        drawn[name] = ([_rimmed(point, colour) for point in points], shape)
    grid = {"left": 64, "right": 32, "top": 40, "bottom": 44}
    options = _scattered(drawn, across, up, grid)
    return options | {"legend": {**options["legend"], "show": True, "left": 0, "right": None}}


def _dot(point: Mapping[str, Any], colour: str, size: int) -> Options:
    return {
        "name": point["words"],
        "value": [round(point["x"], 6), round(point["y"], 6)],
        "symbolSize": size,
        "itemStyle": {"color": colour, "opacity": 0.85},
    }


def _rimmed(point: Mapping[str, Any], colour: str) -> Options:
    dot = _dot(point, colour, 20 if point["taken"] else 12)
    if point["taken"]:
        dot["itemStyle"] |= {"borderColor": INK, "borderWidth": 3}
    if point["label"]:
        words = {"show": True, "position": "right", "formatter": point["label"], "color": INK}
        dot["label"] = words
    return dot


def _scattered(
    drawn: Mapping[str, tuple[list[Options], str]], across: str, up: str, grid: Options
) -> Options:
    """Build dots on two axes that begin where the dots do."""
    named = {"nameTextStyle": _words(), "axisLine": {"lineStyle": {"color": WORDS}}}
    axis = {**_measured(None), **named, "nameLocation": "middle", "scale": True, "min": None}
    axis["boundaryGap"] = ["4%", "4%"]  # no dot stands on an axis
    look = {"type": "scatter", "cursor": "pointer"}
    series = [  # the first kind lies on top
        {**look, "name": name, "data": dots, "symbol": shape, "z": 2 + len(drawn) - place}
        for place, (name, (dots, shape)) in enumerate(drawn.items())
    ]
    return without_names_of_all(
        {
            **_plain(dict(drawn)),
            "color": [AFTER] if len(drawn) == 1 else list(OF_KINDS),
            "tooltip": {**TIP, "formatter": "{b}"},
            "grid": grid,
            "xAxis": {**axis, "name": across, "nameGap": 28},
            "yAxis": {**axis, "name": up, "nameGap": 48},
            "series": series,
        }
    )
