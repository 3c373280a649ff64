"""Files without a header line: no refusal prints a cell of their first row."""

from __future__ import annotations

from pathlib import Path

import pytest

from terminal import shoal

FIRST_ROWS = {
    "numbers": "Zanzibar,34,gout",
    "dates": "Zanzibar,28.02.1984,gout",
    "money": "Zanzibar,\u20ac 1.200,gout",
    "phones": "Zanzibar,+49 30 1234,gout",
    "mail": "Zanzibar,q@example.org,gout",
    "texts alone": "Zanzibar,Quillon,gout",
    "twice": "Zanzibar,Zanzibar,gout",
}
CALLS = {
    "anonymize": ("-q", "age,city", "-s", "ill", "-k", "2", "-o", "out.csv"),
    "disk": ("-q", "age,city", "-s", "ill", "-k", "2", "-o", "out.csv", "--memory", "2GB"),
    "audit": ("-q", "age,city", "-s", "ill"),
    "distort": ("--columns", "age", "-o", "out.csv"),
    "compare": ("-q", "age,city", "--methods", "mondrian", "--k", "2"),
}


@pytest.mark.parametrize("kind", FIRST_ROWS)
@pytest.mark.parametrize("call", CALLS)
def test_the_first_row_of_a_file_without_header_is_not_printed(
    kind: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = FIRST_ROWS[kind]
    Path("people.csv").write_text("\n".join([first] * 12) + "\n", encoding="utf-8")
    command = "anonymize" if call == "disk" else call
    said = shoal(command, "people.csv", *CALLS[call])
    assert said.code in (2, 3), said.err
    for cell in first.split(","):
        assert cell not in said.err + said.out
    assert "first line" in said.err


def test_names_are_still_suggested_where_the_file_has_a_header(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text("age,city,ill\n" + "34,Rome,gout\n" * 12)
    call = ("-q", "age,town", "-o", tmp_path / "out.csv", "-k", "2")
    assert "one of: age, city, ill" in shoal("anonymize", source, *call).err
    assert "did you mean 'age'?" in shoal("audit", source, "-q", "aeg").err
