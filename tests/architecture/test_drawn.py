"""What a test draws from the operating system repeats, whoever asks for it first."""

from __future__ import annotations

import os
import secrets
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import drawn
from shoal.distortions.chance import Chance


def draws() -> list[object]:
    """Draw from every source that noise comes from."""
    noise = Chance.secret().uniform(3).tolist()
    return [os.urandom(9), secrets.randbits(128), noise, np.random.default_rng().random()]


def test_a_name_gives_the_same_draws_and_no_two_are_equal() -> None:
    with drawn.repeated("a name"):
        first = draws()
        second = draws()
    with drawn.repeated("a name"):
        again = draws()
    with drawn.repeated("another name"):
        other = draws()
    assert again == first
    assert all(one != two for one, two in zip(first, second, strict=True))
    assert all(one != two for one, two in zip(first, other, strict=True))


def test_a_search_draws_as_users_do(monkeypatch: pytest.MonkeyPatch) -> None:
    outside = os.urandom
    searching = SimpleNamespace(get_current_profile_name=lambda: "search")
    monkeypatch.setattr(drawn, "settings", searching)
    with drawn.repeated("a name"):
        assert os.urandom is outside


def shared(name: str, scope: str = "module") -> Any:
    """What pytest knows of a fixture when it sets it up."""
    request = SimpleNamespace(node=SimpleNamespace(nodeid="test_some.py"), param_index=0)
    return SimpleNamespace(argname=name, scope=scope), request


def test_a_shared_fixture_draws_alike_whichever_test_asks_first() -> None:
    made = []
    for test in ("one", "other"):
        with drawn.repeated(test), drawn.for_fixture(*shared("release")):
            made.append(draws())
    assert made[0] == made[1]
    with drawn.repeated("one"), drawn.for_fixture(*shared("other")):
        assert draws()[0] != made[0][0]
    with drawn.repeated("one"):
        mine = os.urandom(9)
    with drawn.repeated("one"), drawn.for_fixture(*shared("release", "function")):
        assert os.urandom(9) == mine
