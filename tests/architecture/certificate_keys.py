"""Reads of certificates by string keys, found in the source text: one line for each fault."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import msgspec

from architecture.sources import parsed
from shoal.review import certificate_format
from shoal.review.certificate_format import CertificatePart

DECLARED = {
    "review/certificate_format.py",
    "review/certificate_format_1.py",
    "networks/certificate.py",
}
NAMES = {"public", "private", "certificate", "stated"}  # what certificates are called
READERS = {  # JSON-like data become structs here
    "review/certificate_reading.py",
    "review/measured_model.py",
    "adapters/certificates.py",
}
FACTS = {"different rows"}  # also the name of a fact in refusals
# Words that `handover.figures` tells the studio in, which are not read from a certificate there.
TOLD = {
    "handover/figures.py": {"not promised"},
    "studio/pages/handing_over.py": {"not promised"},
    "studio/pages/result_panels.py": {"not promised"},
}


def keys() -> set[str]:
    """Every JSON name of a certificate that is no Python name."""
    structs = (each for each in vars(certificate_format).values() if isinstance(each, type))
    fields = (
        field.encode_name
        for struct in structs
        if issubclass(struct, CertificatePart)
        for field in msgspec.structs.fields(struct)
    )
    return {name for name in fields if " " in name} - FACTS


def key_faults(package: Path) -> list[str]:
    """Keys of certificates written out, and certificates subscripted by a string."""
    faults = []
    known = keys()
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if name in DECLARED:
            continue
        tree = parsed(path.read_text(encoding="utf-8"))
        written = _written(tree, known - TOLD.get(name, set()))
        faults += [f"{name}:{line}: the key '{key}'" for line, key in written]
        if name not in READERS:
            faults += [f"{name}:{line}: {text}" for line, text in _subscripted(tree)]
    return faults


def _written(tree: ast.Module, known: set[str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in known:
            yield node.lineno, str(node.value)


def _subscripted(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """`public["k"]`, `release.certificate.public["k"]` and `public.get("k")`."""
    for node in ast.walk(tree):
        of: ast.expr | None = None
        key: ast.expr | None = None
        if isinstance(node, ast.Subscript):
            of, key = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            of = node.func.value if node.func.attr == "get" else None
            key = node.args[0]
        called = getattr(of, "attr", getattr(of, "id", None))
        if called in NAMES and isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield node.lineno, ast.unparse(node)
