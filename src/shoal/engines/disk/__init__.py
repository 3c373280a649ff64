"""The disk engine: a table larger than memory, part by part on one machine.

| file | holds |
|---|---|
| `engine` | `DiskEngine`, and the six verbs of its store |
| `memory` | how many rows fit |
| `workspace` | the room for one table, in memory and on disk |
| `reading` | rows become codes on disk |
| `people` | the rows of each person meet on disk |
| `dividing` | shards, divided one after the other |
| `writing` | cells, and rows in their order |
| `recounting` | the gate |
| `release_file` | the release in its temporary folder |
"""

from shoal.engines.disk.engine import DiskEngine

__all__ = ["DiskEngine"]
