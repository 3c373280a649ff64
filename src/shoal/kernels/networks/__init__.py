"""Kernels of graphs: what clusters of nodes share, and how they are found."""
