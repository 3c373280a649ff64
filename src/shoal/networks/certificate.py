"""Certificates of graphs: what anyone can recount from the files, and what stays with the maker.

As for tables, the public part is a function of the release, the recipe with the names of the
input's columns, and the hierarchies alone. How many nodes and edges were left out or added, what
was lost and what attacks found follows from the original, and is private.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import pyarrow as pa
from msgspec import UNSET, Meta, UnsetType, field

from shoal.adapters.strict_json import strict_loads
from shoal.errors import DataError
from shoal.review.certificate import NOT_PROMISED
from shoal.review.certificate_format import AttacksPassed, CertificatePart, PublishedColumns
from shoal.review.fingerprint import fingerprint
from shoal.review.measured_model import MeasuredModel

Form = Literal["supergraph", "k-degree"]
Part = TypeVar("Part", bound=CertificatePart)
KIND: Literal["graph"] = "graph"
SUPERGRAPH_LIMITS = (
    "Whether two people of dense clusters know each other can be guessed: where all edges of a "
    "cluster or pair are there, or none is, it is known.",
)
K_DEGREE_LIMITS = (
    "Only a person's number of neighbours is hidden among k: whoever knows more of the "
    "neighbourhood, such as who knows whom among the neighbours, may single people out.",
    "All but a few edges are those of the original.",
)


class GraphCertificate(CertificatePart, frozen=True, kw_only=True):
    """The public certificate of a graph."""

    kind: Literal["graph"] = KIND
    format: int = 1
    shoal: Annotated[str, Meta(description="The version of Shoal that made the release.")]
    form: Annotated[Form, Meta(description="What is published: clusters, or an ordinary graph.")]
    nodes: Annotated[int, Meta(ge=0, description="How many nodes are published.")]
    edges: Annotated[int, Meta(ge=0, description="How many edges are published.")]
    k: Annotated[int, Meta(ge=1, description="Fewest nodes of a cluster, or of one degree.")]
    clusters: int | UnsetType = UNSET
    models: list[MeasuredModel] | UnsetType = UNSET
    losses: Annotated[
        dict[str, float | None], Meta(description="Losses as counted in the published files.")
    ] = {}
    columns: PublishedColumns = PublishedColumns()
    recipe: dict[str, Any] = {}
    hashes: Annotated[dict[str, str], Meta(description="SHA-256 of the rows of each table.")] = {}
    attacks: AttacksPassed = []
    not_promised: list[str] = field(name="not promised", default_factory=list)


class GraphPrivate(CertificatePart, frozen=True, kw_only=True):
    """The private certificate of a graph: for its maker alone."""

    seed: int | UnsetType = UNSET
    nodes_in: int = field(name="nodes in")
    edges_in: int = field(name="edges in")
    withheld: int = 0
    losses: dict[str, float | None] = {}
    notes: list[str] = []
    attacks: list[dict[str, Any]] = []
    edges_added: int | UnsetType = field(name="edges added", default=UNSET)
    edges_removed: int | UnsetType = field(name="edges removed", default=UNSET)
    bound: int | UnsetType = field(name="no release changes fewer edges than", default=UNSET)
    gap: float | UnsetType = UNSET
    numbers: list[int] | UnsetType = field(name="numbers of nodes", default=UNSET)


@dataclass(frozen=True)
class GraphCertificates:
    """The two parts; `public` goes with the release, `private` stays at home."""

    public: GraphCertificate
    private: GraphPrivate


def limits_of(form: Form) -> list[str]:
    """List what a reader of a graph must not take for granted."""
    own = SUPERGRAPH_LIMITS if form == "supergraph" else K_DEGREE_LIMITS
    return [*NOT_PROMISED, *own]


def hashes_of(tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """Hash the rows of each table as a set."""
    return {name: fingerprint(table) for name, table in tables.items()}


def written(part: CertificatePart) -> str:
    """Write a part as it stands in its file."""
    return json.dumps(part.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_certificate(place: str | Path) -> GraphCertificate:
    """Read the public certificate of a graph; DataError for what is none."""
    return _read(place, GraphCertificate)


def read_private(place: str | Path) -> GraphPrivate:
    """Read the private certificate of a graph; DataError for what is none."""
    return _read(place, GraphPrivate)


def _read(place: str | Path, part: type[Part]) -> Part:
    try:
        stated = strict_loads(Path(place).read_text(encoding="utf-8"))
        return msgspec.convert(stated, part, dec_hook=_decoded)
    except OSError as error:
        problem = f"the certificate '{place}' can't be read: {error.strerror}"
        raise DataError(problem) from None
    except (ValueError, RecursionError, msgspec.ValidationError):
        raise DataError(f"'{place}' is not the certificate of a graph") from None


def _decoded(kind: type, stated: Any) -> Any:
    if kind is MeasuredModel and isinstance(stated, Mapping):
        return MeasuredModel.of(stated)
    raise ValueError("not an entry of a certificate")
