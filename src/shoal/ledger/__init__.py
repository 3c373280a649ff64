"""The ledger: what was published before, and what a further release tells together with it.

It measures over arrays; the file in which releases are kept is an adapter (`adapters/ledgers`).

| file | holds |
|---|---|
| `published` | what a ledger keeps of a release: people by keyed hash, groups, cells, counts |
| `past` | releases that were published before, their people numbered; what a store must give |
| `company` | how many people share all groups of a person |
| `differences` | people who joined or left with too few others |
| `described` | what the table of a new release tells about its people now |
| `fitting` | how many people could stand in all boxes of a person |
| `union` | company over columns that releases do not have in common |
| `candidates` | sensitive values that are left for a person |
| `signatures` | sensitive values among which people have to stand in every release |
| `across` | what a release is compared with, and what is done about it |
| `sticky` | where people stand who were published before |
| `comparing` | all of it for one release and those before it |
| `judging` | the refusal where too few people share their groups |
"""
