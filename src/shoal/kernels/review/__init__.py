"""Kernels of the recounts and risks."""
