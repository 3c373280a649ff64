"""Risks: compute how likely a person is found again, or something is learnt about one.

A new risk is one file here, with its formula and an example worked by hand: a `Risk` with a name
and a measure.
"""
