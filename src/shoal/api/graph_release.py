"""Verified releases of graphs, and how they become a folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.adapters.atomic_files import Staged
from shoal.adapters.graph_files import networkx
from shoal.adapters.signing import Signer
from shoal.api.graph_writing import GraphPapers, write_folder
from shoal.api.reporting import WRITERS, report_places
from shoal.errors import RecipeError, did_you_mean
from shoal.groups import Note
from shoal.networks.certificate import GraphCertificates
from shoal.networks.gate import as_texts_of, recounted
from shoal.networks.k_degree import DegreeGraph, DegreeOutcome, refuse_rare_degrees
from shoal.networks.network import NamedNetwork, Network
from shoal.networks.report import report_of
from shoal.networks.sampling import sampled
from shoal.networks.supergraph import SupergraphOutcome
from shoal.review.report.document import Report
from shoal.screen import Screen, Shown, percent

Back = Callable[[pa.Table], Any]


@dataclass(frozen=True)
class GraphSample:
    """An ordinary graph for analysts' tools: nodes with their cluster, and edges, as frames."""

    nodes: Any
    edges: Any
    network: Network

    def to_networkx(self) -> Any:
        """Make a graph of networkx; nodes are numbered from 1."""
        graph = networkx().Graph()
        graph.add_nodes_from(range(1, self.network.count + 1))
        pairs = np.column_stack((self.network.one, self.network.other)) + 1
        graph.add_edges_from(pairs.tolist())
        return graph


@dataclass(frozen=True, repr=False)
class GraphRelease(Shown, ABC):
    """A verified release of a graph: every promise was recounted from its tables."""

    outcome: SupergraphOutcome | DegreeOutcome
    named: NamedNetwork
    back: Back
    """Makes an Arrow table the kind of frame that the nodes came in."""
    signer: Signer | None = None
    """Signs the release when it is written; None leaves it unsigned."""

    @property
    def tables(self) -> dict[str, Any]:
        """The published tables by name, as the kind of frame that came in."""
        return {name: self.back(table) for name, table in self.outcome.release.tables.items()}

    @property
    def certificate(self) -> GraphCertificates:
        """The certificate: `.public` goes with the release, `.private` stays at home."""
        return GraphCertificates(self.outcome.public, self.outcome.private)

    @property
    def losses(self) -> Mapping[str, float | None]:
        """Every loss by its name; None where it means nothing for this graph."""
        return self.outcome.losses

    @property
    def notices(self) -> tuple[Note, ...]:
        """Notices about the graph and the release."""
        return self.outcome.notices

    @property
    def seconds(self) -> Mapping[str, float]:
        """The seconds that each stage took."""
        return self.outcome.seconds

    def loss(self, name: str) -> float | None:
        """Give one loss by its name; None where it means nothing for this graph."""
        if name not in self.losses:
            remedy = did_you_mean(name, self.losses)
            raise RecipeError(f"there is no metric '{name}'", remedy=remedy)
        return self.losses[name]

    @property
    def summary(self) -> dict[str, Any]:
        """Summarize the release as plain data, as `--json` prints it."""
        public = self.outcome.public
        return {
            "form": public.form,
            "nodes": public.nodes,
            "edges": public.edges,
            "clusters": public.clusters or None,
            "k": public.k,
            "withheld": self.outcome.private.withheld,
            "method": public.recipe["method"],
            "losses": dict(self.losses),
            "models": [one.as_dict() for one in public.models or ()],
            "seconds": dict(self.seconds),
            "notices": [str(note) for note in self.notices],
        }

    @abstractmethod
    def sample(self, seed: int | None = None) -> GraphSample:
        """Give an ordinary graph for analysts' tools."""

    def write(
        self,
        folder: str | Path,
        *,
        report: str | Path | None = None,
        force: bool = False,
        inputs: Sequence[str] = (),
    ) -> None:
        """Write the tables and the certificate into a folder, whole or not at all.

        All promises are recounted from the files before they take their places. The private part of
        the certificate stands beside the folder. A release that was made with `sign=` is signed, in
        the folder. `report` names the report for its maker (`.html` or `.md`); a public one stands
        beside it.
        """
        tables = self.outcome.release.tables
        papers = GraphPapers(tables, self.certificate, self.signer, self._judge, self._reports())
        write_folder(papers, folder, report=report, force=force, inputs=inputs)

    def report(self, place: str | Path, *, public: bool = False, force: bool = False) -> None:
        """Report what was done and what remains, for people, as `.html` page or Markdown (`.md`).

        `public` makes it from the published tables and the public certificate alone.
        """
        report_places(place)  # refuses a name that says neither
        text = WRITERS[Path(place).suffix.lower()](self._reports()[int(public)])
        with Staged(force=force) as staged:
            staged.file(place, private=not public).write_text(text, encoding="utf-8")

    def _reports(self) -> tuple[Report, Report]:
        release = self.outcome.release
        signed = self.signer.key_id if self.signer else None
        public = self.outcome.public
        for_everyone = report_of(release, public, signed=signed)
        for_its_maker = report_of(release, public, self.outcome.private, signed=signed)
        return for_its_maker, for_everyone

    @abstractmethod
    def _judge(self, tables: dict[str, pa.Table]) -> None:
        """Refuse tables that break a promise."""


@dataclass(frozen=True, repr=False)
class SupergraphRelease(GraphRelease):
    """A release in clusters."""

    outcome: SupergraphOutcome

    @property
    def clusters(self) -> Any:
        """The clusters: their size, cells, and the number of edges inside."""
        return self.tables["clusters"]

    @property
    def cluster_edges(self) -> Any:
        """The pairs of clusters that have edges between them, and how many."""
        return self.tables["cluster_edges"]

    @property
    def members(self) -> Any:
        """The sensitive and kept values of each cluster; None where there are none."""
        return self.tables.get("members")

    @property
    def groups(self) -> Any:
        """The group of each *input* node, -1 = withheld."""
        return self.outcome.groups.labels

    @property
    def screen(self) -> Screen:
        """The release in a few lines, as text and as HTML."""
        public = self.outcome.public
        left_out = self.outcome.private.withheld
        out = f"{left_out:,} left out." if left_out else "Nobody left out."
        headline = (
            f"{public.nodes:,} people released in {public.clusters:,} clusters of at least "
            f"{public.k:,}. {out}"
        )
        kept = self.losses["structure-kept"]
        facts = (
            ("finding a person", f"at most 1 in {public.k:,}, whatever is known of neighbours"),
            ("attributes", f"on average a cell lost {percent(self.losses['ngil'] or 0.0)}"),
            ("structure", _structure(kept)),
            ("edges", f"{public.edges:,} between {public.nodes:,} people"),
        )
        return Screen(headline, facts, None, self.notices, sure=4)

    def sample(self, seed: int | None = None) -> GraphSample:
        """Draw an ordinary graph from all that fit the release, each as likely."""
        drawn = sampled(self.outcome.release.structure(), seed)
        numbers = np.arange(1, drawn.network.count + 1)
        nodes = pa.table({"node": numbers, "cluster": drawn.cluster + 1})
        return GraphSample(self.back(nodes), self.back(_edges(drawn.network)), drawn.network)

    def _judge(self, tables: dict[str, pa.Table]) -> None:
        recounted(as_texts_of(tables), self.outcome.plan, self.outcome.most_dense)


@dataclass(frozen=True, repr=False)
class DegreeRelease(GraphRelease):
    """A release as an ordinary graph in which k nodes share every number of neighbours."""

    outcome: DegreeOutcome

    @property
    def nodes(self) -> Any:
        """The nodes, numbered anew by chance."""
        return self.tables["nodes"]

    @property
    def edges(self) -> Any:
        """The edges, old and new."""
        return self.tables["edges"]

    @property
    def screen(self) -> Screen:
        """The release in a few lines, as text and as HTML."""
        public = self.outcome.public
        headline = (
            f"{public.nodes:,} people released as a graph; at least {public.k:,} share every "
            "number of neighbours."
        )
        gone = int(self.losses["edges-removed"] or 0)
        removed = f"{gone:,} removed" if gone else "none removed"
        added = f"{int(self.losses['edges-added'] or 0):,} added, {removed}"
        bound = f"no such graph changes fewer than {int(self.losses['lower-bound'] or 0):,}"
        known = f"at most 1 in {public.k:,} by the number of neighbours, and by nothing else"
        facts = (("finding a person", known), ("edges", f"{added}; {bound}"))
        return Screen(headline, facts, None, self.notices, sure=2)

    def sample(self, seed: int | None = None) -> GraphSample:
        """Give the published graph itself; there is nothing to draw."""
        network = self.outcome.release.network()
        return GraphSample(self.nodes, self.edges, network)

    def _judge(self, tables: dict[str, pa.Table]) -> None:
        k = int(self.outcome.public.recipe["k"])
        refuse_rare_degrees(DegreeGraph(tables["nodes"], tables["edges"]), k)


def _edges(network: Network) -> pa.Table:
    one = network.one.astype(np.int64) + 1
    return pa.table({"node_1": one, "node_2": network.other.astype(np.int64) + 1})


def _structure(kept: float | None) -> str:
    if kept is None:
        return "there is none to keep: no edges, or all of them"
    return f"{percent(kept)} kept of what numbers of nodes and edges alone don't tell"
