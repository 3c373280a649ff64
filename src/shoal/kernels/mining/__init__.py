"""Kernels of the mining tasks."""
