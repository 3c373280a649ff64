"""Adapters: read tables, and write releases. Inside, every table is a `pyarrow.Table`.

| file or folder | holds |
|---|---|
| `tables` | anything with rows as an Arrow table, and back |
| `frames`, `plain_arrow` | pandas, Polars and DuckDB; the one shape that a table has inside |
| `pandas_ranges` | intervals and periods of pandas as texts and days |
| `files`, `folders`, `csv/` | CSV, Parquet and Arrow files, and folders of Parquet files |
| `workbooks/`, `json_lines` | Excel files; objects line by line |
| `labelled`, `labelled_writing` | files of SPSS, Stata and SAS, with their labels |
| `cell_columns`, `exact_values` | columns of single values; columns that a format holds exactly |
| `manner`, `extras` | how a file was written; packages that need not be installed |
| `odd_rows` | totals and second headers, told by their place |
| `graph_files` | GraphML, GML, and graphs of other libraries |
| `parts`, `part_writer` | files larger than memory, read and written part by part |
| `databases/` | tables and releases in databases |
| `atomic_files` | outputs that appear together, each whole or not at all |
| `atomic_folders` | a folder that appears whole or not at all, also in place of another |
| `integer_programmes` | the least cost under linear rows, by SciPy |
| `leftovers` | names of temporary files, and removal of what killed runs left |
| `unpack_limits`, `formulas`, `file_metadata` | refusals and findings about files |
| `ledgers/` | what was published before, in one file for a population |
| `second_release` | a note where a folder holds another release of the same table |
| `certificates`, `distorted` | certificates and perturbed tables as files |
| `keys`, `signing`, `papers` | keys, signatures, and their place beside certificates |
| `signature_check`, `strict_json` | whether a key signed a release; JSON that says one thing |
| `progress` | a bar for those who wait in Python, in a terminal or a notebook |
| `demo_graph` | invented patients who shared a ward, as a graph |
| `demo_data` | invented hospital patients |
"""
