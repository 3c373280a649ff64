"""The step of protection in a real browser: k, models and the curve, by hand and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from shoal import registry
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import Model
from shoal.recipe import Recipe
from shoal.studio.pages.protection import in_words, left_out
from shoal.studio.pages.protection_models import RECOMMENDED, refusal, starts
from studio.conftest import Studio, choose, started

EVIL = '"><img src=x onerror=alert(1)>'


def people(folder: Path, rows: int = 400) -> Path:
    cities = ("Oslo", "Rome", "Bergen")
    illnesses = ("flu", "cold", "gout")
    lines = [
        f"{20 + i * 7919 % 60},{cities[i * 31 % 3]},{illnesses[i * 13 % 3]}" for i in range(rows)
    ]
    path = folder / "people.csv"
    quoted = EVIL.replace('"', '""')
    path.write_text(f'age,"{quoted}",diagnosis\n' + "\n".join(lines))
    return path


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio with a small table on every desk."""
    folder = tmp_path_factory.mktemp("protection")
    running = started(folder / "studio", str(people(folder)))
    yield running
    running.stop()


@pytest.fixture
def protection(page: Any) -> Any:
    """The step, with roles taken as suggested."""
    page.get_by_role("link", name="Roles").click()
    page.locator("[data-testid=take-all]:not([disabled])").click()
    page.get_by_role("link", name="Protection").click()
    page.get_by_test_id("k").wait_for()
    return page


def words(page: Any, text: str) -> None:
    page.get_by_test_id("k-words").get_by_text(text).wait_for()


def finished(page: Any) -> None:
    page.wait_for_function(
        "document.querySelector('[data-testid=curve-state]')?.textContent === ''"
    )


def test_k_is_chosen_by_field_keys_preset_and_curve(protection: Any) -> None:
    words(
        protection,
        "At least 5 people look alike in every published row; the chance to pick the right one "
        "is at most 1 in 5.",
    )
    protection.get_by_test_id("k").fill("8")
    words(protection, "at most 1 in 8")
    protection.locator(".dial .q-slider [tabindex]").first.focus()
    protection.keyboard.press("ArrowRight")
    words(protection, "at most 1 in 9")
    choose(protection, protection.get_by_test_id("preset"), "ema (k = 11)")
    words(protection, "at most 1 in 11")
    protection.get_by_text("EMA/90915/2016").wait_for()
    finished(protection)
    protection.get_by_test_id("curve-table").get_by_text("The same as a table").click()
    protection.get_by_role("button", name="choose k = 20").click()
    words(protection, "at most 1 in 20")
    protection.get_by_text("EMA/90915/2016").wait_for()  # 20 keeps what it promises
    protection.get_by_role("button", name="choose k = 3", exact=True).click()
    words(protection, "at most 1 in 3")
    protection.get_by_text("EMA/90915/2016").wait_for(state="detached")
    protection.get_by_role("button", name="Undo").click()
    words(protection, "at most 1 in 20")


def test_the_field_of_k_goes_back_to_what_holds(protection: Any, studio: Studio) -> None:
    k = protection.get_by_test_id("k")
    for typed, holds in (("7.5", 7), ("", 7), ("0", 1), ("1e99", 400), ("8", 8)):
        k.fill(typed)
        words(protection, "k is 1" if holds == 1 else f"At least {holds} people")
        k.blur()
        protection.wait_for_function(
            "at => document.querySelector('[data-testid=k]').value === at", arg=str(holds)
        )
    assert "TypeError" not in studio.said()
    protection.get_by_test_id("withhold").fill("2")  # percent, as everywhere
    protection.get_by_text("At most 8 of 400 rows may be left out").wait_for()


def test_models_come_with_sentence_example_and_parameters(protection: Any) -> None:
    protection.get_by_test_id("more-promises").get_by_text("More promises").click()
    for name, model in registry.names(Model).items():
        if model is not KAnonymity:
            words = RECOMMENDED.get(name) or registry.summary(model)
            assert protection.get_by_test_id(f"model-{name}").count() == 1
            assert protection.get_by_text(words, exact=True).count() == 1
    protection.get_by_text("method 'shoal' can't serve model 'lkc'").wait_for()
    protection.get_by_test_id("model-l-diversity").click()
    card = protection.locator(".model", has=protection.get_by_test_id("model-l-diversity"))
    field = card.locator("input[type=number]")
    assert field.input_value() == "3"
    field.fill("0")
    card.get_by_text("l of 'l-diversity' must be at least 1, not 0").wait_for()
    field.fill("2")
    finished(protection)
    protection.get_by_role("link", name="Run", exact=True).click()
    protection.get_by_test_id("asked").get_by_text("k = 5; l-diversity (l = 2)").wait_for()


def test_a_promise_is_asked_for_with_a_reason_and_where_nothing_is_promised(
    protection: Any,
) -> None:
    shared = re.compile(r"diagnosis: [1-9]\d* of \d+ groups share one value, so it is learnt")
    why = protection.get_by_test_id("why-promise").filter(has_text=shared)
    why.wait_for()
    protection.get_by_role("link", name="Run", exact=True).click()
    protection.get_by_test_id("run").click()
    protection.get_by_role("link", name="Hand it over").click()
    told = protection.get_by_test_id("to-know")
    told.get_by_text("Nothing is promised about diagnosis").wait_for()
    told.get_by_role("link", name="Ask for a promise about it").click()
    promise = protection.get_by_test_id("model-l-diversity")
    promise.wait_for()
    protection.wait_for_function(
        "seen => seen.getBoundingClientRect().bottom < innerHeight", arg=promise.element_handle()
    )
    why.wait_for()
    promise.click()
    shown = protection.locator(".model", has=promise)
    shown.get_by_text("Several different values in every group").wait_for()
    shown.locator("input[type=number]").wait_for()
    protection.get_by_role("link", name="Run", exact=True).click()
    protection.get_by_test_id("asked").get_by_text("l-diversity (l = 3)").wait_for()


def test_a_method_that_can_not_do_it_is_refused_in_words(protection: Any) -> None:
    protection.get_by_test_id("more").get_by_text("More: method").click()
    protection.get_by_test_id("method-parameters").fill("balance=much")
    refusal = protection.get_by_text("balance of 'shoal' must be a number, not 'much'")
    refusal.wait_for()
    # something else that is asked leaves what is being typed alone
    protection.get_by_test_id("k").fill("6")
    words(protection, "at most 1 in 6")
    refusal.wait_for()
    assert protection.get_by_test_id("method-parameters").input_value() == "balance=much"
    protection.get_by_test_id("method-parameters").fill("balance=0.5")
    refusal.wait_for(state="hidden")
    choose(protection, protection.get_by_test_id("method"), "top-down")
    protection.get_by_text("One scheme for all rows").wait_for()
    protection.get_by_test_id("more-promises").get_by_text("More promises").click()
    protection.locator("[data-testid=model-lkc]:not([aria-disabled=true])").wait_for()


def test_columns_are_coded_by_what_is_typed(protection: Any) -> None:
    protection.get_by_test_id("more").get_by_text("More: method").click()
    protection.get_by_test_id("top").fill("age")
    refusal = protection.get_by_text("write top as COLUMN=VALUE")
    refusal.wait_for()
    protection.get_by_test_id("top").fill("age=70")
    refusal.wait_for(state="hidden")
    protection.get_by_test_id("bottom").fill("age=80")
    protection.get_by_text("the top of 'age' must lie above its bottom").first.wait_for()
    protection.get_by_test_id("bottom").fill("")
    protection.get_by_text("the top of 'age' must lie above its bottom").first.wait_for(
        state="hidden"
    )


def test_what_matters_is_moved_and_the_cells_follow(protection: Any) -> None:
    ten = protection.get_by_test_id("ten")
    ten.locator("td").first.wait_for()
    before = ten.inner_text()
    protection.get_by_test_id("weight-age").locator("[tabindex]").first.focus()
    for said in ("1.41 times as much", "2 times as much"):
        protection.keyboard.press("ArrowRight")
        protection.get_by_test_id("matters").get_by_text(said, exact=True).wait_for()
    protection.get_by_label("age: never finer than").fill("20")
    protection.get_by_test_id("matters").get_by_text("ranges of 20").wait_for()
    assert ten.inner_text() != before
    protection.get_by_role("link", name="Run", exact=True).click()
    protection.get_by_test_id("asked").get_by_text("age 2 times as much").wait_for()


def test_it_all_fits_a_narrow_screen_and_the_curve_goes_on_elsewhere(protection: Any) -> None:
    protection.set_viewport_size({"width": 768, "height": 1024})
    assert protection.evaluate("document.documentElement.scrollWidth") <= 768
    # Whichever is there by now: the button while the curve is drawn, or the finished curve.
    protection.locator(
        "[data-testid=curve-stop]:visible, .nicegui-echart svg:visible"
    ).first.wait_for()
    protection.get_by_role("link", name="Hierarchies").click()
    protection.get_by_test_id("build-all").wait_for()
    protection.get_by_role("link", name="Protection").click()
    finished(protection)


def test_words() -> None:
    assert in_words(5, 4) == "The table has 4 rows: no 5 of them can look alike."
    assert "only one of its kind" in in_words(1, 4)
    assert left_out(0.0, 100) == "Every row is published."
    assert "2 of 100 rows" in left_out(0.02, 100)


def test_every_model_can_be_asked_for_or_says_why_not() -> None:
    recipe = Recipe.of(quasi=["age"], sensitive=["ill"], method="top-down")
    for model in registry.names(Model).values():
        reason = refusal(recipe, model)
        by_any_method = model.judges != "population" and not model.balances
        assert (reason is None) == by_any_method
        assert set(starts(model)) == {field.name for field in fields(model)}
    assert "needs a sensitive column" in str(
        refusal(Recipe.of(quasi=["age"]), registry.names(Model)["l-diversity"])
    )
    assert "makes no groups" in str(
        refusal(Recipe.of(quasi=["a"], method="nsvdist"), registry.names(Model)["l-diversity"])
    )
