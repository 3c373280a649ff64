"""3". Perturb values: each number moves a little, sums over many stay.

A new distortion is one file here: a `Distortion` (`distortion.py`).
"""
