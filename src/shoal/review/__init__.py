"""6. What was done, measured: the gate, losses, risks, certificates.

A new metric is one file in `losses/` or `risks/`.
"""
