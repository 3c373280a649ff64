"""The local engine: everything in this process. It specifies the other engines.

| file | holds |
|---|---|
| `engine` | `LocalEngine`, which is its own store, and the six verbs |
| `dividing` | groups of a table, in one piece or shard by shard |
| `recoding` | a table as it is published |
| `gate` | groups and promises, recounted from the published values alone |
"""

from shoal.engines.local.engine import LocalEngine

__all__ = ["LocalEngine"]
