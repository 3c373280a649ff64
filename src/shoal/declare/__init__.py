"""1. What the table is: its columns, their roles, and their hierarchies."""
