"""Units of compilation: a kernel that Python calls, together with all that it calls.

Numba compiles every function by itself: it optimizes it, writes machine code and two doors for
Python, and does all of that again inside each function that calls it. Only 23 of the 160 functions
of a first run are ever called from Python. So what a kernel calls is a *part*: translated once,
without machine code or doors, and the kernel is optimized once with all its parts.

Whole numbers are 64 bits wide on their way into a part, whether they come from an array of 32 bits
or stand in the source: else a part would be translated once for each combination of widths.

Units are compiled for a level of CPUs (x86-64-v4, or v3 from about 2015 on) where the machine has
all that the level asks for, so that code can be moved from machine to machine.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, partial
from importlib import import_module
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core import compiler, config
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target

from shoal.kernels.jit.algebra_later import algebra_later
from shoal.kernels.jit.folders import home, kernel_of
from shoal.kernels.jit.keeping import KernelCache
from shoal.kernels.jit.remembering import answers_remembered
from shoal.kernels.waiting import announce

V3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")
V4 = (*V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
LEVELS = {"x86-64-v4": V4, "x86-64-v3": V3}  # the highest first
SWITCH = "SHOAL_CPU"  # the environment may ask for a lower level
OPTIONS = {"nopython": True, "nogil": True, "boundscheck": None, "no_cfunc_wrapper": True}
PLAIN = {"loop_vectorize": False, "slp_vectorize": False}  # no vectors yet: more is put together


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function: a unit of its own for Python, a part for other kernels."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions=dict(OPTIONS))
        home(kernel_of(function))  # hashes the source while it is what was loaded
        _compile_as_unit(self)
        self._asked = False

    def __reduce__(self) -> Any:
        """Travel to another process, such as a worker of Spark, by name."""
        return _named, (self.py_func.__module__, self.py_func.__qualname__)

    @cached_property
    def part(self) -> Any:
        """Give this function without a door for Python, as other kernels call it."""
        return CPUDispatcher(self.py_func, targetoptions={**OPTIONS, "no_cpython_wrapper": True})

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Translate the part that a kernel calls, for numbers of 64 bits."""
        wide = {name: _wide(kind) for name, kind in kws.items()}
        return self.part.get_call_template(tuple(_wide(kind) for kind in args), wide)

    def get_overload(self, sig: Any) -> Any:
        """Name the part that a kernel calls."""
        return self.part.get_overload(sig)

    def compile(self, sig: Any) -> Any:
        """Load a unit from disk, or compile it and keep it there."""
        with global_compiler_lock, _our_codegen() as context, answers_remembered(context):
            if not self._asked:
                self._asked = True
                self._cache = KernelCache(self.py_func)
            try:
                return super().compile(sig)
            finally:
                self._cache.turn.end()


def _named(module: str, name: str) -> Any:
    """Find a kernel by its module and name."""
    return getattr(import_module(module), name)


def _compile_as_unit(kernel: Any) -> None:
    """Let Numba compile a kernel with all that it calls as one unit."""
    numbas = kernel._compiler
    numbas._compile_core = partial(_unit, numbas)


def _unit(numbas: Any, args: Any, return_type: Any) -> Any:
    """Compile a kernel, and let everything that is compiled on the way be a part of it."""
    announce()
    context = numbas.targetdescr.target_context
    codegen = context.codegen()
    flags = compiler.Flags()
    numbas.targetdescr.options.parse_as_flags(flags, numbas.targetoptions)
    unit = Unit(codegen, numbas.py_func.__qualname__)
    unit.enable_object_caching()
    with codegen.making_parts(), _no_rubbish_collected():
        result = compiler.compile_extra(
            numbas.targetdescr.typing_context,
            context,
            numbas.py_func,
            args=args,
            return_type=return_type,
            flags=flags,
            locals=numbas.locals,
            library=unit,
            pipeline_class=numbas.pipeline_class,
        )
    # A part has no machine code where its constants could be entered: its unit has.
    for environment in result._find_referenced_environments():
        codegen.set_env(environment.env_name, environment)
    return result


class Unit(JITCodeLibrary):  # type: ignore[misc]
    """Code of a kernel and all its parts, optimized together."""

    def _optimize_functions(self, module: Any) -> None:
        _simplify(self._codegen, module)

    def _optimize_final_module(self) -> None:
        """Optimize once without, then with vectors.

        Small parts look large while they count references to arrays. The first round takes that
        away, and so the second one can put them where they are called: without it, the bound on
        the loss took four times as long.
        """
        for each in ({**PLAIN, "opt": 2}, {}):
            passes, builder = self._codegen._module_pass_manager(**each)
            passes.run(self._final_module, builder)


class Part(JITCodeLibrary):  # type: ignore[misc]
    """Code of what a kernel calls: linked into it, never run by itself."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add code, but no door for C: nobody calls a part from outside."""
        if ir_module.name != "cfunc_wrapper":
            super().add_ir_module(ir_module)

    def _optimize_functions(self, module: Any) -> None:
        _simplify(self._codegen, module)

    def finalize(self) -> None:
        """Take in what this part calls, and leave the rest to the unit."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Say that there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> NoMachineCode:
        """Name the place to which Numba hands the constants of a function."""
        return NoMachineCode()


class NoMachineCode:
    """Takes constants that only machine code would need."""

    def set_env(self, name: str, environment: Any) -> None:
        """Forget them: the unit gets them."""


class OurCodegen(JITCPUCodegen):  # type: ignore[misc]
    """Makes machine code for a CPU in common use, apart from the code that others compile."""

    parts = False

    @contextmanager
    def making_parts(self) -> Iterator[None]:
        """Make a part of everything that is compiled inside the block."""
        self.parts = True
        try:
            yield
        finally:
            self.parts = False

    def create_library(self, name: str, **options: Any) -> Any:
        """Create a place for code: a part, while a unit is being compiled."""
        return Part(self, name) if self.parts else super().create_library(name, **options)

    def _get_host_cpu_name(self) -> str:
        return level() or super()._get_host_cpu_name()

    def _get_host_cpu_features(self) -> str:
        return "" if level() else super()._get_host_cpu_features()


def _wide(kind: Any) -> Any:
    """Make whole numbers 64 bits wide, and constants ordinary values."""
    kind = types.unliteral(kind)
    narrow = isinstance(kind, types.Integer) and kind.signed and kind.bitwidth < 64
    return types.int64 if narrow else kind


def _simplify(codegen: Any, module: Any) -> None:
    """Simplify functions one by one, so that there is less to link and to optimize."""
    module.data_layout = codegen._data_layout
    for function in module.functions:
        if not function.is_declaration:
            passes, builder = codegen._function_pass_manager(**PLAIN, opt=1)
            passes.run(function, builder)


@cache
def level() -> str | None:
    """Name the level of CPUs that code is made for; None for this very CPU."""
    if config.CPU_NAME or config.CPU_FEATURES:  # Numba is asked for another
        return None
    if not llvm.get_process_triple().startswith("x86_64"):
        return None
    has = llvm.get_host_cpu_features()
    reached = [name for name, asked in LEVELS.items() if all(has.get(each) for each in asked)]
    wanted = os.environ.get(SWITCH)
    return wanted if wanted in reached else next(iter(reached), None)


@cache
def _codegen() -> OurCodegen:
    return OurCodegen("shoal")


@contextmanager
def _our_codegen() -> Iterator[Any]:
    """Let Numba make its code in our place; whoever is here holds the compiler's lock."""
    context = cpu_target.target_context
    with algebra_later():
        context.refresh()
    theirs = context._internal_codegen
    context._internal_codegen = _codegen()
    try:
        yield context
    finally:
        context._internal_codegen = theirs


@contextmanager
def _no_rubbish_collected() -> Iterator[None]:
    """Let Python look for rubbish later: a compiler makes much that lives."""
    asked = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if _is_frozen():
            gc.freeze()
        if asked:
            gc.enable()


@cache
def _is_frozen() -> bool:
    """Tell whether Python looks for no rubbish among what was loaded, as in the terminal.

    Asked once: Python counts all objects one by one.
    """
    return gc.get_freeze_count() > 0
