"""Attack a release as an adversary would, and compare each guess with one made without it.

A new attack is one file here: an `Attack` with a name and its tries.
"""
