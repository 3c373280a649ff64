"""Edge: what comes in and goes out.

Inside the house a table is a `pyarrow.Table` of plain columns, one chunk each.
"""
