"""Compare several methods at several k on one table: one row of figures for each.

| file | holds |
|---|---|
| `comparing` | all cells that are not finished yet, measured |
| `cells` | one method at one k: what is measured of it, and the table of all |
| `accuracy` | what a classifier learns from a release, where that is asked for |
| `workers`, `worker` | cells measured in processes side by side |
| `finished` | finished cells in a file, so that interrupted work can go on |
"""
