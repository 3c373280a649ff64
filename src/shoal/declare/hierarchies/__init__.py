"""Hierarchies: trees over the values of a column.

A new kind is one file here: a `Hierarchy` with a name (`hierarchy.py`).

| file | holds |
|---|---|
| `hierarchy`, `tree` | the base class, and the tree that it lays over a column |
| `file`, `intervals`, `masks`, `us_zip`, `dates`, `nested`, `flat` | kinds that users can name |
| `ladder`, `rungs` | bands of several widths, each of which divides the next |
| `listed` | listed values: a category as a scheme holds it |
| `matching` | values of a column looked up among the leaves |
| `written_tree` | what trees that are written down as a whole have in common: `file`, `nested` |
| `suggesting`, `editing`, `lint` | suggested trees, changes to one, and its faults |
"""
