"""Risks: compute how likely a row is found again.

One file each, with its formula and an example worked by hand.
"""
