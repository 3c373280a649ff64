"""The recount of a soak: reads releases and counts promises without one line of Shoal.

| file | holds |
|---|---|
| `tables.py` | original columns, and tables read from files by other libraries |
| `cells.py` | published cells: which original values each may stand for |
| `promises.py` | privacy models, counted in fractions from the words of their papers |
| `matching.py` | possible matches of people and rows, by a matching of our own |
| `graphs.py` | a release of a graph, from the files of its folder |
| `recount.py` | a release beside its original and what was asked: lists broken promises |

No module here imports Shoal, or a module that does; `tests/architecture` keeps that.
"""
