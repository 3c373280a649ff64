"""Hierarchies: trees over the values of a column.

A new kind is one file here: a `Hierarchy` with a name (`hierarchy.py`).

| file | holds |
|---|---|
| `hierarchy`, `tree` | the base class, and the tree that it lays over a column |
| `file`, `intervals`, `ladder`, `masks`, `dates`, `nested`, `flat` | the kinds that users name |
| `rungs` | the widths of a ladder |
| `listed` | listed values: a category as a scheme holds it |
| `matching` | values of a column looked up among the leaves |
| `suggesting`, `editing`, `lint` | suggested trees, changes to one, and its faults |
"""
