"""What a test draws from the operating system is the same in every run.

Noise that protects people is drawn from the operating system, so that nobody can repeat it. A test
of such a release would then pass or fail by chance: a gate that is right refuses some draws. So a
test gets a stream of its own in place of the system's bytes, made from the test's name, and a
fixture that several tests share one made from its own, whoever asks for it first. A search
(`--hypothesis-profile=search`) draws as users do, and so does every process that a test starts.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy.random as chance
import pytest
from hypothesis import settings

assert chance  # NumPy loads it late, and it draws bytes then: not in the midst of a test


def stream(name: str) -> Callable[[int], bytes]:
    """Make bytes from a name, in place of `os.urandom`; no two calls get the same ones."""
    drawn = itertools.count()

    def draw(length: int) -> bytes:
        return hashlib.shake_256(f"{name} {next(drawn)}".encode()).digest(length)

    return draw


@contextmanager
def repeated(name: str) -> Iterator[None]:
    """Replace the system's random bytes, from which `secrets` and NumPy draw too, by a stream."""
    if settings.get_current_profile_name() == "search":
        yield
        return
    draw = stream(name)
    with patch.object(os, "urandom", draw), patch.object(random, "_urandom", draw):
        yield


@contextmanager
def for_fixture(
    fixture: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Iterator[None]:
    """Give a fixture that outlives a test a stream of its own; others draw from their test's."""
    if fixture.scope == "function":
        yield
        return
    with repeated(f"{request.node.nodeid} {fixture.argname} {request.param_index}"):
        yield
