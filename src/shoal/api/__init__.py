"""The public door: tables in, verified releases out. It hands an engine to a flow.

| file | holds |
|---|---|
| `anonymizing` | `anonymize` and `compare`; the signature is written by `tools/write_options.py` |
| `engines` | which engine works on a table, and what it takes and gives |
| `release`, `disk_release`, `spark_release` | a release in memory, in a file, on a cluster |
| `ledgers`, `ledger_adding` | what was published before: compared, written down, added later |
| `ledger_recording` | a release that another process made is written down as it is handed over |
| `applying` | `apply`: a new table by the groups that a ledger knows |
| `reporting` | the two reports of a release |
| `auditing` | `audit`, `inspect` and `verify` |
| `attacking`, `mining`, `distorting` | `attack`, `mine` and `distort` |
| `graph`, `reading_graphs` | `graph.anonymize` and the like; graphs as they are handed in |
| `graph_release`, `graph_writing` | releases of graphs; written as a folder, whole or not at all |
| `graph_folder` | releases of graphs read back from their folder, and verified |
| `graph_measures` | who stands alone in a graph, attacks, and what a release is good for |
| `datasets` | the public tables of our tests and benchmarks |
| `arguments` | what users hand in, as plain data |
"""

from shoal.api import datasets
from shoal.api.anonymizing import anonymize, compare
from shoal.api.applying import apply
from shoal.api.attacking import attack
from shoal.api.auditing import audit, inspect, verify
from shoal.api.distorting import distort
from shoal.api.mining import mine
from shoal.api.release import Release

__all__ = [
    "Release",
    "anonymize",
    "apply",
    "attack",
    "audit",
    "compare",
    "datasets",
    "distort",
    "inspect",
    "mine",
    "verify",
]
