"""Measure what a data miner can still do with a release.

A new task is one file here: a `Task` with a name and a measure.
"""
