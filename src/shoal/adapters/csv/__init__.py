"""CSV files.

| file | holds |
|---|---|
| `table` | a whole file as a table |
| `parts` | a file larger than memory, read part by part |
| `encodings` | the encoding of a file |
"""
