"""Coding refusals: say why the coding of a column is refused, and what helps."""

from __future__ import annotations

from shoal.errors import RecipeError
from shoal.wording import Remedy, Sentence, Set

TAKES = {
    "top": "a number, a date (2000-01-31), or a percentile between p50 and p100",
    "bottom": "a number, a date (2000-01-31), or a percentile between p0 and p50",
    "round": "a number above 0",
}

HELD = {
    "date": ("a percentile needs numbers", "a date (2000-01-31)"),
    "time": ("it holds dates with a time of day", "numbers or dates"),
    "clock": ("it holds times of day", "numbers or dates"),
}
EXAMPLES = {"top": 90, "bottom": 5, "round": 100}


def unfit(name: str, why: str, instead: str) -> RecipeError:
    """Refuse a coding that does not fit its column, and say what to give instead."""
    return RecipeError(f"column '{name}' can't be coded so", {"why": why}, f"give {instead}")


def misfit(name: str, why: str, remedy: str) -> RecipeError:
    """Refuse bands that do not fit the other coding of a column."""
    return RecipeError(f"what is asked for '{name}' does not fit together", {"why": why}, remedy)


def without_numbers(name: str, kind: str) -> RecipeError:
    """Refuse a column of texts, which may become numbers, or of times; or a percentile of dates."""
    if kind != "category":
        return unfit(name, *HELD[kind])
    said = Set("read_as", {name: "number"}, "say what it is")
    words = Set("na", ["unknown"], "name words that mean a missing value")
    why = {"why": "it holds neither numbers nor dates"}
    return RecipeError(f"column '{name}' can't be coded so", why, Remedy(said, words))


def odd(option: str, name: str) -> RecipeError:
    """Refuse an end or a step that is none, with an example."""
    problem = f"the {option} of '{name}' is not right"
    example = Set(option, {name: EXAMPLES[option]})
    return RecipeError(problem, remedy=Sentence(f"{TAKES[option]}: ", example))
