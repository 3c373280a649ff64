"""Speed and loss beside the peers, in one run: `make bench`."""
