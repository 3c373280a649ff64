"""Remembering: what Numba finds out about types again and again is found out once.

For every `+`, `<` or `x[i]` of a kernel, Numba tries some dozen candidates, and writes an error
message for each that does not fit. To learn how many bytes a type takes, it writes
a program and lets LLVM read it. Kernels use the same few types thousands of times.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from numba import types
from numba.core.targetconfig import ConfigStack


class ChosenSignature(NamedTuple):
    """A signature that Numba chose for a function, types and options."""

    function: Any  # held, so that no other function gets its number
    signature: Any
    code: Any


class SignatureMemory:
    """Answers of Numba, by function, types of arguments and options of the compiler."""

    def __init__(self) -> None:
        self._answers: dict[Any, ChosenSignature] = {}
        self._options: Any = None
        self._spelled = ""

    def get_call_type(self, function: Any, context: Any, args: Any, kws: Any) -> Any:
        """Name the signature that serves some types: as Numba found it before, or finds it."""
        if not all(kind.is_precise() for kind in args):  # it may be another one later
            return _find(function, context, args, kws)
        key = (id(function), id(context), tuple(args), tuple(dict(kws).items()), self._spell())
        answer = self._answers.get(key)
        if answer is None:
            signature = _find(function, context, args, kws)
            code = function._impl_keys[signature.args]
            self._answers[key] = ChosenSignature(function, signature, code)
            return signature
        function._impl_keys[answer.signature.args] = answer.code
        return answer.signature

    def _spell(self) -> str:
        """Spell out the compiler's options of the function that is being compiled."""
        options = ConfigStack.top_or_none()
        if options is not self._options:
            self._options = options
            self._spelled = "" if options is None else repr(options.values())
        return self._spelled


class TypeSizes:
    """Sizes of types in bytes, by their spelling."""

    def __init__(self, context: Any) -> None:
        self._measure = context.get_abi_sizeof
        self._known: dict[str, int] = {}

    def get_abi_sizeof(self, kind: Any) -> int:
        """Tell how many bytes a type takes."""
        spelled = str(kind)
        if spelled not in self._known:
            self._known[spelled] = self._measure(kind)
        return self._known[spelled]


_find = types.BaseFunction.get_call_type
_memory = SignatureMemory()


def _remembered(function: Any, context: Any, args: Any, kws: Any) -> Any:
    return _memory.get_call_type(function, context, args, kws)


@contextmanager
def answers_remembered(context: Any) -> Iterator[None]:
    """Let Numba remember its answers; whoever is here holds the compiler's lock."""
    if "get_call_type" in vars(types.Function):  # a kernel inside a kernel
        yield
        return
    types.Function.get_call_type = _remembered
    context.get_abi_sizeof = TypeSizes(context).get_abi_sizeof
    try:
        yield
    finally:
        del types.Function.get_call_type
        del context.get_abi_sizeof
