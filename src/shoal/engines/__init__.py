"""Engines: where the work on a table is done, behind the port that `flows/port.py` declares."""
