"""One line says what became of a certificate."""

from __future__ import annotations

import pytest

from shoal.cli.spelling import typed
from shoal.review.verdict import Item, Verification, verdict
from shoal.wording import FILE, FOLDER, Option, Sentence, Set

HELD = tuple(Item(f"figure {i}", "recounted", i, i) for i in range(31))
WITHOUT = Sentence("not checkable without ", Set("original", FILE, "the original"))
NEEDED = tuple(Item(f"value {i}", "not checkable", i, note=WITHOUT) for i in range(4))
TREES = Item("loss", "not checkable", 1, note=Sentence("without ", Set("hierarchies", FOLDER)))
EVERYONE = Item("risk", "not checkable", 1, note=Sentence("without ", Option("population")))
NEVER = Item("hash", "not checkable", None, note="it has none")
SMALLER = Item("k", "differs", 5, 4)
OTHERS = Item("hash of the rows", "differs", "a" * 64, "b" * 64)
STRANGE = Item("epsilon", "differs", 0.1, note="nobody measures it")


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (HELD, "verified: all 31 statements hold. UNSIGNED."),
        (
            (*HELD, *NEEDED),
            "verified: all 31 statements hold. 4 more need the original (--original FILE). "
            "UNSIGNED.",
        ),
        (
            (*HELD, TREES, EVERYONE, NEVER, Item("recipe", "stated", {})),
            "verified: all 31 statements hold. 1 more needs the hierarchies (--hierarchies DIR). "
            "1 more needs the population (--population FILE). 1 can't be checked. Stated only: 1. "
            "UNSIGNED.",
        ),
        (
            (*HELD[2:], SMALLER, OTHERS),
            "NOT verified: 2 of 31 statements differ: k is 4 (stated: 5); rows are not those of "
            "the certificate. UNSIGNED.",
        ),
        (
            (SMALLER, OTHERS, STRANGE, SMALLER),
            "NOT verified: 4 of 4 statements differ: k is 4 (stated: 5); rows are not those of "
            "the certificate; epsilon: nobody measures it; and more. UNSIGNED.",
        ),
    ],
)
def test_the_line_counts_what_held_and_what_is_lacking(items: tuple[Item, ...], said: str) -> None:
    assert typed(verdict(Verification(items))) == said


def test_the_line_says_who_signed() -> None:
    signed = Verification(HELD, signed_by="0123456789abcdef" * 4)
    assert typed(verdict(signed)).endswith("hold. Signed by key 0123456789abcdef.")
    unchecked = Verification(HELD, signature_unchecked=True)
    assert typed(verdict(unchecked)).endswith("it is checked with --key FILE.pub.")
    assert "UNSIGNED" in typed(verdict(unchecked))
