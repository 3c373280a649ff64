"""Every refusal: the problem, the facts as `name: value`, and a remedy that can be typed.

Notices about what was done come to programs as warnings of one category, `ShoalWarning`.

No message ever holds the value of a cell: logs travel further than releases. Columns, counts,
row numbers (the first five) and labels from a hierarchy file (configuration) may be named.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches

from shoal.wording import PYTHON, Door, Sentence, said


class ShoalError(Exception):
    """Base of every refusal; `exit_code` is what the terminal returns.

    The problem, facts and remedy may hold options as data (`shoal.wording`). `str(error)` spells
    them for Python; the terminal and the studio spell them for their own readers.
    """

    exit_code = 1
    errors: tuple[ShoalError, ...] = ()
    """Several refusals, where this error shows them together."""

    def __init__(
        self, problem: str, facts: Mapping[str, object] | None = None, remedy: str | None = None
    ) -> None:
        self.problem = problem if isinstance(problem, Sentence) else without_secrets(problem)
        self.facts = dict(facts or {})
        self.remedy = remedy
        super().__init__(self.said(PYTHON))

    def __str__(self) -> str:
        return self.said(PYTHON)

    def said(self, door: Door) -> str:
        """Spell the refusal as the readers at a door would type it: problem, facts and remedy.

        Several are spelled one below the other.
        """
        lines = [said(self.problem, door)]
        lines += [f"  {name}: {fact}" for name, fact in self.facts_said(door).items()]
        if self.remedy:
            lines.append(f"  try: {said(self.remedy, door)}")
        listed = [error.said(door).replace("\n", "\n  ") for error in self.errors]
        return "\n- ".join([without_secrets("\n".join(lines)), *listed])

    def facts_said(self, door: Door) -> dict[str, str]:
        """Spell the facts by name; whole numbers have separators."""
        return {name: _fact_said(fact, door) for name, fact in self.facts.items()}


class RecipeError(ShoalError):
    """The call or the recipe is wrong.

    There is an unknown column or method, a bad number, two roles, or an existing output.
    """

    exit_code = 2

    @classmethod
    def together(cls, errors: Sequence[ShoalError]) -> ShoalError:
        """One error that shows all the others, so that a recipe is mended in one go.

        Where all of them are about the data, so is the error.
        """
        errors = list({str(error): error for error in errors}.values())
        if len(errors) == 1:
            return errors[0]
        kind: type[ShoalError] = cls
        problem = f"{len(errors)} things in this recipe need another look"
        if all(isinstance(error, DataError) for error in errors):
            kind = DataError
            problem = f"{len(errors)} things in this table need another look"
        several = kind(problem)
        several.errors = tuple(errors)
        return several


class DataError(ShoalError):
    """The data can't be read, used or written.

    There is no such file, it is ragged, a hierarchy lacks a value, or the disk is full.
    """

    exit_code = 3


class PrivacyNotMet(ShoalError):
    """A privacy promise can't be kept, or a release does not match its certificate.

    Nothing is published.
    """

    exit_code = 4


class ShoalWarning(UserWarning):
    """A notice about a table or its release, for those who call Shoal from Python."""


_SHOWN_BY_DOOR = ContextVar("_SHOWN_BY_DOOR", default=False)


@contextmanager
def notices_shown_by_door() -> Iterator[None]:
    """Give no warnings inside the block: the terminal and the studio show notices themselves."""
    before = _SHOWN_BY_DOOR.set(True)
    try:
        yield
    finally:
        _SHOWN_BY_DOOR.reset(before)


def shown_by_door() -> bool:
    """Whether a door (the terminal, the studio) shows notices and progress itself."""
    return _SHOWN_BY_DOOR.get()


def warn_each(notices: Iterable[str]) -> None:
    """Give a warning for each notice, at the line that called the function which calls this."""
    if _SHOWN_BY_DOOR.get():
        return
    for notice in notices:
        warnings.warn(str(notice), ShoalWarning, stacklevel=3)


def _fact_said(fact: object, door: Door) -> str:
    if isinstance(fact, Sentence):
        return said(fact, door)
    return f"{fact:,}" if isinstance(fact, int) else str(fact)


def without_secrets(text: str) -> str:
    """Take names and passwords of databases out of a text, should an address have got into it.

    >>> without_secrets("there is no file 'postgresql://me:secret@host/ward'")
    "there is no file 'postgresql://...@host/ward'"
    """
    return re.sub(
        r"(?i)((?:passw\w*|pwd)=)[^&;\s]+", r"\1...", re.sub(r"(:/+|//).*@", r"\1...@", text)
    )


def closest(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that is spelled most alike; None where none is close."""
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    same = (candidate for candidate in known if candidate.lower() == name.lower())
    return close[0] if close else next(same, None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A remedy for an unknown name: the closest known one, or the whole list when none is close."""
    names = list(known)
    close = closest(name, names)
    if close is not None:
        return f"did you mean '{close}'?"
    if not names:
        return "there are none"
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return f"one of: {shown}"


def row_numbers(rows: Iterable[int]) -> str:
    """The first five row numbers, counted from 1 as people do."""
    numbers = [int(row) + 1 for row in rows]
    return ", ".join(f"{n:,}" for n in numbers[:5]) + (" ..." if len(numbers) > 5 else "")
