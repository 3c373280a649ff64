"""Kernels: the inner loops. Arrays in, arrays out; NumPy and Numba only.

| file or folder | holds |
|---|---|
| `jit` | the only import of Numba: how kernels are compiled and cached |
| `costs`, `clusters`, `lloyd`, `guards`, `queries` | kernels that several rooms use |
| `partition/`, `overlap/`, `distortions/`, `review/`, `attacks/`, `mining/` | kernels of one room |
"""
