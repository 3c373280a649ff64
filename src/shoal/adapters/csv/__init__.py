"""CSV files.

| file | holds |
|---|---|
| `table` | a whole file as a table |
| `parts` | a file larger than memory, read part by part |
| `commas` | numbers with decimal commas, in files with semicolons |
| `encodings` | the encoding of a file |
"""
