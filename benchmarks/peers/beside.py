"""Beside: Shoal and its peers on the same rows of Adult, run alike and scored alike.

Each program publishes the eight quasi-identifiers with the same hierarchies. Rows with equal
published cells are a group, whatever the program says; the scorer counts them, and charges each
group the least box that holds its rows, and each row that is left out in full. A program whose
smallest group is below k is not k-anonymous, and its loss says nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.csv as csv

from benchmarks import adult, measure, score
from benchmarks.peers.environments import Environment, installed, kind_of

LIMIT = 100  # CPU seconds of one run: who needs more has a line that says so
HERE = Path(__file__).parent
NOTE = (
    "Smallest group: counted from the published cells. Loss: total information loss of the least "
    "box of each group. CPU s: of the algorithm alone, without start and reading; Shoal's include "
    "checks, attacks and certificate. A program that has no answer within {limit} CPU s, start "
    "included, is ended.\n\n"
    "anonypy and anonymity-api import pandas without naming it, and polarfrost can't be imported "
    "without its extra `spark`: both are installed with them."
)


class Contender(NamedTuple):
    """A program in one setting: what to install, what to run, and what it is asked for."""

    title: str
    script: str
    requirements: tuple[str, ...] = ()
    setting: str = ""
    withhold: float = 0.0

    @property
    def home(self) -> str:
        """The name of its environment."""
        return self.script.removeprefix("by_")


PANDAS = "pandas==2.3.3"  # of peers that do not name it, though they import it
ANJANA = ("anjana==1.2.3",)
CONTENDERS = (
    Contender("Shoal", "by_shoal", setting="shoal"),
    Contender("Shoal, mondrian", "by_shoal", setting="mondrian"),
    Contender("Shoal, full-domain", "by_shoal", setting="full-domain"),
    Contender("Shoal, full-domain, 5 % may go", "by_shoal", (), "full-domain", 0.05),
    Contender("anjana, full-domain", "by_anjana", ANJANA),
    Contender("anjana, full-domain, 5 % may go", "by_anjana", ANJANA, "", 0.05),
    Contender("openmed, full-domain", "by_openmed", ("openmed==3.1.0", PANDAS)),
    Contender("anonypy, Mondrian", "by_anonypy", ("anonypy==0.2.1", PANDAS)),
    Contender("anonypyx, Mondrian", "by_anonypyx", ("anonypyx==0.2.11",)),
    Contender("polarfrost, Mondrian", "by_polarfrost", ("polarfrost[spark]==0.2.1",)),
    Contender("anonymity-api, Mondrian", "by_anonymity_api", ("anonymity-api==1.0.4", PANDAS)),
)
ARX = Contender("ARX, local recoding", "ByArx.java")
ARX_GLOBAL = Contender("ARX, full-domain, 5 % may go", "ByArx.java", (), "full-domain", 0.05)


class Published(NamedTuple):
    """What a program published, as the scorer counted it, or why it published nothing."""

    smallest: int = 0
    left_out: int = 0
    loss: float = 0.0
    seconds: float = 0.0
    problem: str = ""


def tables(
    ks: Iterable[int], rows: int | None = None, limit: int = LIMIT, jar: str = ""
) -> Iterator[str]:
    """Run every program at every k, and print a table for each k."""
    people = adult.table().select(adult.QUASI).slice(0, rows)
    every = [*CONTENDERS, ARX, ARX_GLOBAL] if jar else [*CONTENDERS]
    homes = {each.home: _environment(each, jar) for each in every}
    for k in ks:
        found = {each.title: published(each, homes[each.home], people, k, limit) for each in every}
        title = f"Beside the peers: Adult, {people.num_rows:,} rows, k = {k}"
        lines = [_line(each, found, k) for each in every]
        yield measure.markdown(title, HEADER, lines, NOTE.format(limit=limit))


def published(
    asked: Contender, home: Environment, people: pa.Table, k: int, limit: int
) -> Published:
    """Let one program publish some people, and count what it published."""
    if home.problem:
        return Published(problem=home.problem)
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder, "people.csv"), Path(folder, "published.csv")
        csv.write_csv(people.add_column(0, "row", pa.array(range(people.num_rows))), table)
        given = {
            "table": str(table),
            "out": str(out),
            "limit": limit,
            "k": k,
            "withhold": asked.withhold,
            "setting": asked.setting,
            "trees": {name: str(adult.TREES / f"{name}.csv") for name in people.column_names},
        }
        done = subprocess.run(
            [*_command(asked, home), json.dumps(given)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        if done.returncode != 0:
            return Published(problem=_problem(done, limit))
        seconds = float(json.loads(done.stdout.splitlines()[-1])["seconds"])
        return counted(out, people)._replace(seconds=seconds)


def counted(out: Path, people: pa.Table) -> Published:
    """Count what stands in a published file, and score it."""
    texts = csv.ConvertOptions(column_types=dict.fromkeys(people.column_names, pa.string()))
    cells = csv.read_csv(out, convert_options=texts)
    if not cells.num_rows:
        return Published(problem="an empty table")
    labels = score.groups_of(cells.select(people.column_names), cells["row"], people.num_rows)
    return Published(
        score.smallest(labels),
        int((labels < 0).sum()),
        score.information_loss(people, labels, adult.hierarchies()),
    )


HEADER = [
    "program",
    "version",
    "smallest group",
    "k-anonymous",
    "left out",
    "loss",
    "/ Shoal",
    "CPU s",
]


def _line(asked: Contender, found: Mapping[str, Published], k: int) -> Sequence[str]:
    figures = found[asked.title]
    named = asked.requirements[0].partition("==")[2] if asked.requirements else ""
    release = named or (version("shoal") if asked.script == "by_shoal" else "")
    if figures.problem:
        return [asked.title, release, figures.problem, "", "", "", "", ""]
    ours = found[CONTENDERS[0].title].loss
    return [
        asked.title,
        release,
        f"{figures.smallest:,}",
        "yes" if figures.smallest >= k else "**not k-anonymous**",
        f"{figures.left_out:,}",
        f"{figures.loss:,.0f}",
        f"{figures.loss / ours:.2f}" if ours else "",
        f"{figures.seconds:.1f}",
    ]


def _environment(asked: Contender, jar: str) -> Environment:
    if asked.script == ARX.script:
        return Environment(jar, "" if Path(jar).is_file() else "no such jar")
    return installed(asked.home, asked.requirements)


def _command(asked: Contender, home: Environment) -> list[str]:
    if asked.script == ARX.script:
        return ["java", "-cp", home.python, str(HERE / asked.script)]
    return [home.python, str(HERE / f"{asked.script}.py")]


def _problem(done: subprocess.CompletedProcess[str], limit: int) -> str:
    """Say why a program published nothing: killed by its limit, or the kind of its error."""
    if done.returncode < 0:
        return f"no answer within {limit} CPU s"
    return kind_of(done.stderr)
