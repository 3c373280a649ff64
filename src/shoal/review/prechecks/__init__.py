"""Prechecks: run before rows are divided: promises that can't be kept, columns that undo them."""
