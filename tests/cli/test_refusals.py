"""What is wrong is refused with the right exit code, in plain words, with nothing written and no
cell shown.
"""

from __future__ import annotations

import os
import weakref
from pathlib import Path

import pytest

from shoal.cli import main
from shoal.errors import DataError
from terminal import in_house_form, shoal, snapshot, write

SECRETS = ("Zyxwvut", "918273")  # a cell of every name and of one code


def people(rows: int = 40) -> str:
    lines = [
        f"Zyxwvut{i},{20 + i % 13},{'fm'[i % 2]},{918273 + i % 5},{'abcde'[i * i % 5]}"
        for i in range(rows)
    ]
    return "name,age,sex,code,disease\n" + "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "people.csv", people())
    write(tmp_path / "codes.csv", "918273;9182**;*\n918274;9182**;*\n")
    return tmp_path


def refused(
    folder: Path, code: int, *args: object, words: tuple[str, ...] = (), stdin: bytes = b""
) -> str:
    before = snapshot(folder)
    said = shoal(*args, stdin=stdin)
    assert said.code == code, said.err
    assert in_house_form(said), said.err
    assert said.out == ""
    assert snapshot(folder) == before
    for word in words:
        assert word in said.err
    assert not any(secret in said.err for secret in SECRETS)
    return said.err


def anonymize(
    *options: object, source: str = "people.csv", quasi: str = "age,sex", k: object = 5
) -> tuple[object, ...]:
    return ("anonymize", source, "-o", "out.csv", "-q", quasi, "-k", k, *options)


CALLS = {
    "unknown column": (2, anonymize(quasi="agee,sex"), ("'agee'", "did you mean 'age'?")),
    "all unknown columns at once": (
        2,
        anonymize("-s", "x", quasi="agee,sexx"),
        ("'agee'", "'sexx'", "'x'"),
    ),
    "two roles": (2, anonymize("-s", "age"), ("'age' has two roles",)),
    "twice in one role": (2, anonymize(quasi="age,age"), ("'age' is named twice",)),
    "no quasi-identifier": (
        2,
        ("anonymize", "people.csv", "-o", "out.csv"),
        ("no quasi-identifier", "try: "),
    ),
    "k of 0": (2, anonymize(k=0), ("k ", ">= 1", "try: ")),
    "k of -1": (2, anonymize(k=-1), ("k ", ">= 1")),
    "k in words": (2, anonymize(k="five"), ("-k",)),
    "k with a point": (2, anonymize(k="5.5"), ("-k",)),
    "k above the rows": (
        4,
        anonymize(k=41),
        ("40 rows can't form a group of 41", "published: nothing"),
    ),
    "k above everything": (4, anonymize(k=10**30), ("40 rows",)),
    "unknown method": (2, anonymize("--method", "k-membr"), ("did you mean 'k-member'?",)),
    "unknown model": (
        2,
        anonymize("--model", "l-diversty:l=2", "-s", "disease"),
        ("did you mean 'l-diversity'?",),
    ),
    "unknown loss": (2, anonymize("--loss", "heigth"), ("'heigth'", "height")),
    "unknown way to publish": (2, anonymize("--publish", "snaped"), ("did you mean 'snapped'?",)),
    "unknown option": (2, anonymize("--forse"), ("--forse",)),
    "unknown command": (2, ("anonymise", "people.csv"), ("did you mean 'anonymize'?",)),
    "unknown parameter": (
        2,
        anonymize("--method", "k-member:sede_rule=x"),
        ("did you mean 'seed_rule'?",),
    ),
    "bad parameter": (2, anonymize("--method", "k-member:seed_rule=x"), ("seed_rule",)),
    "bad truth": (2, anonymize("--method", "mondrian:relaxed=maybe"), ("true or false",)),
    "parameter without a value": (
        2,
        anonymize("--method", "k-member:seed_rule"),
        ("has no value",),
    ),
    "model without its parameter": (
        2,
        anonymize("--model", "l-diversity", "-s", "disease"),
        ("needs l",),
    ),
    "model that promises nothing": (
        2,
        anonymize("--model", "l-diversity:l=0", "-s", "disease"),
        ("at least 1",),
    ),
    "model without a column": (
        2,
        anonymize("--model", "l-diversity:l=2"),
        ("needs a sensitive column",),
    ),
    "l not reachable": (
        4,
        anonymize("--model", "l-diversity:l=9", "-s", "disease"),
        ("'disease'", "l = 9"),
    ),
    "importance of 0": (2, anonymize("--importance", "age=0"), ("importance",)),
    "importance below 0": (2, anonymize("--importance", "age=-2"), ("importance",)),
    "infinite importance": (2, anonymize("--importance", "age=inf"), ("importance",)),
    "importance of no number": (2, anonymize("--importance", "age=much"), ("importance",)),
    "importance of a stranger": (
        2,
        anonymize("--importance", "code=2"),
        ("'code'", "no quasi-identifier"),
    ),
    "withhold of 1": (2, anonymize("--withhold", "1"), ("withhold",)),
    "withhold below 0": (2, anonymize("--withhold", "-0.1"), ("withhold",)),
    "withhold of nan": (2, anonymize("--withhold", "nan"), ("withhold",)),
    "seed below 0": (2, anonymize("--seed", "-1"), ("seed",)),
    "hierarchy of a stranger": (
        2,
        anonymize("--hierarchy", "disease=flat"),
        ("'disease'", "no quasi-identifier"),
    ),
    "hierarchy without a column": (2, anonymize("--hierarchy", "flat"), ("--hierarchy", "COLUMN=")),
    "hierarchy of no file": (3, anonymize("--hierarchy", "age=none.csv"), ("none.csv", "'age'")),
    "hierarchy that lacks values": (
        3,
        anonymize("--hierarchy", "code=codes.csv", quasi="code"),
        ("'code'", "3 of 5 values of the column are not in it, in 24 rows"),
    ),
    "masks that are too short": (
        3,
        anonymize("--hierarchy", "code=masks:length=3", quasi="code"),
        ("'code'",),
    ),
    "edges that lack values": (
        3,
        anonymize("--hierarchy", "age=intervals:edges=[0;25]"),
        ("'age'", "rows concerned"),
    ),
    "dates that are none": (3, anonymize("--hierarchy", "sex=dates"), ("'sex'",)),
    "no folder of hierarchies": (3, anonymize("--hierarchies", "nowhere"), ("nowhere",)),
    "forced but not kept": (2, anonymize("--force-keep", "name"), ("'name'",)),
    "a kept column that is unique": (
        4,
        anonymize("--keep", "name"),
        ("of 'name' are held by fewer than", "--force-keep name"),
    ),
    "bounds of another's name": (
        2,
        anonymize("--publish", "age=bounds", "--keep", "age_lo"),
        ("'age_lo', which is another column",),
    ),
    "no input": (3, anonymize(source="nobody.csv"), ("nobody.csv",)),
    "a folder as input": (3, anonymize(source="."), ("folder",)),
    "no output": (2, ("anonymize", "people.csv", "-q", "age"), ("-o",)),
    "output in no folder": (
        3,
        ("anonymize", "people.csv", "-o", "no/where/out.csv", "-q", "age"),
        ("no folder",),
    ),
    "output is the input": (
        2,
        ("anonymize", "people.csv", "-o", "people.csv", "-q", "age", "--force"),
        ("is the input",),
    ),
    "output is a folder": (
        3,
        ("anonymize", "people.csv", "-o", ".", "-q", "age"),
        ("is a folder",),
    ),
    "output of a long name": (
        3,
        ("anonymize", "people.csv", "-o", "a" * 300, "-q", "age"),
        ("can't be written",),
    ),
    "a certificate on standard output": (2, anonymize("--certificate", "-"), ("goes to files",)),
    "verify: no hierarchies": (
        3,
        ("verify", "people.csv", "none.json", "--hierarchies", "nowhere"),
        ("nowhere",),
    ),
    "two outputs of one name": (2, anonymize("--certificate", "out.csv"), ("same name",)),
    "json and the release on one stream": (
        2,
        ("anonymize", "people.csv", "-o", "-", "-q", "age", "--json"),
        ("standard output",),
    ),
    "no recipe": (
        3,
        ("anonymize", "people.csv", "-o", "out.csv", "--recipe", "none.toml"),
        ("none.toml",),
    ),
    "unknown encoding": (2, anonymize("--encoding", "klingon"), ("klingon",)),
    "long delimiter": (2, anonymize("--delimiter", "ab"), ("delimiter",)),
    "audit: unknown column": (2, ("audit", "people.csv", "-q", "agee"), ("did you mean 'age'?",)),
    "audit: k of 0": (2, ("audit", "people.csv", "-q", "age", "--require", "k=0"), ("at least 1",)),
    "audit: k in words": (
        2,
        ("audit", "people.csv", "-q", "age", "--require", "k=five"),
        ("whole number",),
    ),
    "audit: no quasi-identifier": (2, ("audit", "people.csv"), ("-q",)),
    "audit: model without a column": (
        2,
        ("audit", "people.csv", "-q", "age", "--require", "l-diversity:l=2"),
        ("-s",),
    ),
    "inspect: no file": (3, ("inspect", "nobody.csv"), ("nobody.csv",)),
    "verify: no certificate": (3, ("verify", "people.csv", "none.json"), ("none.json",)),
    "verify: a table as certificate": (
        3,
        ("verify", "people.csv", "people.csv"),
        ("not a certificate",),
    ),
}


@pytest.mark.parametrize("case", CALLS)
def test_call(folder, case):
    code, args, words = CALLS[case]
    refused(folder, code, *args, words=words)


TABLES = {
    "empty": (b"", ("empty",)),
    "only blank lines": (b"\n\n  \n", ("empty",)),
    "header only": (b"age,sex\n", ("no rows",)),
    "ragged": (b"age,sex\n1,f\n2\n3,m,Zyxwvut\n", ("ragged", "rows: 2, 3")),
    "latin-1": (
        "age,sex\n1,Zyxwvutü\n".encode("latin-1"),
        ("UTF-8", "line: 2", "--encoding latin-1"),
    ),
    "names used twice": (b"age,age,sex\n1,2,f\n", ("columns: 1, 2", "more than once")),
    "a name that is missing": (b"age,,sex\n1,2,f\n", ("without a name", "columns: 2")),
    "numbers beside words": (
        b"age,sex\n1,f\n2,f\nZyxwvut,m\n",
        ("'age' mixes numbers and text", "first rows with others: 3"),
    ),
    "infinite": (b"age,sex\n1,f\n2,f\ninf,m\n", ("'age' holds infinite numbers", "first rows: 3")),
    "an open quote": (b'age,sex\n1,f\n2,"Zyxwvut\n3,m\n', ("quote",)),
    "a spreadsheet": (b"PK\x03\x04 and more", ("spreadsheet",)),
    "broken parquet": (b"PAR1 Zyxwvut", ("broken Parquet",)),
    "broken gzip": (b"\x1f\x8b Zyxwvut", ("broken gzip",)),
}


@pytest.mark.parametrize("case", TABLES)
@pytest.mark.parametrize("way", ["file", "stdin"])
def test_table(folder, case, way):
    data, words = TABLES[case]
    (folder / "odd.csv").write_bytes(data)
    if way == "file":
        refused(folder, 3, *anonymize(source="odd.csv", k=1), words=words)
    else:
        refused(folder, 3, *anonymize(source="-", k=1), words=words, stdin=data)


@pytest.mark.parametrize("command", ["audit", "inspect"])
@pytest.mark.parametrize(
    "case", ["empty", "header only", "ragged", "latin-1", "names used twice", "broken parquet"]
)
def test_other_commands_refuse_tables_too(folder, command, case):
    (folder / "odd.csv").write_bytes(TABLES[case][0])
    refused(
        folder,
        3,
        command,
        "odd.csv",
        *(("-q", "age") if command == "audit" else ()),
        words=TABLES[case][1],
    )


def test_missing_values_where_they_are_refused(folder):
    write(folder / "gaps.csv", "age,sex\n1,f\n,f\n3,\n,m\n")
    text = refused(folder, 3, *anonymize("--missing", "refuse", source="gaps.csv", k=1))
    assert "missing in 'age': 2" in text and "missing in 'sex': 1" in text
    assert shoal(*anonymize(source="gaps.csv", k=1)).code == 0


@pytest.mark.parametrize(
    "place", ["out.csv", "out.csv.certificate.json", "out.csv.private.json", "saved.toml"]
)
def test_what_exists_is_not_replaced_without_force(folder, place):
    write(folder / place, "precious")
    refused(
        folder, 2, *anonymize("--save-recipe", "saved.toml"), words=(place, "exists", "--force")
    )
    assert shoal(*anonymize("--save-recipe", "saved.toml", "--force")).code == 0
    assert (folder / place).read_text() != "precious"


def test_a_refusal_with_force_leaves_the_old_files(folder):
    assert shoal(*anonymize("--save-recipe", "saved.toml")).code == 0
    refused(folder, 4, *anonymize("--force", "--save-recipe", "saved.toml", k=41))
    refused(folder, 3, *anonymize("--force", "--hierarchy", "age=none.csv"))


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a folder that nobody can write to")
def test_a_folder_that_nobody_can_write_to(folder):
    refused(
        folder,
        3,
        "anonymize",
        "people.csv",
        "-o",
        "/proc/out.csv",
        "-q",
        "age",
        words=("can't be written",),
    )


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(folder):
    (folder / "shut").mkdir(mode=0o500)
    refused(
        folder,
        3,
        "anonymize",
        "people.csv",
        "-o",
        "shut/out.csv",
        "-q",
        "age",
        words=("can't be written",),
    )


MANY = """
bogus = 1
[roles]
quasi = ["age", "sex", "age"]
sensitive = ["disease", "sex"]
[protection]
k = 0
kk = 3
models = ["l-diversty:l=2", "l-diversity"]
withhold = 2
[grouping]
method = "kmember"
importance = { age = -1 }
[publishing]
publish = "snap"
[hierarchies]
zip = "flat"
age = { kind = "masks", lenght = 5 }
"""


def test_all_errors_of_a_recipe_are_shown_at_once(folder):
    write(folder / "recipe.toml", MANY)
    text = refused(folder, 2, "anonymize", "people.csv", "-o", "out.csv", "--recipe", "recipe.toml")
    expected = [
        "'bogus'",
        "'kk'",
        "k is not right",
        "withhold is not right",
        "importance is not right",
        "named twice",
    ]
    expected += [
        "two roles",
        "'kmember'",
        "'l-diversty'",
        "needs l",
        "'snap'",
        "'zip' has a hierarchy",
        "'lenght'",
    ]
    assert [word for word in expected if word not in text] == []


@pytest.mark.parametrize(
    "text",
    ["[[", "roles = 5", "[roles]\nquasi = 5", "hierarchies = 1", "[hierarchies]\nage = 7", "\x00"],
)
def test_a_broken_recipe(folder, text):
    write(folder / "recipe.toml", text)
    refused(folder, 2, *anonymize("--recipe", "recipe.toml"))


def test_nothing_of_a_refusal_is_alive_when_python_shuts_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that still reads ahead in another thread would end the process with a signal."""

    class Reader:
        pass

    alive: list[weakref.ref[Reader]] = []

    def read(*_: object, **__: object) -> None:
        reader = Reader()
        alive.append(weakref.ref(reader))
        raise DataError("the disk is full")

    monkeypatch.setattr("shoal.api.inspect", read)
    write(tmp_path / "people.csv", "age\n1\n2\n")
    with pytest.raises(SystemExit) as ended:
        main(["inspect", str(tmp_path / "people.csv")])
    assert ended.value.code == 3 and alive and alive[0]() is None
