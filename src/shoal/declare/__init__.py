"""1. Declare what a table is.

| file or folder | holds |
|---|---|
| `columns` | the kind of each column, its points on a line, its values as text |
| `numbering` | the numbers of a column's different values, found once for all stages of a run |
| `understanding/` | what the cells of a column are, decided once for every door |
| `column_names` | suggestions for a name that is not there, unless names may be cells |
| `roles` | which columns are generalized, guarded, dropped or kept |
| `hierarchies/` | trees over the values of a column |
| `coding`, `open_ends` | values rounded and capped before grouping; the spelling of `90+`, `<=5` |
| `coarseness` | how coarse cells must be at least and may be at most, as it is asked |
| `widths`, `within_levels` | that on a line, as bands; and in a hierarchy, as levels |
| `banded` | columns that came in bands or with open ends |
| `places`, `percentiles` | numbers and dates as texts, in exact decimals; ends by rank |
| `coding_refusals` | why a coding is refused, and what helps |
| `memory` | what a table needs in memory, and the refusal where there is too little |
"""
