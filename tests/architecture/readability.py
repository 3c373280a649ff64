"""Measures how readable the source is: what is packed, what is long, what says nothing.

    cd tests && python -m architecture.readability            report on src/
    cd tests && python -m architecture.readability --where tuple_packs    each place of one figure
    cd tests && python -m architecture.readability --record   lower the recorded numbers

`Figures` holds the numbers, `places` says where each count comes from. Some have a limit that holds
always (`limit_faults`); the others are compared with `readability.json`, where they may only fall.
Class names that several modules may define stand in `shared_class_names.txt`.
"""

from __future__ import annotations

import ast
import io
import json
import re
import statistics
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from architecture.sources import parsed

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "shoal"
RECORD = Path(__file__).with_name("readability.json")
SHARED_NAMES = Path(__file__).with_name("shared_class_names.txt")

LINE = 100
PARAMETERS = 6
PACKED_SHARE = 0.02
FUNCTION_P90 = 20
# First words of a docstring that need the line above to be understood.
DANGLING = re.compile(r"(The same|What|Which|How)\b")

# Counts that may only fall; the others have a limit of their own, or grow with the source.
FALLING = (
    "nested_conditionals",
    "many_parameters",
    "dangling_docstrings",
    "names_found",
    "shared_class_names",
)
RATE = "_per_1000_lines"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One module: its path below the package, its text and its tree."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed module."""
        return parsed(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree."""
        return tuple(ast.walk(self.tree))

    @property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.splitlines()

    @property
    def functions(self) -> list[Function]:
        """Every function and method, nested ones too."""
        return [node for node in self.nodes if isinstance(node, Function)]


@dataclass(frozen=True)
class Figures:
    """The numbers of a package; counts have the names of their `places`."""

    lines: int
    assignments: int
    comment_lines: int
    function_median: float
    function_p90: int
    counts: Mapping[str, int]

    @property
    def packed_share(self) -> float:
        """The share of assignments that unpack a literal tuple into several targets."""
        return self.counts["tuple_packs"] / max(self.assignments, 1)

    @property
    def falling(self) -> dict[str, float]:
        """The numbers that may only fall, by the names that their record has."""
        rate = self.per_thousand_lines(self.counts["conditional_expressions"])
        rates = {f"conditional_expressions{RATE}": round(rate, 1)}
        return rates | {name: self.counts[name] for name in FALLING}

    def per_thousand_lines(self, count: int) -> float:
        """Divide a count by the size of the source in thousands of lines."""
        return 1000 * count / max(self.lines, 1)


def sources(package: Path = PACKAGE) -> list[Source]:
    """Read every module of a package."""
    return [
        Source(path.relative_to(package).as_posix(), path.read_text("utf-8"))
        for path in sorted(package.rglob("*.py"))
    ]


def figures(modules: Iterable[Source]) -> Figures:
    """Measure modules."""
    modules = list(modules)
    lengths = sorted(_length(node) for module in modules for node in module.functions)
    return Figures(
        lines=sum(len(module.lines) for module in modules),
        assignments=sum(
            isinstance(node, ast.Assign) for module in modules for node in module.nodes
        ),
        comment_lines=sum(_comment_lines(module) for module in modules),
        function_median=statistics.median(lengths) if lengths else 0,
        function_p90=lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0,
        counts={name: len(lines) for name, lines in places(modules).items()},
    )


def places(modules: Iterable[Source]) -> dict[str, list[str]]:
    """List the places of each count as `path:line`."""
    modules = list(modules)
    listed = {
        name: [f"{module.path}:{line}" for module in modules for line in lines_of(module)]
        for name, lines_of in COUNTED.items()
    }
    listed["shared_class_names"] = [
        f"{name}: {', '.join(paths)}" for name, paths in shared_class_names(modules).items()
    ]
    return listed


def shared_class_names(modules: Iterable[Source]) -> dict[str, list[str]]:
    """Names of classes that more than one module defines, but for those that are meant to be."""
    defined = defaultdict[str, list[str]](list)
    for module in modules:
        for name in {node.name for node in module.nodes if isinstance(node, ast.ClassDef)}:
            defined[name].append(module.path)
    allowed = _allowed_names()
    return {
        name: paths
        for name, paths in sorted(defined.items())
        if len(paths) > 1 and name not in allowed
    }


def limit_faults(measured: Figures) -> list[str]:
    """State each limit that is exceeded."""
    faults = []
    if measured.packed_share >= PACKED_SHARE:
        faults.append(
            f"{measured.packed_share:.1%} of assignments unpack a literal tuple, "
            f"the limit is {PACKED_SHARE:.0%}: put unrelated assignments on lines of their own"
        )
    if measured.counts["long_lines"]:
        faults.append(f"{measured.counts['long_lines']} lines have more than {LINE} characters")
    if measured.counts["star_packs"]:
        faults.append(f"{measured.counts['star_packs']} calls unpack a literal: f(*(a, b))")
    if measured.function_p90 > FUNCTION_P90:
        faults.append(
            f"one function in ten has more than {measured.function_p90} lines, "
            f"the limit is {FUNCTION_P90}"
        )
    return faults


def ratchet_faults(measured: Figures, record: Mapping[str, float]) -> list[str]:
    """State each number that rose above its record."""
    return [
        f"{name} rose from {record[name]:g} to {now:g}: "
        f"python -m architecture.readability --where {name.removesuffix(RATE)} lists them"
        for name, now in measured.falling.items()
        if now > record[name]
    ]


def loose_records(measured: Figures, record: Mapping[str, float]) -> list[str]:
    """State each number that fell below its record, which should follow it."""
    return [
        f"{name} fell from {record[name]:g} to {now:g}: "
        "lower the record with python -m architecture.readability --record"
        for name, now in measured.falling.items()
        if now < record[name]
    ]


def recorded() -> dict[str, float]:
    """Read the numbers that may only fall."""
    return dict(json.loads(RECORD.read_text("utf-8")))


def record(measured: Figures) -> None:
    """Write the numbers that fell; one that rose keeps its record."""
    before = recorded()
    lower = {name: min(now, before.get(name, now)) for name, now in measured.falling.items()}
    RECORD.write_text(json.dumps(lower, indent=4) + "\n", "utf-8")


def report(measured: Figures) -> str:
    """Write the figures as a table."""
    counts = measured.counts
    conditionals = measured.per_thousand_lines(counts["conditional_expressions"])
    comments = measured.per_thousand_lines(measured.comment_lines)
    rows = {
        "lines": f"{measured.lines:,}",
        "assignments that unpack a literal tuple": f"{measured.packed_share:.1%}"
        f" ({counts['tuple_packs']} of {measured.assignments:,})",
        f"lines above {LINE} characters": f"{counts['long_lines']}"
        f" ({counts['long_lines'] / max(measured.lines, 1):.1%})",
        "calls that unpack a literal": f"{counts['star_packs']}",
        "conditional expressions per 1,000 lines": f"{conditionals:.1f}",
        "nested conditional expressions": f"{counts['nested_conditionals']}",
        "comment lines per 1,000 lines": f"{comments:.1f} ({measured.comment_lines})",
        "lines of a function": f"median {measured.function_median:g}, p90 {measured.function_p90}",
        f"functions with more than {PARAMETERS} parameters": f"{counts['many_parameters']}",
        "docstrings that begin with The same/What/Which/How": f"{counts['dangling_docstrings']}",
        "names 'found'": f"{counts['names_found']}",
        "class names with several meanings": f"{counts['shared_class_names']}",
    }
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())


def _tuple_packs(module: Source) -> Iterator[int]:
    """Assignments of a literal tuple to several targets, but for swaps (`a, b = b, a`)."""
    for node in module.nodes:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple | ast.List):
            continue
        for target in node.targets:
            if isinstance(target, ast.Tuple | ast.List) and not _swaps(target, node.value):
                yield node.lineno


def _swaps(target: ast.Tuple | ast.List, value: ast.Tuple | ast.List) -> bool:
    given = {ast.unparse(part) for part in target.elts}
    taken = {ast.unparse(part) for part in value.elts}
    return given == taken


def _long_lines(module: Source) -> Iterator[int]:
    return (number for number, line in enumerate(module.lines, 1) if len(line) > LINE)


def _star_packs(module: Source) -> Iterator[int]:
    """Calls with `*(a, b)` or `*[a, b]` of literals among their arguments."""
    for node in module.nodes:
        if not isinstance(node, ast.Call):
            continue
        starred = [part.value for part in node.args if isinstance(part, ast.Starred)]
        if any(isinstance(part, ast.Tuple | ast.List) for part in starred):
            yield node.lineno


def _conditional_expressions(module: Source) -> Iterator[int]:
    return (node.lineno for node in module.nodes if isinstance(node, ast.IfExp))


def _nested_conditionals(module: Source) -> Iterator[int]:
    """Conditional expressions that hold another one, at any depth, as a branch or a condition."""
    for node in module.nodes:
        if isinstance(node, ast.IfExp):
            inside = (part for part in ast.walk(node) if part is not node)
            if any(isinstance(part, ast.IfExp) for part in inside):
                yield node.lineno


def _many_parameters(module: Source) -> Iterator[int]:
    for node in module.functions:
        named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        own = [part for part in named if part.arg not in ("self", "cls")]
        if len(own) > PARAMETERS:
            yield node.lineno


def _dangling_docstrings(module: Source) -> Iterator[int]:
    described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in module.nodes:
        if isinstance(node, described) and DANGLING.match(ast.get_docstring(node) or ""):
            yield getattr(node, "lineno", 1)


def _names_found(module: Source) -> Iterator[int]:
    """Each place where something is given the name `found`: variables, parameters, functions."""
    for node in module.nodes:
        stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        named = (
            (stored and node.id == "found")
            or (isinstance(node, ast.arg) and node.arg == "found")
            or (isinstance(node, Function) and node.name == "found")
        )
        if named:
            yield node.lineno


COUNTED = {
    "tuple_packs": _tuple_packs,
    "long_lines": _long_lines,
    "star_packs": _star_packs,
    "conditional_expressions": _conditional_expressions,
    "nested_conditionals": _nested_conditionals,
    "many_parameters": _many_parameters,
    "dangling_docstrings": _dangling_docstrings,
    "names_found": _names_found,
}


def _length(node: Function) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _comment_lines(module: Source) -> int:
    """Count comments on lines of their own."""
    tokens = tokenize.generate_tokens(io.StringIO(module.text).readline)
    return sum(
        token.type == tokenize.COMMENT and token.line.lstrip().startswith("#") for token in tokens
    )


def _allowed_names() -> set[str]:
    lines = SHARED_NAMES.read_text("utf-8").splitlines()
    return {line.split("#")[0].strip() for line in lines} - {""}


def main(asked: list[str]) -> None:
    """Print the report, the places of one count, or write the record."""
    modules = sources()
    if asked[:1] == ["--where"]:
        print("\n".join(places(modules)[asked[1]]))
        return
    measured = figures(modules)
    if asked == ["--record"]:
        record(measured)
    print(report(measured))
    record_now = recorded()
    said = [
        *limit_faults(measured),
        *ratchet_faults(measured, record_now),
        *loose_records(measured, record_now),
    ]
    print("\n".join(f"- {sentence}" for sentence in said))


if __name__ == "__main__":
    main(sys.argv[1:])
