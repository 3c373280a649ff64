"""Prechecks: refuse before rows are divided.

| file | holds |
|---|---|
| `feasible` | refusals of promises that no grouping of the table can keep |
| `entropy` | how much of a quasi-identifier a column beside it takes away |
| `kept` | columns that are published as they are and undo the promises |
| `repeated` | several rows about one person, of whom nobody said so |
| `population` | how many people there are behind a table, and what is wrong with their number |
"""
