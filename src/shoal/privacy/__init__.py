"""4. Judge whether groups are safe.

A new privacy model is one file here: a `Model` with a name, a verdict and a measure.
"""
