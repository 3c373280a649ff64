"""What Numba finds out about types is remembered while a kernel is compiled, and only then."""

from __future__ import annotations

import operator
from typing import Any

import pytest
from numba import types
from numba.core.compiler import Flags
from numba.core.registry import cpu_target
from numba.core.targetconfig import ConfigStack

from shoal.kernels.jit import remembering


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Lists what Numba itself was asked for."""
    asked: list[Any] = []
    numbas = remembering._find

    def find(function: Any, context: Any, args: Any, kws: Any) -> Any:
        asked.append(args)
        return numbas(function, context, args, kws)

    monkeypatch.setattr(remembering, "_find", find)
    monkeypatch.setattr(remembering, "_memory", remembering.SignatureMemory())
    return asked


def plus(*kinds: Any) -> Any:
    typing = cpu_target.typing_context
    typing.refresh()
    return typing.resolve_value_type(operator.add).get_call_type(typing, kinds, {})


def test_an_answer_is_found_once_for_the_same_types(found: list[Any]):
    plus(types.int64, types.int64)  # Numba may load candidates at a first question
    with remembering.answers_remembered(cpu_target.target_context):
        first = plus(types.int64, types.int64)
        assert plus(types.int64, types.int64) == first
        assert plus(types.float64, types.int64).return_type == types.float64
    assert found == [(types.int64, types.int64), (types.float64, types.int64)]
    assert plus(types.int64, types.int64) == first  # Numba's own answer, asked afterwards
    assert len(found) == 2


def test_other_options_of_the_compiler_are_another_question(found: list[Any]):
    inline = Flags()
    inline.forceinline = True
    with remembering.answers_remembered(cpu_target.target_context):
        for options in (Flags(), inline, Flags()):
            with ConfigStack().enter(options):
                plus(types.int64, types.int64)
    assert len(found) == 2


def test_types_that_are_not_known_yet_are_asked_again(found: list[Any]):
    unknown = types.List(types.undefined)
    with remembering.answers_remembered(cpu_target.target_context):
        for _ in range(2):
            plus(unknown, unknown)
    assert len(found) == 2


def test_nothing_of_numba_stays_changed():
    context = cpu_target.target_context
    with remembering.answers_remembered(context), remembering.answers_remembered(context):
        assert "get_abi_sizeof" in vars(context)
    assert "get_abi_sizeof" not in vars(context)
    assert "get_call_type" not in vars(types.Function)
