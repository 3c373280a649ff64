"""Graphs: quality beside SaNGreeA, edges that k-degree adds, attacks before and after, and speed.

    python -m benchmarks.graphs quality
    python -m benchmarks.graphs quality --edges email_eu_core.csv --alphas 13
    python -m benchmarks.graphs degrees
    python -m benchmarks.graphs degrees --graph lesmis -k 3
    python -m benchmarks.graphs curves
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
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from benchmarks import adult
from shoal.api import graph
from shoal.networks.degrees import DegreeRaise
from shoal.networks.network import Network

QUASI = ["age", "workclass", "marital-status", "race", "sex", "native-country"]
TREES = {name: str(adult.TREES / f"{name}.csv") for name in QUASI[1:]}
GRAPHS = ("karate", "lesmis")


def pairs_of(name: str) -> np.ndarray:
    """Edges of a graph as numbers of nodes."""
    import networkx

    made = {"karate": networkx.karate_club_graph, "lesmis": networkx.les_miserables_graph}
    ends = np.array(list(networkx.convert_node_labels_to_integers(made[name]()).edges()))
    return np.unique(ends, return_inverse=True)[1].reshape(ends.shape)


def pairs_in(place: Path) -> np.ndarray:
    """Edges of a file as numbers of nodes, each pair once."""
    table = pa.csv.read_csv(place)
    ends = np.column_stack([np.asarray(table.column(end)) for end in (0, 1)])
    numbers = np.unique(ends, return_inverse=True)[1].reshape(ends.shape)
    pairs = np.sort(numbers[numbers[:, 0] != numbers[:, 1]], axis=1)
    return np.unique(pairs, axis=0)


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
    given = {"quasi": QUASI, "hierarchies": TREES, "k": k, "method": method, "seed": 1, **asked}
    release = graph.anonymize(nodes, edges, **given)
    return release, time.process_time() - started


def quality(graphs: dict[str, np.ndarray], fine: int, ks: Sequence[int]) -> None:
    """Structure kept at no more NGIL than SaNGreeA's at alpha 0.5: the best of several alphas."""
    print(
        "| graph | k | sangreea: NGIL | kept | shoal: alpha | NGIL | kept | ratio | CPU s a run |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, ends in graphs.items():
        nodes, edges = tables_of(ends, int(ends.max()) + 1)
        for k in ks:
            base, _ = released(nodes, edges, "sangreea:alpha=0.5", k)
            best = None
            for alpha in np.linspace(0.3, 0.9, fine):
                ours, spent = released(nodes, edges, f"shoal:alpha={alpha:.3f}", k)
                kept = ours.loss("structure-kept")
                if ours.loss("ngil") <= base.loss("ngil") and (best is None or kept > best[2]):
                    best = (alpha, ours.loss("ngil"), kept, spent)
            kept = base.loss("structure-kept")
            left = f"| {name} | {k} | {base.loss('ngil'):.4f} | {kept:.4f} "
            if best is None:
                print(f"{left}| - | - | - | - | - |", flush=True)
                continue
            right = f"| {best[0]:.2f} | {best[1]:.4f} | {best[2]:.4f} | {best[2] / kept:.2f} "
            print(f"{left}{right}| {best[3]:.2f} |", flush=True)


def degrees(effort: str, graphs: Sequence[str], ks: Sequence[int]) -> None:
    """Edges that k-degree changes, beside the bound of degrees alone and the proven one."""
    print(
        "| graph | k | even optimum / 2 | changes | proven bound | added | removed | gap | CPU s |"
    )
    print("|---|--:|--:|---|--:|--:|--:|--:|--:|")
    for name in graphs:
        ends = pairs_of(name)
        network = Network.of(int(ends.max()) + 1, ends[:, 0], ends[:, 1])
        order = np.argsort(-network.degrees, kind="stable")
        edges = pa.table({"one": ends[:, 0], "other": ends[:, 1]})
        for k in ks:
            plain = DegreeRaise(network.degrees[order], k).least // 2
            for removals in (False, True):
                started = time.process_time()
                asked = {"form": "k-degree", "k": k, "seed": 1, "effort": effort}
                release = graph.anonymize(edges, removals=removals, **asked)
                spent = time.process_time() - started
                losses = {key: round(value, 4) for key, value in release.losses.items()}
                what = "both" if removals else "additions"
                told = [int(losses[one]) for one in ("lower-bound", "edges-added", "edges-removed")]
                line = f"| {name} | {k} | {plain} | {what} | {told[0]} | {told[1]} | {told[2]} |"
                print(f"{line} {losses['gap']:.1%} | {spent:.1f} |", flush=True)


CURVES = {  # read off the paper's figures: NGIL by +-0.01, NSIL by +-0.0005, for k = 2, 3, 5, 6, 10
    ("random", 0): ((0.35, 0.52, 0.68, 0.70, 0.81), (0.0835, 0.1050, 0.1190, 0.1220, 0.1255)),
    ("random", 0.5): ((0.06, 0.10, 0.16, 0.17, 0.28), (0.0950, 0.1143, 0.1235, 0.1250, 0.1278)),
    ("R-MAT", 0): ((0.33, 0.51, 0.645, 0.67, 0.82), (0.0835, 0.1020, 0.1137, 0.1163, 0.1187)),
    ("R-MAT", 0.5): ((0.06, 0.10, 0.17, 0.19, 0.25), (0.0902, 0.1080, 0.1168, 0.1185, 0.1207)),
}


def recursive_matrix(count: int, edges: int, seed: int) -> np.ndarray:
    """An R-MAT graph (D. Chakrabarti and others, 2004; a, b, c, d = 0.45, 0.15, 0.15, 0.25)."""
    rng = np.random.default_rng(seed)
    pairs = set()
    while len(pairs) < edges:
        one = other = 0
        for _ in range(int(np.ceil(np.log2(count)))):
            quarter = int(rng.choice(4, p=(0.45, 0.15, 0.15, 0.25)))
            one = 2 * one + quarter // 2
            other = 2 * other + quarter % 2
        if one != other and max(one, other) < count:
            pairs.add((min(one, other), max(one, other)))
    return np.array(sorted(pairs))


def uniform(count: int, edges: int, seed: int) -> np.ndarray:
    """A random graph: every pair of nodes is as likely."""
    one, other = np.triu_indices(count, 1)
    chosen = np.random.default_rng(seed).choice(len(one), edges, replace=False)
    return np.column_stack((one[chosen], other[chosen]))


def curves(seeds: int = 5) -> None:
    """SaNGreeA on 300 rows of Adult beside the curves that its paper prints."""
    print("| graph | alpha | k | NGIL: paper | ours | spread | NSIL: paper | ours | spread |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for (kind, alpha), (ngil, nsil) in CURVES.items():
        for place, k in enumerate((2, 3, 5, 6, 10)):
            losses = []
            for seed in range(seeds):
                draw, count = (uniform, 1500) if kind == "random" else (recursive_matrix, 1428)
                made = draw(300, count, seed)
                nodes, edges = tables_of(made, 300, seed)
                # as in the paper, workclass has one level above its values
                trees = {name: tree for name, tree in TREES.items() if name != "workclass"}
                method = f"sangreea:alpha={alpha}"
                release, _ = released(nodes, edges, method, k, hierarchies=trees)
                losses.append((release.loss("ngil"), release.loss("nsil")))
            mean = np.mean(losses, axis=0)
            spread = np.std(losses, axis=0)
            left = (
                f"| {kind} | {alpha} | {k} | {ngil[place]:.3f} | {mean[0]:.3f} | {spread[0]:.3f} "
            )
            print(f"{left}| {nsil[place]:.4f} | {mean[1]:.4f} | {spread[1]:.4f} |", flush=True)


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
    parser.add_argument("what", choices=["quality", "degrees", "curves", "attacks", "scale"])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("-k", type=int, help="one k alone; 10 for scale")
    parser.add_argument("--graph", action="append", choices=GRAPHS, help="one of them alone")
    parser.add_argument("--folder", type=Path, default=Path("build"))
    parser.add_argument("--edges", type=Path, help="a file of edges in place of the small graphs")
    parser.add_argument("--alphas", type=int, default=61, help="how many are tried")
    parser.add_argument("--effort", default="default", help="of the search for fewer changes")
    options = parser.parse_args()
    if options.what == "scale":
        options.folder.mkdir(exist_ok=True)
        scale(options.nodes, options.k or 10, options.folder)
    elif options.what == "quality":
        graphs = {name: pairs_of(name) for name in GRAPHS}
        if options.edges:
            graphs = {options.edges.stem: pairs_in(options.edges)}
        quality(graphs, options.alphas, [options.k] if options.k else (3, 5, 10))
    elif options.what == "degrees":
        ks = [options.k] if options.k else (2, 3, 5, 10, 20)
        degrees(options.effort, options.graph or GRAPHS, ks)
    elif options.what == "curves":
        curves()
    else:
        attacks()


if __name__ == "__main__":
    main()
