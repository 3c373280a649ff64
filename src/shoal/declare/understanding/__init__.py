"""Understanding: one place that decides what the cells of a column are, for every door.

| file | holds |
|---|---|
| `column` | what a column is, decided on all of its different values |
| `table` | the columns of a table in memory, as a recipe asks |
| `reading` | one way to read texts as values |
| `spelled` | plain spellings: numbers, ISO dates and times |
| `dates` | days in other orders, months, quarters |
| `numbers` | decimal commas, thousands, currencies, percent |
| `ages` | ages with a unit |
| `bands` | open ends and ranges |
| `codes` | codes and the levels of their prefixes |
| `missing` | words that mean missing |
"""
