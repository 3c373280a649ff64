"""Losses: measure how much detail a grouping or its printed cells lost.

A new loss is one file here, with its formula and an example worked by hand: a `Loss` compares
groups with the original, a `PublishedLoss` reads the cells alone.
"""
