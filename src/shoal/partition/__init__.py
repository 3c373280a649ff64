"""3. Divide rows into groups of at least k.

A new method is one file here: a `Method` with a name and a `_divide` (`method.py`). Files without a
method of their own hold what several methods share, such as `refinement` and `repair`.
"""
