"""Kernels: the inner loops. Arrays in, arrays out; NumPy and Numba only.

| file or folder | holds |
|---|---|
| `jit/` | the only import of Numba: how kernels are compiled, kept and shipped |
| `waiting` | tells whoever waits that code is being compiled |
| `threads` | pieces of work that don't see each other, side by side |
| `copying`, `costs`, `clusters`, `lloyd`, `guards`, `queries` | kernels that several rooms use |
| `partition/`, `overlap/`, `distortions/`, `review/` | kernels of one room |
| `attacks/`, `mining/`, `networks/` | kernels of one room |
"""
