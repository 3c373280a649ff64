"""What people stumbled over: settings that are kept, everybody, many columns, attacks and reports
in words that they know.
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal import registry
from shoal.adapters import files
from shoal.api import anonymize
from shoal.api.reporting import internal_report
from shoal.attacks.attack import GIVE, Attack
from shoal.errors import DataError, ShoalError
from shoal.handover.figures import told
from shoal.recipe import Recipe
from shoal.studio.desk import Desk
from shoal.studio.jobs import Job
from shoal.studio.pages.result_attacks import conceded, within
from shoal.studio.settings import LARGEST, kept, taken
from shoal.studio.words import untyped
from shoal.studio.work import everyone
from shoal.wording import Sentence

COLUMNS = ["age", "sex", "ill"]


def everybody(rows: int = 1_500) -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "age": rng.integers(20, 70, rows),
            "sex": rng.choice(["F", "M"], rows),
            "ill": rng.choice(["flu", "cold", "gout"], rows),
        }
    )


def step(page: Any, name: str) -> None:
    page.locator("nav a.step", has_text=name).click()
    page.locator("main .title", has_text=name).wait_for()


def laid(page: Any, path: Path) -> None:
    page.set_input_files("input[type=file]", path)
    page.get_by_test_id("size").wait_for()


# settings as a file


def settings(tmp_path: Path, **asked: Any) -> bytes:
    tree = tmp_path / "sex.csv"
    tree.write_text("F;*\nM;*\n")
    usual = {
        "quasi": ["age", "sex"],
        "sensitive": ["ill"],
        "k": 7,
        "hierarchies": {"sex": str(tree)},
    }
    return kept(Recipe.of(**usual | asked))


def test_kept_settings_are_taken_up_with_their_files(tmp_path: Path) -> None:
    content = settings(tmp_path, seed=3, models=["l-diversity(l=2)"])
    folder = tmp_path / "new"
    folder.mkdir()
    (tmp_path / "sex.csv").unlink()
    found = taken(content, folder, COLUMNS)
    assert (found.quasi, found.k, found.models, found.seed) == (
        ("age", "sex"),
        7,
        ("l-diversity(l=2)",),
        None,
    )
    assert Path(str(found.hierarchies["sex"])).read_text() == "F;*\nM;*\n"
    assert Path(str(found.hierarchies["sex"])).is_relative_to(folder)
    found.check()


def archive(packed: int = zipfile.ZIP_DEFLATED, **entries: str) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", packed) as made:
        for name, text in entries.items():
            made.writestr(name, text)
    return whole.getvalue()


@pytest.mark.parametrize(
    ("content", "refused"),
    [
        (b'[roles]\nquasi = ["age"]\n[hierarchies]\nage = "SECRET"\n', "did not come along"),
        (b'[roles]\nquasi = ["age"]\n[hierarchies]\nage = "../secret.csv"\n', "did not come along"),
        (
            b'[roles]\nquasi = ["age"]\n[hierarchies]\nage = "hierarchies/age.csv"\n',
            "did not come along",
        ),
        (b'[roles]\nquasi = ["age", "shoe"]\n', "another table"),
        (b"nonsense", "is not TOML"),
        (b"PK nonsense", "can't be read"),
        (archive(**{"other.toml": ""}), "holds no recipe.toml"),
        (archive(**{"recipe.toml": "#" * (LARGEST + 1)}), "more than"),
        (
            archive(
                **{"recipe.toml": "", "hierarchies/a.csv": " " * LARGEST, "hierarchies/b.csv": " "}
            ),
            "more than",
        ),
        (archive(zipfile.ZIP_BZIP2, **{"recipe.toml": ""}), "can't be read"),
        (archive(zipfile.ZIP_LZMA, **{"recipe.toml": ""}), "can't be read"),
        (
            re.sub(
                rb"(?s)(?<=recipe.toml)..",
                b"\xff\xff",
                archive(**{"recipe.toml": "#" * 99}),
                count=1,
            ),
            "can't be read",
        ),
        (b"[hierarchies]\nage = " + b"[" * 5_000 + b"]" * 5_000, "nested too deep"),
        (b"[hierarchies]\nage." + b"a." * 3_000 + b"b = 1", "nested too deep"),
        (b'[hierarchies]\nage = "' + b"a" * 5_000 + b'"', "can't be read"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",  # archives tell the time
)
def test_settings_from_elsewhere_reach_for_nothing(
    tmp_path: Path, content: bytes, refused: str
) -> None:
    secret = tmp_path / "secret.csv"
    folder = tmp_path / "new"
    secret.write_text("1;*\n")
    folder.mkdir()
    with pytest.raises(ShoalError, match=refused) as refusal:
        taken(content.replace(b"SECRET", str(secret).encode()), folder, COLUMNS)
    assert str(tmp_path) not in str(refusal.value)


def test_an_archive_lays_its_files_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    entries = {
        "recipe.toml": '[roles]\nquasi = ["age"]\n',
        "../out.csv": "x",
        "hierarchies/../../up.csv": "x",
        "/abs.csv": "x",
    }
    taken(archive(**entries), folder, COLUMNS)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["recipe.toml"]


# everybody


class Begun:
    """Stands for the shop: jobs are over when a test says so."""

    def __init__(self) -> None:
        self.all: list[tuple[Job, Any]] = []

    def start(self, do: str, *, then: Any = None, **asked: Any) -> Job:
        self.all.append((Job(do, asked), then))
        return self.all[-1][0]


def counted_in(desk: Desk, name: str, state: str = "done") -> Path:
    """Where a table of everybody lies once its job is over."""
    place = desk.new_place()
    files.write_table(everybody(), place, like="x.csv")
    job = desk.read_everyone(name, place)
    assert not place.exists() and Path(job.asked["place"]).is_file()
    job.state = state  # type: ignore[assignment]
    desk.shop.all[-1][1](job)  # type: ignore[attr-defined]
    return Path(job.asked["place"])


def test_a_table_of_everybody_is_named_once_it_was_read(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk", Begun())  # type: ignore[arg-type]
    assert counted_in(desk, "../every<b>one.csv").name == "every_b_one.csv"
    assert not counted_in(desk, "broken.csv", "refused").exists()
    assert (
        isinstance(desk.recipe.population, str)
        and Path(desk.recipe.population).name == "every_b_one.csv"
    )
    desk.undo()
    assert desk.recipe.population is None


def test_a_table_of_everybody_goes_when_no_way_leads_back_to_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk", Begun())  # type: ignore[arg-type]
    first = counted_in(desk, "first.csv")
    desk.undo()
    assert first.is_file()
    desk.redo()
    assert desk.recipe.population == str(first)
    desk.sheet = SimpleNamespace(path=tmp_path, name="x.csv")  # type: ignore[assignment]
    run = desk.run()
    desk.sheet = None
    many = [counted_in(desk, f"{number}.csv") for number in range(6)]
    assert [place.parent.is_dir() for place in many] == [False, False, True, True, True, True]
    assert first.is_file()  # a run was counted in it
    desk.remove(run)
    desk.change(k=9)
    for number in range(4):
        desk.change(population=number + 1)
        many.append(counted_in(desk, "more.csv"))
    assert not first.parent.exists() and many[-1].is_file()


def test_a_file_has_a_name_that_every_disk_takes(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk", Begun())  # type: ignore[arg-type]
    assert counted_in(desk, "\U00020000" * 79 + ".csv").is_file()


def test_what_is_no_table_of_everybody_is_refused(tmp_path: Path) -> None:
    def tell(stage: str) -> None:
        return None

    files.write(everybody(), tmp_path / "all.csv")
    assert everyone.do(tell, str(tmp_path / "all.csv"), "all.csv") == {
        "people": 1_500,
        "columns": COLUMNS,
    }
    (tmp_path / "none.csv").write_text("age,sex\n")
    with pytest.raises(DataError, match=r"'mine\.csv' has a header but no rows"):
        everyone.do(tell, str(tmp_path / "none.csv"), "mine.csv")


# words


def test_nothing_is_to_be_typed_in_a_page() -> None:
    said = [one.stops_it for one in registry.names(Attack).values()]
    said += [Sentence(given) for given in GIVE.values()]
    assert not [
        sentence for sentence in map(untyped, said) if re.search(r"(^|[\s(])--?[a-z]", sentence)
    ]


def test_what_k_concedes_is_no_alarm() -> None:
    release = anonymize(
        everybody(200), quasi=["age", "sex"], sensitive=["ill"], k=5, method="mondrian"
    )
    stated = [one.as_dict() for one in release.certificate.private.attacks]
    assert {one["name"]: conceded(one, 5) for one in stated} == {
        "background-knowledge": 0.0,
        "homogeneity": 0.0,
        "record-linkage": 0.2,
    }
    assert all(
        one["attack"] <= conceded(one, 5) for one in stated if one["name"] == "record-linkage"
    )
    linked = next(one for one in stated if one["name"] == "record-linkage")
    assert "nobody is found with a chance above 1 in 5" in within(5, None, linked)


def test_what_k_concedes_is_not_said_of_rows_with_boxes_of_their_own() -> None:
    rng = np.random.default_rng(5)
    people = pa.table(
        {name: rng.integers(0, 1_000, 60) for name in ("age", "zip")}
        | {"ill": rng.choice(["flu", "cold"], 60)}
    )
    release = anonymize(
        people, quasi=["age", "zip"], sensitive=["ill"], k=5, method="nsvdist:match=k-k", seed=1
    )
    facts = told(release, people)
    said = [
        within(5, facts["link"], one) for one in facts["attacks"] if one["name"] == "record-linkage"
    ]
    assert facts["link"]["largest"] > 1 / 5
    assert said and all(
        "nobody" not in sentence and "the likeliest link" in sentence for sentence in said
    )


def test_columns_that_are_published_as_they_were_hang_together_as_they_did() -> None:
    """Of a long table some rows are drawn, and not the same of the release, which is sorted."""
    rng = np.random.default_rng(1)
    rows = 41_000
    one = rng.integers(0, 5, rows)
    two = rng.integers(0, 5, rows)
    two = np.where(rng.random(rows) < 0.3, one, two)
    people = pa.table(
        {"age": rng.integers(0, 9, rows), "one": one.astype(str), "two": two.astype(str)}
    )
    found = told(
        anonymize(people, quasi="age", sensitive=["one"], keep=["two"], k=5, method="mondrian"),
        people,
    )["dependence"]
    assert found["after"][1][2] == found["before"][1][2] is not None


# in a browser


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    files.write(everybody(), folder / "everyone.csv")
    files.write(everybody().slice(0, 300), folder / "sample.csv")
    files.write(
        pa.table({f"q{i}": [1, 2, 3] for i in range(90)} | {"wanted": [1, 2, 3]}),
        folder / "wide.csv",
    )
    return folder


def test_everybody_from_a_file_to_the_papers(page: Any, tables: Path) -> None:
    laid(page, tables / "sample.csv")
    step(page, "Roles")
    for place, role in enumerate(("Quasi", "Quasi", "Sensitive")):
        page.get_by_test_id("column").nth(place).get_by_role(
            "button", name=role, exact=True
        ).click()
    step(page, "Protection")
    page.get_by_test_id("everybody-now").filter(has_text="Nothing is known").wait_for()
    page.get_by_test_id("everybody").fill("many")
    page.get_by_test_id("everybody-problem").filter(has_text="no number").wait_for()
    page.get_by_test_id("k").fill("4")
    page.get_by_test_id("k-words").get_by_text("At least 4 people").wait_for()
    assert page.get_by_test_id("everybody").input_value() == "many"  # still being typed
    page.get_by_test_id("k").fill("5")
    page.get_by_test_id("k-words").get_by_text("At least 5 people").wait_for()
    page.get_by_test_id("everybody").fill("10 %")
    page.get_by_test_id("everybody-now").filter(has_text="10 % of all people").wait_for()
    page.get_by_test_id("everybody").fill("9000")
    page.get_by_test_id("everybody-now").filter(has_text="9,000 people in all").wait_for()
    page.locator("[data-testid=everybody-file] input").set_input_files(tables / "everyone.csv")
    page.get_by_test_id("everybody-now").filter(has_text="everyone.csv: 1,500 people.").wait_for()
    page.get_by_test_id("more").click()
    page.get_by_test_id("method").click()
    page.get_by_role("option", name="mondrian", exact=True).click()
    page.get_by_test_id("more-promises").get_by_text("More promises").click()
    page.locator("[data-testid=model-k-map]:not([aria-disabled=true])").click()
    step(page, "Run")
    page.get_by_test_id("asked").get_by_text("counted in everyone.csv").wait_for()
    page.get_by_test_id("run").click()
    page.get_by_test_id("run-state").filter(has_text="Done").wait_for()
    step(page, "Result")
    page.get_by_role("tab", name="Attacks").click()
    linked = page.get_by_test_id("attack").filter(has_text="record-linkage")
    linked.get_by_text("That is within what k = 5 promises").wait_for()
    assert linked.locator(".bad, .warn").count() == 0
    step(page, "Hand over")
    page.get_by_test_id("to-know").get_by_text("Nothing is promised about ill").wait_for()
    page.locator(".typed-verify").filter(has_text="--population everyone.csv").wait_for()


def test_many_columns_are_found_and_given_a_role_together(page: Any, tables: Path) -> None:
    laid(page, tables / "wide.csv")
    step(page, "Roles")
    page.get_by_test_id("find-column").fill("WANT")
    page.wait_for_function("document.querySelectorAll('[data-testid=column]').length === 1")
    page.get_by_test_id("find-column").fill("q8")
    page.wait_for_function("document.querySelectorAll('[data-testid=column]').length === 11")
    page.get_by_test_id("all-become").click()
    page.get_by_role("option", name="Sensitive", exact=True).click()
    pressed = "document.querySelectorAll('[data-testid=column] [aria-pressed=true]')"
    page.wait_for_function(f"[...{pressed}].every((one) => one.textContent === 'Sensitive')")
    step(page, "Run")
    asked = page.get_by_test_id("asked").get_by_text("sensitive: q8, q80, q81")
    asked.wait_for()
    page.get_by_role("button", name="Undo (Ctrl+Z)").click()  # one step
    asked.wait_for(state="detached")


def test_settings_are_kept_and_taken_up_and_steps_stay_in_sight(
    page: Any, studio: Any, tables: Path, tmp_path: Path
) -> None:
    before = set(studio.folder.rglob("*.csv"))
    laid(page, tables / "sample.csv")
    step(page, "Roles")
    page.get_by_test_id("column").nth(1).get_by_role("button", name="Quasi", exact=True).click()
    step(page, "Hierarchies")
    page.get_by_role("button", name="Flat").click()
    page.locator(".tree [role=treeitem]", has_text="F").first.wait_for()
    for _ in range(2):
        with page.expect_download():
            page.get_by_role("button", name="Export").click()
    assert len(set(studio.folder.rglob("*.csv")) - before) == 1  # one for a column, however often
    step(page, "Protection")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    assert page.locator("nav a.step.here").evaluate("one => one.getBoundingClientRect().top >= 0")
    assert page.locator("nav a.step.here").get_attribute("aria-current") == "page"
    step(page, "Run")
    with page.expect_download() as coming:
        page.get_by_test_id("keep-settings").click()
    assert coming.value.suggested_filename == "sample.settings.zip"
    coming.value.save_as(tmp_path / "kept.zip")
    page.get_by_role("button", name="Undo (Ctrl+Z)").click()
    page.get_by_test_id("asked").get_by_text("none: numbers become intervals").wait_for()
    page.locator("[data-testid=settings-file] input").set_input_files(tmp_path / "kept.zip")
    page.get_by_test_id("asked").get_by_text("none: numbers become intervals").wait_for(
        state="detached"
    )
    (tmp_path / "other.toml").write_text('[roles]\nquasi = ["shoe"]\n')
    page.locator("[data-testid=settings-file] input").set_input_files(tmp_path / "other.toml")
    page.get_by_text("this one lacks columns that they name").wait_for()


def test_one_column_is_printed_in_another_way_and_the_way_on_is_shown(
    page: Any, tables: Path
) -> None:
    laid(page, tables / "sample.csv")
    step(page, "Roles")
    for place in range(2):
        page.get_by_test_id("column").nth(place).get_by_role(
            "button", name="Quasi", exact=True
        ).click()
    step(page, "Protection")
    page.get_by_test_id("more").click()
    page.get_by_test_id("printed").get_by_role("combobox", name="age").click()
    page.get_by_role("option", name="tight", exact=True).click()
    page.get_by_test_id("time-limit").fill("30")
    page.get_by_test_id("time-limit").press("Tab")
    page.get_by_test_id("next").click()
    page.get_by_test_id("asked").get_by_text("each column in its way").wait_for()
    with page.expect_download() as coming:
        page.get_by_test_id("keep-settings").click()
    with zipfile.ZipFile(coming.value.path()) as kept_then:
        asked = kept_then.read("recipe.toml").decode()
    assert 'publish = { age = "tight", sex = "snapped" }' in asked and "time_limit = 30.0" in asked


def test_a_printed_report_has_nothing_to_scroll(browser: Any) -> None:
    release = anonymize(
        everybody(200), quasi=["age", "sex"], sensitive=["ill"], k=5, method="mondrian"
    )
    page = browser.new_page(viewport={"width": 700, "height": 900})
    try:
        page.set_content(internal_report(release, "r.html"))
        page.emulate_media(media="print")
        assert page.locator(".wide").count() > 3
        kinds = page.evaluate(
            "[...document.querySelectorAll('.wide, figure')].map((one) => "
            "getComputedStyle(one).overflowX)"
        )
        assert set(kinds) == {"visible"}
        assert page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
    finally:
        page.close()
