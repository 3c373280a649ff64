"""2. Encode columns as axes: ordered lines of codes on which a group is a box.

| file | holds |
|---|---|
| `profile` | the different values of a column, their counts, and the code of each row |
| `axes`, `levels`, `covers` | a quasi-identifier as an ordered line, and how it is generalized |
| `costs`, `prices` | integer costs of the axes under a loss, and the price of `*` |
| `rows` | the table as methods see it, each combination of codes once |
| `hashed` | a number for each text, to compare rows that lie elsewhere |
| `shards` | parts of a table, cut by ranges of its axes |
| `queries` | random count queries, to measure releases with |
"""
