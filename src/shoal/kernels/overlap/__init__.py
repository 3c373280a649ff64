"""Kernels of the methods that give each row a box of its own."""
