"""Comparison: several methods at several k on one table, one row of figures for each."""
