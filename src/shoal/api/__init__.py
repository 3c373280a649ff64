"""The public door: tables in, verified releases out. It hands an engine to a flow.

| file | holds |
|---|---|
| `anonymizing` | `anonymize` and `compare`; the signature is written by `tools/write_options.py` |
| `engines` | which engine works on a table, and what it takes and gives |
| `release`, `disk_release`, `spark_release` | a release in memory, in a file, on a cluster |
| `reporting` | the two reports of a release |
| `auditing` | `audit`, `inspect` and `verify` |
| `attacking`, `mining`, `distorting` | `attack`, `mine` and `distort` |
| `arguments` | what users hand in, as plain data |
"""

from shoal.api.anonymizing import anonymize, compare
from shoal.api.attacking import attack
from shoal.api.auditing import audit, inspect, verify
from shoal.api.distorting import distort
from shoal.api.mining import mine
from shoal.api.release import Release

__all__ = [
    "Release",
    "anonymize",
    "attack",
    "audit",
    "compare",
    "distort",
    "inspect",
    "mine",
    "verify",
]
