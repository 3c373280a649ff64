"""What a distortion does to values and to clusters. A new figure is one file here: an `Effect` with
a name and a measure.
"""
