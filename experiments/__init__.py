"""The founding papers' experiments, rerun on the real data: `make experiments`."""
