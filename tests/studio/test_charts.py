"""Charts: whatever comes from a table stands in options as a value, and tips are text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from shoal.studio.pages.charts import (
    INK,
    ON_COLOUR,
    bars,
    heat,
    lying,
    spread,
    without_names_of_all,
)

EVIL = [":formatter", "<img src=x onerror=alert(1)>", "{b}"]


def keys(options: Any) -> Iterator[str]:
    if isinstance(options, dict):
        for name, value in options.items():
            yield name
            yield from keys(value)
    elif isinstance(options, list | tuple):
        for value in options:
            yield from keys(value)


def formatters(part):
    """Every text by which the drawing library writes something."""
    if isinstance(part, dict):
        for name, one in part.items():
            yield from [one] if name == "formatter" else formatters(one)
    elif isinstance(part, list | tuple):
        for one in part:
            yield from formatters(one)


@pytest.mark.parametrize(
    "options",
    [
        bars(EVIL, {"before": [1, 2, 3], "after": [3, 2, None]}),
        lying(EVIL, {"rows": [1, 2, 3]}),
        heat(EVIL, [[1.0, 0.5, None], [0.5, 1.0, 0.2], [None, 0.2, 1.0]]),
        heat(EVIL, [[0.0, -0.5, None], [-0.5, 0.0, 0.2], [None, 0.2, 0.0]], signed=True),
    ],
)
def test_nothing_of_a_table_is_a_key_or_a_formatter(options):
    found = set(keys(options))
    assert not found & set(EVIL) and not any(name.startswith(":") for name in found)
    assert set(formatters(options)) <= {"{value} %"}, "ours, and none of a table"
    assert options["tooltip"]["renderMode"] == "richText"


def test_a_heat_map_leaves_out_what_is_not_known():
    options = heat(["a", "b"], [[1.0, None], [None, None]])
    assert options["series"][0]["data"] == []
    options = heat(["a", "b"], [[0.0, -0.3], [-0.3, 0.0]], signed=True)
    assert sorted(one["value"] for one in options["series"][0]["data"]) == [
        [0, 1, -0.3],
        [1, 0, -0.3],
    ]
    assert (options["visualMap"]["min"], options["visualMap"]["max"]) == (-0.3, 0.3)


def test_figures_can_be_read_on_pale_and_on_full_colour():
    data = heat(["a", "b"], [[1.0, 0.2], [0.9, 1.0]])["series"][0]["data"]
    assert {tuple(one["value"]): one["label"]["color"] for one in data} == {
        (1, 0, 0.2): INK,
        (0, 1, 0.9): ON_COLOUR,
    }


def test_long_labels_lie_and_whole_years_are_short():
    years, _ = spread(
        ["1920-01-01 to 1929-12-31", "1930-01-01 to 1930-12-31"],
        {"before": [1, 2], "after": [1, 2]},
    )
    assert years["xAxis"]["data"] == ["1920 to 1929", "1930"]
    months, _ = spread(
        ["2023-01-01 to 2023-02-28", "2023-03-01 to 2023-03-31"],
        {"before": [1, 2], "after": [1, 2]},
    )
    assert months["xAxis"]["data"] == ["2023-01 to 2023-02", "2023-03"]
    lain, _ = spread(["a long label that has no room", "b"], {"before": [1, 2], "after": [1, 2]})
    assert lain["yAxis"]["data"] == ["a long label that has no room", "b"]


HAD_BY_ALL = ["__proto__", "constructor", "toString", "hasOwnProperty", "__lookupSetter__"]


@pytest.mark.parametrize("name", [*HAD_BY_ALL, "a\n__proto__ b"])
def test_no_text_is_called_as_what_every_object_has(name):
    written, other = without_names_of_all(bars([name, "town"], {"before": [1, 2]}))["xAxis"]["data"]
    assert (
        written.replace("\u200b", "") == name
        and not any(had in written for had in HAD_BY_ALL)
        and other == "town"
    )
    assert without_names_of_all(bars(EVIL, {"rows": [1, 2, 3]})) == bars(EVIL, {"rows": [1, 2, 3]})


def test_before_and_after_differ_without_colours_and_are_percentages():
    drawn = bars(["a"], {"before": [0.25], "after": [0.5], "Run 2": [1]}, in_percent=True)
    looks = [json.dumps(series["itemStyle"], sort_keys=True) for series in drawn["series"]]
    assert len(set(looks)) == 3 and "decal" in drawn["series"][0]["itemStyle"]
    assert [series["data"] for series in drawn["series"]] == [[25], [50], [100]]
    assert drawn["yAxis"]["axisLabel"]["formatter"] == "{value} %"
