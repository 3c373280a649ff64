"""Measure the effects of a distortion on values and clusters.

A new figure is one file here: an `Effect` with a name and a measure.
"""
