"""Engine: where the work on a table is done, behind a port of four methods; the local one is its
specification.

| file | holds |
|---|---|
| `port` | `Engine`: profile, divide, recode, counts |
| `local` | `LocalEngine`: all of it in this process, in one piece or in shards |
| `sharding` | how a table is cut into shards that can keep every promise; reads nothing but counts that add up |
| `dividing` | groups of a table, or of one of its shards |
| `looks` | what is promised about groups, as they will be published |
"""

from shoal.engine.local import LocalEngine
from shoal.engine.port import Engine

__all__ = ["Engine", "LocalEngine"]
