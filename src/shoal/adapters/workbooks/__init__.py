"""Workbooks: tables in Excel files.

| file | holds |
|---|---|
| `archive` | limits of what a workbook unpacks to, and what its sheets hold beside values |
| `grid` | the header and the rows in a grid of cells, or why there is no table in it |
| `reading` | the table of one sheet |
| `writing` | a release as a workbook |
"""
