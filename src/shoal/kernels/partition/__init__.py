"""Kernels of the methods that put rows into groups, and of what refines and repairs these."""
