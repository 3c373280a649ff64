"""Losses and metrics: one file each, with its formula and an example worked by hand."""
