"""Make the files of other programs in `files/`: Excel, SPSS, Stata, SAS and JSON lines.

Run `python -m exports.make_files` from the folder `tests`; the bytes are the same every time but
for those of libraries of another version.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pyreadstat
import xlsxwriter

FILES = Path(__file__).parent / "files"
NEVER = datetime.datetime(2000, 1, 1)
ROWS = 30
Fill = Callable[[Any, Any], None]


def workbook(name: str, **sheets: Fill) -> None:
    with xlsxwriter.Workbook(str(FILES / name)) as book:
        book.set_properties({"created": NEVER})
        for title, fill in sheets.items():
            fill(book.add_worksheet(title), book)


def grid(
    sheet: Any, book: Any, columns: dict[str, list[Any]], formats: dict[str, str], top: int = 0
) -> None:
    """Write columns under bold names, each with its number format."""
    bold = book.add_format({"bold": True, "bottom": 1})
    for place, (name, cells) in enumerate(columns.items()):
        shown = book.add_format({"num_format": formats.get(name, "General")})
        sheet.write(top, place, name, bold)
        for row, cell in enumerate(cells, start=top + 1):
            if isinstance(cell, datetime.date):
                sheet.write_datetime(row, place, cell, shown)
            elif isinstance(cell, str):
                sheet.write_string(row, place, cell, shown)
            else:
                sheet.write(row, place, cell, shown)


def german(sheet: Any, book: Any, top: int = 0) -> None:
    drawn = Random(1)
    columns = {
        "Patientennummer": [f"P{1000 + n}" for n in range(ROWS)],
        "Geburtsdatum": [datetime.date(1940 + n, 1 + n % 12, 1 + n % 28) for n in range(ROWS)],
        "PLZ": [f"0{1060 + drawn.randrange(9)}" for _ in range(ROWS)],
        "Gewicht": [round(50 + drawn.random() * 40, 1) for _ in range(ROWS)],
        "Anteil": [drawn.randrange(100) / 100 for _ in range(ROWS)],
        "Raucher": [drawn.random() < 0.5 for _ in range(ROWS)],
    }
    formats = {"Geburtsdatum": "DD.MM.YYYY", "PLZ": "@", "Gewicht": "#,##0.0", "Anteil": "0 %"}
    grid(sheet, book, columns, formats, top)


def french(sheet: Any, book: Any) -> None:
    drawn = Random(2)
    days = [datetime.datetime(2024, 1 + n % 12, 1 + n % 28, n % 24, 30) for n in range(ROWS)]
    columns = {
        "Date d'entrée": days,
        "Sexe": [drawn.choice(["F", "H"]) for _ in range(ROWS)],
        "Code postal": [f"{drawn.choice(['01000', '75011', '69003'])}" for _ in range(ROWS)],
        "Montant": [round(drawn.random() * 900, 2) for _ in range(ROWS)],
    }
    formats = {"Date d'entrée": "dd/mm/yyyy hh:mm", "Montant": "#,##0.00 €"}
    grid(sheet, book, columns, formats)


def american(sheet: Any, book: Any) -> None:
    """Dates as text, and household sizes with an open end beside numbers."""
    drawn = Random(3)
    columns = {
        "DOB": [f"{1 + n % 12}/{13 + n % 15}/{1950 + n}" for n in range(ROWS)],
        "ZIP": [f"{drawn.choice(['02134', '10001', '94110'])}" for _ in range(ROWS)],
        "Household": [drawn.choice([1, 2, 3, 4, "7+"]) for _ in range(ROWS)],
        "Income": [drawn.randrange(20, 90) * 1000 for _ in range(ROWS)],
    }
    grid(sheet, book, columns, {"Income": "$#,##0"})


def titled(sheet: Any, book: Any) -> None:
    sheet.write(0, 0, "Entlassungen 2024, Station 3")
    sheet.write(1, 0, "Stand: 31.12.2024")
    german(sheet, book, top=3)


def merged(sheet: Any, book: Any) -> None:
    sheet.merge_range(0, 0, 0, 2, "Person", book.add_format({"align": "center"}))
    sheet.merge_range(0, 3, 0, 5, "Befund", book.add_format({"align": "center"}))
    german(sheet, book, top=1)


def failing(sheet: Any, book: Any) -> None:
    grid(sheet, book, {"age": list(range(20, 20 + ROWS)), "sex": ["F", "M"] * (ROWS // 2)}, {})
    for row in (4, 9):
        sheet.write_formula(row, 0, "=VLOOKUP(A1,B:B,1,0)", None, "#N/A")


def survey() -> pl.DataFrame:
    drawn = Random(4)
    return pl.DataFrame(
        {
            "id": [f"R{n:04}" for n in range(ROWS)],
            "age": [drawn.randrange(18, 90) for _ in range(ROWS)],
            "sex": [drawn.choice([1, 2]) for _ in range(ROWS)],
            "health": [drawn.choice([1, 2, 3, 4, 5, 9]) for _ in range(ROWS)],
            "income": [drawn.choice([-9, 800, 1200, 2500, 3100]) for _ in range(ROWS)],
            "interview": [datetime.date(2023, 1 + n % 12, 1 + n % 28) for n in range(ROWS)],
        }
    )


LABELS = {
    "sex": {1: "male", 2: "female"},
    "health": {1: "very good", 2: "good", 3: "fair", 4: "poor", 5: "very poor", 9: "no answer"},
    "income": {-9: "refused"},
}
VARIABLES = {"age": "Age of respondent", "health": "Self-rated health", "income": "Net income"}


def statistics() -> None:
    frame = survey()
    missing = {"health": [9], "income": [-9]}
    pyreadstat.write_sav(
        frame,
        str(FILES / "spss-survey.sav"),
        column_labels=VARIABLES,
        variable_value_labels=LABELS,
        missing_ranges=missing,
    )
    labels = {name: LABELS[name] for name in ("sex", "health")}
    pyreadstat.write_dta(
        frame,
        str(FILES / "stata-survey.dta"),
        column_labels=VARIABLES,
        variable_value_labels=labels,
    )
    pyreadstat.write_xport(frame, str(FILES / "sas-survey.xpt"), column_labels=VARIABLES)


def lines(name: str, rows: list[dict[str, Any]]) -> None:
    written = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (FILES / name).write_text(written, "utf-8")


def json_lines() -> None:
    drawn = Random(5)
    lines(
        "app-events.jsonl",
        [
            {
                "user": f"u{n:05}",
                "born": f"{1960 + n}-0{1 + n % 9}-1{n % 10}",
                "country": drawn.choice(["DE", "FR", "IT"]),
                "spent": drawn.randrange(100) / 4,
                "active": drawn.random() < 0.5,
            }
            for n in range(ROWS)
        ],
    )
    visits = [
        {
            "visit_occurrence_id": 1000 + n,
            "person_id": 10 + n // 2,
            "visit_start_date": f"2023-0{1 + n % 9}-0{1 + n % 9}",
            "visit_concept_id": drawn.choice([9201, 9202, 9203]),
        }
        for n in range(ROWS)
    ]
    lines("omop-visit.ndjson", visits)
    lines("lines-called-csv.csv", visits)


def german_csv() -> None:
    """As German Excel saves "CSV UTF-8": a mark, semicolons, decimal commas, CRLF."""
    drawn = Random(6)
    rows = ["Alter;PLZ;Gewicht;Blutzucker;Diagnose"]
    for n in range(40):
        weight = f"{drawn.randrange(55, 95)},{drawn.choice('05')}"
        sugar = f"{drawn.randrange(4, 9)},{drawn.randrange(10)}"
        ill = drawn.choice(["Asthma", "Diabetes", "Grippe"])
        rows.append(f"{20 + n};{drawn.choice(['01067', '01099', '04109'])};{weight};{sugar};{ill}")
    (FILES / "excel-de-weights.csv").write_bytes(
        b"\xef\xbb\xbf" + "".join(f"{row}\r\n" for row in rows).encode()
    )


def main() -> None:
    german_csv()
    workbook("excel-de-station.xlsx", Patienten=german)
    workbook("excel-fr-sejours.xlsx", Feuil1=french)
    workbook("excel-us-intake.xlsx", Sheet1=american)
    workbook("excel-title-row.xlsx", Tabelle1=titled)
    workbook("excel-merged-header.xlsx", Tabelle1=merged)
    workbook("excel-two-sheets.xlsx", Mai=german, Juni=german)
    workbook("excel-failed-cells.xlsx", Sheet1=failing)
    statistics()
    json_lines()


if __name__ == "__main__":
    main()
