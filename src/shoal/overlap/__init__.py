"""3'. Give each row a box of its own.

Boxes overlap, which loses less than groups and promises other things. A new method is one file
here: an `Overlap` (`overlap.py`).

| file | holds |
|---|---|
| `overlap` | the base class |
| `nsvdist`, `weighing` | the method, and the cost of a neighbourhood under each loss |
| `hiding`, `rings`, `repairs`, `matching` | how people are hidden in boxes |
| `concealment`, `cover` | how well they are hidden |
| `speech`, `values` | the sensitive values that are published beside boxes |
"""
