"""Odd inputs of a soak: commands with odd files and options; each ends well or in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from soak import terminal_runs
from soak.odd_files import MARK, MARKED_NUMBER, SECRETS, odd_hierarchy, odd_recipe, odd_table
from soak.releases import Done
from terminal import Said

NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "1.5",
    "nan",
    "inf",
    "1e400",
    "x",
    "",
    "1000000",
    "9" * 30,
    "0x10",
)
METHODS = (
    "shoal", "mondrian", "mondrian", "k-member", "mdav", "top-down", "threshold", "nsvdist",
    "genetic", "shoal:effort=huge", "mondrian:relaxed=5", "nothing", "shoal:",
    "k-member:class_column=nobody", "threshold:delta=-1", "nsvdist:l=9", "sequential:restarts=0",
    "v-mdav:gamma=nan", "", "mondrian:a=b=c",
)  # fmt: skip
MODELS = (
    "l-diversity:l=2", "l-diversity:l=0", "l-diversity:l=1e9", "l-diversity", "l-diversity:l=x",
    "t-closeness:t=nan", "t-closeness:t=0.3,distance=ordered",
    "t-closeness:t=0.3,distance=hierarchical", "alpha-k:alpha=-1",
    "alpha-k:alpha=0.5,values=[a;b]", "k-e:e=inf", "k-e:e=5", "k-map:k=2",
    "delta-presence:low=0,high=1", "lkc:l=1,c=0.5", "recursive-l-diversity:c=0,l=1",
    "entropy-l-diversity:l=1e300", "beta-likeness:beta=1e-300", "delta-disclosure:delta=800",
    "nothing", "", ":", "k-anonymity:k=3", "p-sensitive:p=2,p=3",
)  # fmt: skip
OUTPUTS = ("out.parquet", "out.xlsx", "no/such/out.csv", "sqlite:///o.db#t", "out")
FLAGS = ("--refine", "--json", "--force", "--bound", "--as-published", "--keep-order", "--nothing")
PUBLISH = (
    "snapped",
    "tight",
    "centre",
    "bounds",
    "sets",
    "sets:most=1",
    "age=tight",
    "nobody=tight",
    "x",
    "",
    "age=",
    "age=x",
)


def odd_input(rng: Random, folder: Path) -> Done:
    """Run one odd command in this process."""
    return _judged(rng, folder, terminal_runs.here)


def in_own_process(rng: Random, folder: Path) -> Done:
    """Run one odd command in a process of its own, as people do."""
    return _judged(rng, folder, terminal_runs.apart)


def _judged(rng: Random, folder: Path, run: Callable[..., Said]) -> Done:
    source, names = odd_table(rng, folder)
    command = rng.choices(list(COMMANDS), (70, 8, 8, 6, 4, 4))[0]
    words = [command, *COMMANDS[command](rng, folder, source, names)]
    words = [word.replace("\0", "") for word in words]
    there = _files(folder)
    said = run(folder, *words)
    wrong = terminal_runs.rules_broken(said, SECRETS)
    left = _files(folder) - there
    if said.code and left:
        wrong.append(f"a command that exits with {said.code} left {len(left)} files")
    wrong += _told(folder, left)
    counts = {f"odd inputs: exit {said.code}": 1}
    return Done("odd", counts, wrong, {"words": words})


def _told(folder: Path, left: set[str]) -> list[str]:
    """List certificates and recipes in which a cell stands; reports show distributions."""
    papers = [name for name in sorted(left) if name.endswith((".json", ".toml"))]
    texts = [(folder / name).read_text("utf-8") for name in papers]
    marked = any(MARK in text or str(MARKED_NUMBER) in text for text in texts)
    return ["the value of a cell stands in a certificate"] if marked else []


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def _some(rng: Random, names: list[str]) -> str:
    """Name some columns, as typed: there, not there, twice or none."""
    if rng.random() < 0.03:
        return rng.choice(("", ",", "nobody", "age,age", "age,", "*"))
    return ",".join(rng.sample(names, rng.randint(1, max(1, len(names) - 1))))


def _roles(rng: Random, names: list[str]) -> list[str]:
    """Give each column a role at random; most calls can be served."""
    if rng.random() < 0.06:
        return ["-q", _some(rng, names), "-s", _some(rng, names)]
    quasi = [name for name in names if rng.random() < 0.6] or names[:1]
    rest = [name for name in names if name not in quasi]
    words = ["-q", ",".join(quasi)]
    for flag, share in (("-s", 0.6), ("--keep", 0.2), ("-i", 1.0)):
        chosen = [name for name in rest if rng.random() < share]
        rest = [name for name in rest if name not in chosen]
        words += [flag, ",".join(chosen)] if chosen else []
    return words


def _anonymize(rng: Random, folder: Path, source: str, names: list[str]) -> list[str]:
    out = rng.choice(OUTPUTS) if rng.random() < 0.3 else "out.csv"
    words = [
        source,
        "-o",
        out,
        *_roles(rng, names),
        "-k",
        rng.choice(NUMBERS) if rng.random() < 0.2 else "2",
    ]
    some: list[tuple[float, Callable[[], list[str]]]] = [
        (0.3, lambda: ["--method", rng.choice(METHODS)]),
        (0.3, lambda: ["--model", rng.choice(MODELS)]),
        (0.2, lambda: ["--publish", rng.choice(PUBLISH)]),
        (0.25, lambda: ["--hierarchy", f"{rng.choice(names)}={odd_hierarchy(rng, folder)}"]),
        (0.12, lambda: ["--recipe", odd_recipe(rng, folder)]),
        (0.1, lambda: ["--withhold", rng.choice((*NUMBERS, "0.5", "0.99"))]),
        (0.08, lambda: ["--weight", rng.choice(names)]),
        (0.08, lambda: ["--person", rng.choice(names)]),
        (0.08, lambda: ["--population", rng.choice((*NUMBERS, "0.1", "1e6", source))]),
        (0.08, lambda: ["--importance", f"{rng.choice(names)}={rng.choice(NUMBERS)}"]),
        (0.08, lambda: ["--memory", rng.choice(("2GB", "300MB", "1", "x", "-5", "1e400"))]),
        (0.05, lambda: ["--seed", rng.choice(NUMBERS)]),
        (0.05, lambda: ["--delimiter", rng.choice((";", ",", "", "ab", "\n"))]),
        (0.05, lambda: ["--encoding", rng.choice(("utf-8", "latin-1", "utf-16", "nothing", ""))]),
        (0.05, lambda: ["--loss", rng.choice(("height", "squared-error", "nothing", ""))]),
        (0.05, lambda: ["--time-limit", rng.choice(("0.01", "0", "nan", "x"))]),
        (0.05, lambda: ["--save-recipe", rng.choice(("saved.toml", "no/such/saved.toml"))]),
        (0.05, lambda: ["--report", rng.choice(("report.html", "report.md", "report.x"))]),
        (0.05, lambda: ["--missing", rng.choice(("own", "refuse", "x"))]),
        (0.05, lambda: ["--preset", rng.choice(("ema", "threshold-3", "nothing"))]),
        (0.05, lambda: ["--force-keep", rng.choice(names)]),
        (0.1, lambda: [rng.choice(FLAGS)]),
        (0.05, lambda: ["--others", rng.choice(("as-quasi", "separate", "x"))]),
    ]  # fmt: skip
    # Often the table alone is odd, and the call is one that could be served.
    oddness = rng.choice((0, 0.3, 1))
    for chance, option in some:
        words += option() if rng.random() < chance * oddness else []
    return words


def _audit(rng: Random, folder: Path, source: str, names: list[str]) -> list[str]:
    words = [source, "-q", _some(rng, names)]
    words += ["-s", _some(rng, names)] if rng.random() < 0.6 else []
    words += ["--require", f"k={rng.choice(NUMBERS)}"] if rng.random() < 0.3 else []
    words += ["--missing", rng.choice(("own", "wildcard", "x"))] if rng.random() < 0.2 else []
    return words + (["--json"] if rng.random() < 0.5 else [])


def _inspect(rng: Random, folder: Path, source: str, names: list[str]) -> list[str]:
    return [source, *(["--json"] if rng.random() < 0.3 else [])]


def _verify(rng: Random, folder: Path, source: str, names: list[str]) -> list[str]:
    texts = (
        "",
        "{}",
        "[]",
        "null",
        '{"format": 1}',
        '{"format": 99}',
        '{"rows": "x"}',
        "[" * 5000,
        '{"k": 1e999}',
    )
    (folder / "odd.json").write_text(rng.choice(texts))
    words = [source, rng.choice(("odd.json", "nothing.json", source, "."))]
    return words + (["--original", source] if rng.random() < 0.3 else [])


def _distort(rng: Random, folder: Path, source: str, names: list[str]) -> list[str]:
    words = [source, "-o", "out.csv", "--columns", rng.choice(("all", _some(rng, names)))]
    scale = f"noise:scale={rng.choice(NUMBERS)}"
    return words + (
        ["--method", rng.choice((scale, "chaotic", "nothing"))] if rng.random() < 0.5 else []
    )


def _attack(rng: Random, folder: Path, source: str, names: list[str]) -> list[str]:
    return [source, "--original", source, *_roles(rng, names)[:4]]


COMMANDS: dict[str, Callable[[Random, Path, str, list[str]], list[str]]] = {
    "anonymize": _anonymize,
    "audit": _audit,
    "inspect": _inspect,
    "verify": _verify,
    "distort": _distort,
    "attack": _attack,
}
