"""Hand a release over: what the command line and the studio share for it.

| file | holds |
|---|---|
| `commands` | what to type, at the terminal or in Python, to make a release again |
| `graph_commands` | what to type to make a release of a graph again |
| `figures` | everything that the maker of a release wants to know about it, as plain data |
| `ladders` | the levels of each column in words, and the one that is taken |
| `before_after` | what became of each input row, in input order |
| `folder` | a folder with everything that may leave the house, and beside it what stays |
"""
