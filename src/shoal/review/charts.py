"""Charts: draw figures of several methods, to be printed.

Needs the extra `report`, loaded when first drawn.

Colours are those of Okabe & Ito, which colour-blind people tell apart; each series has a shape and
a dash of its own beside its colour, so a chart survives a black-and-white printer. No browser and
no network are needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from shoal.errors import RecipeError

Row = Mapping[str, Any]
Chart = Any

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
FORMATS = ("svg", "png", "pdf")
WIDTH = 380
HEIGHT = 300
LEAST_SECONDS = 0.0001  # on a logarithmic axis there is no nothing
FIGURES = ",.6~r"  # digits are counted here: left to the axis, 0.1 and 0.12 may get one label
SHARP = 2.0  # pixels of a PNG for each point of the drawing


@dataclass(frozen=True)
class Across:
    """The logarithmic axis from left to right: a field of each row, its title and its ticks."""

    field: str
    title: str
    ticks: Sequence[int]


def against_k(
    rows: Sequence[Row], measure: str, *, title: str = "", series: str = "method"
) -> Chart:
    """Draw a measure against k, one line for each series.

    `low` and `high` of a row, if there, are drawn as its spread.
    """
    across = Across("k", "k (logarithmic)", sorted({row["k"] for row in rows}))
    return _lines(rows, across, measure, title, series)


def against_rows(
    rows: Sequence[Row], measure: str, *, title: str = "", series: str = "method"
) -> Chart:
    """Draw a measure against the rows of the table, both axes logarithmic.

    A straight line is a power.
    """
    across = Across("rows", "rows", sorted({row["rows"] for row in rows}))
    return _lines(rows, across, measure, title, series, log=True)


def against_time(
    rows: Sequence[Row], measure: str, *, title: str = "", series: str = "method"
) -> Chart:
    """Draw a measure against CPU seconds, one point for each row.

    A thin line joins the points of a series from k to k.
    """
    alt = _altair()
    shown = [{**row, "seconds": max(row["seconds"], LEAST_SECONDS)} for row in rows]
    ticks = [step * 10.0**power for power in range(-4, 6) for step in (1, 3)]
    axis = alt.Axis(values=ticks, format=FIGURES, labelOverlap=True)
    title_of_x = "CPU seconds of dividing (logarithmic)"
    x = alt.X("seconds:Q", title=title_of_x, scale=alt.Scale(type="log"), axis=axis)
    base = alt.Chart(alt.InlineData(values=shown)).encode(
        x=x, y=_y(measure), **_looks(rows, series)
    )
    return _titled(_joined_points(base, "k:Q"), title)


def against_another(
    rows: Sequence[Row], other: str, measure: str, *, title: str = "", series: str = "method"
) -> Chart:
    """Draw a measure against another one, one point for each row.

    A thin line joins the points of a series as they come.
    """
    alt = _altair()
    shown = [{**row, "turn": turn} for turn, row in enumerate(rows)]
    x = alt.X(
        f"{other}:Q",
        title=words(other),
        scale=alt.Scale(zero=True),
        axis=alt.Axis(format=FIGURES, tickCount=6),
    )
    base = alt.Chart(alt.InlineData(values=shown)).encode(
        x=x, y=_y(measure), **_looks(rows, series)
    )
    return _titled(_joined_points(base, "turn:Q"), title)


def _joined_points(base: Chart, order: str) -> Chart:
    """Draw points, joined in an order by a thin line."""
    thin = base.mark_line(strokeWidth=0.7, opacity=0.5).encode(order=order)
    points = base.mark_point(filled=True, size=55, opacity=0.95, strokeWidth=0)
    return _altair().layer(thin, points)


def comparison(rows: Sequence[Row], measure: str, table: str, about: str = "") -> Chart:
    """Draw a measure against k and against time, under one title."""
    shown = ("method", "k", "seconds", measure)
    drawable = [{name: row[name] for name in shown} for row in rows if _has(row, measure)]
    if not drawable:
        problem = f"there is no figure of '{measure}' to draw"
        raise RecipeError(problem, remedy="choose another loss to draw")
    alt = _altair()
    title = alt.Title(
        f"{table}: {words(measure)}",
        subtitle=about,
        anchor="start",
        fontSize=15,
        subtitleFontSize=12,
        offset=14,
    )
    both = [against_k(drawable, measure), against_time(drawable, measure)]
    return _styled(alt.hconcat(*both, spacing=30, title=title))


def single(chart: Chart) -> Chart:
    """Prepare one drawing alone to be rendered."""
    return _styled(chart)


def check_drawable(place: str) -> str:
    """Return the format that a file name asks for, before hours of work.

    Refuses other formats, and a machine that can't draw.
    """
    kind = PurePath(place).suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise RecipeError(
            f"a chart can't be written as '{PurePath(place).name}'",
            remedy="a name that ends in .svg, .png or .pdf",
        )
    _altair()
    return kind


def drawn(chart: Chart, kind: str) -> bytes:
    """Render the chart as the bytes of a file of this kind."""
    convert = _vl_convert()
    spec = chart.to_dict()
    if kind == "svg":
        return str(convert.vegalite_to_svg(spec)).encode()
    if kind == "png":
        return bytes(convert.vegalite_to_png(spec, scale=SHARP))
    return bytes(convert.vegalite_to_pdf(spec))


def words(measure: str) -> str:
    """Write the name of a measure as people read it."""
    return "CPU seconds" if measure == "seconds" else measure.replace("-", " ")


def _has(row: Row, measure: str) -> bool:
    return row.get(measure) is not None and row.get("seconds") is not None


def _lines(
    rows: Sequence[Row], across: Across, measure: str, title: str, series: str, *, log: bool = False
) -> Chart:
    alt = _altair()
    shown = alt.X(
        f"{across.field}:Q",
        title=across.title,
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=list(across.ticks), format=",d"),
    )
    looks = _looks(rows, series)
    figures = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(x=shown)
    base = figures.encode(y=_y(measure, log=log), **looks)
    points = base.mark_point(filled=True, size=45, opacity=1, strokeWidth=0)
    layers = [base.mark_line(strokeWidth=1.6), points]
    if all("low" in row and "high" in row for row in rows):
        ends = {"y": alt.Y("low:Q", title=words(measure)), "y2": "high:Q", "color": looks["color"]}
        layers.append(figures.mark_rule(strokeWidth=1.2).encode(**ends))
    return _titled(alt.layer(*layers), title)


def _y(measure: str, *, log: bool = False) -> Any:
    alt = _altair()
    scale = alt.Scale(type="log") if log else alt.Scale(zero=True)
    return alt.Y(
        f"{measure}:Q",
        title=words(measure),
        scale=scale,
        axis=alt.Axis(format=FIGURES, tickCount=6),
    )


def _looks(rows: Sequence[Row], series: str) -> dict[str, Any]:
    """Choose colour, shape and dash of each series; colour and shape stand in one legend."""
    alt = _altair()
    names = list(dict.fromkeys(row[series] for row in rows))
    looks = {
        "color": [COLOURS[i % len(COLOURS)] for i in range(len(names))],
        "shape": [SHAPES[(i + i // len(COLOURS)) % len(SHAPES)] for i in range(len(names))],
        "strokeDash": [DASHES[i // len(COLOURS) % len(DASHES)] for i in range(len(names))],
    }
    channels = {"color": alt.Color, "shape": alt.Shape, "strokeDash": alt.StrokeDash}
    legend = alt.Legend(
        title=None,
        symbolLimit=0,
        labelLimit=320,
        symbolSize=70,
        symbolStrokeWidth=0,
        orient="right",
    )
    # no dashes in the legend: a dashed outline would blur the shapes
    legends = {"color": legend, "shape": legend, "strokeDash": None}
    return {
        name: channel(
            f"{series}:N",
            scale=alt.Scale(domain=names, range=looks[name]),
            legend=legends[name],
            sort=None,
        )
        for name, channel in channels.items()
    }


def _titled(chart: Chart, title: str) -> Chart:
    named = chart.properties(width=WIDTH, height=HEIGHT)
    if title:
        return named.properties(title=_altair().Title(title, anchor="start", fontSize=13))
    return named


def _styled(chart: Chart) -> Chart:
    axis = {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "gridColor": "#E4E4E4",
        "titleFontWeight": "normal",
    }
    return (
        chart.configure(background="white", font="Liberation Sans, Arial, sans-serif", padding=10)
        .configure_axis(**axis)
        .configure_legend(labelFontSize=12)
        .configure_view(stroke="#B0B0B0")
    )


def _altair() -> Any:
    try:
        import altair
    except ImportError:
        raise _absent() from None
    return altair


def _vl_convert() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise _absent() from None
    return vl_convert


def _absent() -> RecipeError:
    return RecipeError(
        "charts need packages that are not installed", remedy="pip install 'shoal[report]'"
    )
