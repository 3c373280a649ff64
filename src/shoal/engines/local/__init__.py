"""The local engine: everything in this process. It specifies the other engines.

| file | holds |
|---|---|
| `engine` | `LocalEngine`, which is its own store, and the six verbs |
| `dividing` | groups of a table, in one piece or shard by shard |
| `recoding` | a table as it is published |
| `added_rows` | rows that the table does not have, put among those that it has |
| `sticky` | groups that people stay in, release after release |
| `joining` | newcomers who take boxes of groups that were published before |
| `balanced` | groups for a model that asks for each sensitive value equally often |
| `invariant` | people of sticky groups who stand beside the same values as before |
| `counterfeits` | rows of nobody that fill such groups up |
| `members` | who is published in which group, where there is a ledger |
| `gate` | groups and promises, recounted from the published values alone |
"""

from shoal.engines.local.engine import LocalEngine

__all__ = ["LocalEngine"]
