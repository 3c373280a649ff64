"""Graphs: quality beside SaNGreeA, edges that k-degree adds, attacks before and after, and speed.

    python -m benchmarks.graphs quality
    python -m benchmarks.graphs degrees
    python -m benchmarks.graphs attacks
    python -m benchmarks.graphs scale --nodes 1000000

Attributes are rows of Adult drawn at random, so they have nothing to do with who knows whom: the
hardest case for keeping both. Seconds are CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks import adult
from shoal.api import graph
from shoal.networks.degrees import DegreeRaise, bound_of
from shoal.networks.network import Network

QUASI = ["age", "workclass", "marital-status", "race", "sex", "native-country"]
TREES = {name: str(adult.TREES / f"{name}.csv") for name in QUASI[1:]}
GRAPHS = ("karate", "lesmis")
ALPHAS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)


def pairs_of(name: str) -> np.ndarray:
    """Edges of a graph as numbers of nodes."""
    import networkx

    made = {"karate": networkx.karate_club_graph, "lesmis": networkx.les_miserables_graph}
    ends = np.array(list(networkx.convert_node_labels_to_integers(made[name]()).edges()))
    return np.unique(ends, return_inverse=True)[1].reshape(ends.shape)


def tables_of(ends: np.ndarray, count: int, seed: int = 1) -> tuple[pa.Table, pa.Table]:
    """Nodes with attributes of Adult, and edges."""
    people = adult.table()
    rng = np.random.default_rng(seed)
    picked = rng.choice(people.num_rows, count, replace=count > people.num_rows)
    nodes = people.select(QUASI).take(pa.array(picked))
    nodes = nodes.add_column(0, "id", pa.array(np.arange(count)))
    return nodes, pa.table({"one": ends[:, 0], "other": ends[:, 1]})


def released(nodes, edges, method: str, k: int, **asked):
    started = time.process_time()
    release = graph.anonymize(
        nodes, edges, quasi=QUASI, hierarchies=TREES, k=k, method=method, seed=1, **asked
    )
    return release, time.process_time() - started


def quality() -> None:
    """Structure kept at no more NGIL than SaNGreeA's at alpha 0.5."""
    print(
        "| graph | k | sangreea: NGIL | kept | CPU s | shoal: alpha | NGIL | kept | CPU s | ratio |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in GRAPHS:
        ends = pairs_of(name)
        nodes, edges = tables_of(ends, int(ends.max()) + 1)
        for k in (3, 5, 10):
            base, spent = released(nodes, edges, "sangreea:alpha=0.5", k)
            best = None
            for alpha in ALPHAS:  # the more weight attributes have, the less of them is lost
                ours, seconds = released(nodes, edges, f"shoal:alpha={alpha}", k)
                if ours.loss("ngil") <= base.loss("ngil"):
                    best = (alpha, ours.loss("ngil"), ours.loss("structure-kept"), seconds)
                    break
            kept = base.loss("structure-kept")
            left = f"| {name} | {k} | {base.loss('ngil'):.4f} | {kept:.4f} | {spent:.2f} "
            if best is None:
                print(f"{left}| - | - | - | - | - |", flush=True)
                continue
            ratio = best[2] / kept
            right = f"| {best[0]} | {best[1]:.4f} | {best[2]:.4f} | {best[3]:.2f} | {ratio:.2f} |"
            print(left + right, flush=True)


def degrees() -> None:
    """Edges that k-degree adds, beside the plain bound and the proven one."""
    print("| graph | k | even optimum / 2 | proven bound | added | gap | CPU s |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name in GRAPHS:
        ends = pairs_of(name)
        network = Network.of(int(ends.max()) + 1, ends[:, 0], ends[:, 1])
        order = np.argsort(-network.degrees, kind="stable")
        edges = pa.table({"one": ends[:, 0], "other": ends[:, 1]})
        for k in (2, 3, 5, 10, 20):
            raising = DegreeRaise(network.degrees[order], k)
            started = time.process_time()
            bound = bound_of(raising, network.near, order)
            try:
                release = graph.anonymize(edges, form="k-degree", k=k, seed=1)
            except Exception as refused:
                print(f"| {name} | {k} | {raising.least // 2} | {bound} | {refused.problem} | | |")
                continue
            spent = time.process_time() - started
            added = int(release.loss("edges-added"))
            gap = f"{release.loss('gap'):.1%}"
            line = f"| {name} | {k} | {raising.least // 2} | {bound} | {added} | {gap} |"
            print(f"{line} {spent:.2f} |", flush=True)


def attacks() -> None:
    """Who stands alone before, and how often attacks are right after."""
    for name in GRAPHS:
        ends = pairs_of(name)
        nodes, edges = tables_of(ends, int(ends.max()) + 1)
        before = graph.audit(nodes, edges, quasi=QUASI)
        print(f"\n{name}: alone before")
        for known, figures in before.alone.items():
            print(f"  {known}: {figures['alone']:.3f}, among fewer than 5: ", end="")
            print(f"{figures['among fewer than 5']:.3f}")
        for form in ("supergraph", "k-degree"):
            if form == "supergraph":
                release, _ = released(nodes, edges, "shoal", 5)
            else:
                release = graph.anonymize(edges, form="k-degree", k=5, seed=1)
            for finding in graph.attack(release).all:
                told = f"right {finding.attack:.4f}, guessing {finding.control:.4f}"
                print(f"  {form} k=5, {finding.called}: {told}", flush=True)


def power_law(count: int, edges: int, seed: int = 3) -> np.ndarray:
    """An invented graph whose degrees follow a power law, without loops or repeats."""
    rng = np.random.default_rng(seed)
    weights = (np.arange(1, count + 1) + 10.0) ** -(1 / 1.5)
    sums = np.cumsum(weights)
    drawn = int(edges * 1.15)
    ends = np.searchsorted(sums, rng.random((drawn, 2)) * sums[-1]).astype(np.int64)
    low = ends.min(axis=1)
    high = ends.max(axis=1)
    keys = np.unique((low * count + high)[low != high])
    keys = rng.permutation(keys)[:edges]
    renamed = rng.permutation(count)
    return np.column_stack((renamed[keys // count], renamed[keys % count]))


def scale(count: int, k: int, folder: Path) -> None:
    """From tables in memory to a verified release that is written: CPU seconds and peak memory."""
    ends = power_law(count, 10 * count)
    nodes, edges = tables_of(ends, count)
    released(*tables_of(power_law(2000, 20_000), 2000), "shoal", k)  # compiles
    started = time.process_time()
    release, spent = released(nodes, edges, "shoal", k)
    release.write(folder / f"graph-{count}-{k}", force=True)
    written = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    told = {"nodes": count, "edges": len(ends), "k": k, "CPU s": round(spent, 1)}
    told |= {"with writing": round(written, 1), "peak GB": round(peak, 2)}
    told |= {name: release.loss(name) for name in ("ngil", "nsil", "structure-kept")}
    print(json.dumps(told | {"seconds": dict(release.seconds)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["quality", "degrees", "attacks", "scale"])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--folder", type=Path, default=Path("build"))
    options = parser.parse_args()
    if options.what == "scale":
        options.folder.mkdir(exist_ok=True)
        scale(options.nodes, options.k, options.folder)
    else:
        {"quality": quality, "degrees": degrees, "attacks": attacks}[options.what]()


if __name__ == "__main__":
    main()
