"""Cases of a soak: each is drawn from a seed and a number alone, so that it can be run again."""

from __future__ import annotations

import shutil
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from soak import graphs, kills, ledgers, odd_inputs, releases, tampering
from soak.releases import Done

KINDS: dict[str, tuple[Callable[[Random, Path], Done], float]] = {
    "release": (releases.released, 100.0),
    "odd input": (odd_inputs.odd_input, 9.0),
    "tampering": (tampering.tampered, 1.0),
    "graph": (graphs.released, 3.0),
    "ledger": (ledgers.released, 2.0),
    "terminal": (odd_inputs.in_own_process, 0.1),
    "kill": (kills.killed, 0.1),
    "full disk": (kills.disk_full, 0.05),
}
"""The kinds of cases, and how often each is drawn."""


@dataclass(frozen=True)
class Case:
    """One case of a soak, by the seed of the soak and its number in it."""

    seed: int
    number: int
    kinds: tuple[str, ...] = tuple(KINDS)

    @property
    def kind(self) -> str:
        """The kind of this case."""
        rng = Random(f"kind {self.seed} {self.number}")
        return rng.choices(self.kinds, [KINDS[kind][1] for kind in self.kinds])[0]

    def run(self) -> Done:
        """Carry the case out in an empty folder; whatever is raised is a fault of ours."""
        rng = Random(f"case {self.seed} {self.number}")
        folder = Path(tempfile.mkdtemp(prefix="soak."))
        try:
            return KINDS[self.kind][0](rng, folder)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}:{where.lineno}"
            return Done("broken", {}, [f"{type(error).__name__} at {place}"])
        finally:
            shutil.rmtree(folder, ignore_errors=True)
