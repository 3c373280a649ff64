"""Inspection screen: who is singled out, in one line, and the role that each column should have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.groups import Note
from shoal.review.vocabulary import Role
from shoal.screen import Bar, Chart, Screen, listed, percent, short, stand_alone
from shoal.wording import COLUMN, Sentence, Set

if TYPE_CHECKING:
    from shoal.review.inspected_column import ColumnView
    from shoal.review.inspection import Inspection

MOST_COLUMNS = 11
NAMED = 5  # columns that are named in the headline
ORDER: tuple[Role, ...] = ("person", "quasi", "sensitive", "keep", "identifier", "drop")
"""Roles as they are shown where there is no room for all columns."""


def screen_of(inspection: Inspection) -> Screen:
    """Say what was seen in a table, the answer first."""
    call = ((("in Python", inspection.call()),)) * bool(inspection.names("quasi"))
    chart = _chart(inspection)
    return Screen(headline_of(inspection), call, chart, inspection.notices, more=".columns")


def headline_of(inspection: Inspection) -> str:
    """Say how many people stand alone by all suggested quasi-identifiers together."""
    counted = f"{inspection.rows:,} row{'s' * (inspection.rows != 1)}"
    if inspection.people is not None:
        counted += f" about {inspection.people:,} people"
    size = f"{counted}, {len(inspection.columns)} column{'s' * (len(inspection.columns) != 1)}."
    quasi = inspection.names("quasi")
    if not quasi:
        return f"{size} No column looks like one that others know."
    names = listed([short(name) for name in quasi], NAMED)
    together = " together" * (len(quasi) > 1)
    return f"{size} With {names}{together}, {stand_alone(inspection.alone)}."


def notices_of(inspection: Inspection) -> tuple[Note, ...]:
    """Ask what only the owner of a table knows: codes that look like numbers, missing words."""
    asked = [_repeated(inspection.repeated)] if inspection.repeated else []
    for column in inspection.columns:
        if column.role == "quasi" and column.may_be_code:
            code = Set("read_as", {column.name: "code"})
            words = Sentence(f"'{column.name}' holds few whole numbers: codes? ", code)
            asked.append(Note("understood", words))
        if column.role in ("quasi", "sensitive") and column.missing_words:
            missing = [f"{column.name}={word}" for word in column.missing_words]
            said = "is understood without words for missing" * column.leans_on_words
            words = Sentence(f"'{column.name}' {said or 'may say missing'}: ", Set("na", missing))
            asked.append(Note("understood", words))
    return tuple(asked)


def _repeated(names: tuple[str, ...]) -> Note:
    """Ask whether rows with the same name and birth date are about one person."""
    both = " and ".join(f"'{name}'" for name in names)
    said = f"{both} repeat together: several rows about one person? Number the people "
    person = Set("person", COLUMN, "and name the column")
    alone = Set("rows_are_persons", True, "or say that each row is a person of their own")
    return Note("repeated", Sentence(said, person, " ", alone))


def _chart(inspection: Inspection) -> Chart:
    """Draw how many rows each column singles out by itself, beside its role."""
    ranked = sorted(inspection.columns, key=lambda column: ORDER.index(column.role))
    shown = ranked[:MOST_COLUMNS]
    title = "your columns"
    if len(shown) < len(ranked):
        title = f"{len(shown)} of {len(ranked)} columns"
    heads = ("alone", "", "")
    return Chart(title, heads, tuple(_bar(column) for column in shown))


def _bar(column: ColumnView) -> Bar:
    texts = (percent(column.alone), column.role, column.understood)
    return Bar(column.name, (0.0, 0.0, column.alone), texts)
