"""Kernels of the distortions."""
