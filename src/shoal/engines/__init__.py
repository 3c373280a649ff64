"""Engines: where the work on a table is done, behind the port that `flows/port.py` declares.

| folder or file | holds |
|---|---|
| `local/` | `LocalEngine`: in this process, in one piece or in shards; it specifies the others |
| `disk/` | `DiskEngine`: part by part under a memory limit |
| `spark/` | `SparkEngine`: on a cluster; the only place that imports Spark |
| `dividing` | groups of a table, or of one of its shards |
| `widest_cells`, `pacing` | parts of a table whose cells have a widest one; the plan of a part |
| `guarding_costs` | an estimate of what each guarded column and each model took of the detail |
| `sharding` | how a table is cut into shards that can keep every promise |
| `promises` | what is promised about groups, as they will be published |
| `encoding`, `profiles` | a table whose rows lie elsewhere, as codes along its values |
| `people`, `repeats` | whose row it is where rows lie elsewhere, and how often ids repeat there |
| `prechecks` | what is refused before the work on such a table |
| `row_files`, `ordering` | rows of codes in temporary files, and how they are sorted |
| `cells`, `judging` | boxes as cells, and published rows judged part by part |
| `losses`, `attacked` | losses that add up, and whose rows are attacked |
"""
