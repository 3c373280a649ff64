"""Kernels of the attacks."""
