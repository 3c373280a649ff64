"""The soak: attacks Shoal for an hour with random tables, tampering, kills and odd inputs.

Run it by `make soak`, or from the folder `tests` by `python -m soak --hours 0.1 --seed 7`.

| file | holds |
|---|---|
| `__main__.py` | the options of the command, and its exit code |
| `pool.py` | worker processes that carry out cases side by side, and are replaced when they hang |
| `cases.py` | one case by its seed and number; the kinds of cases and their shares |
| `columns.py` | random columns: numbers, dates, codes, trees, odd texts, missing values |
| `requests.py` | random recipes for a random table: roles, models, method, publishing |
| `inputs.py` | tables written to CSV, Parquet, SQLite and DuckDB files by other libraries |
| `releases.py` | a release through a door and an engine, recounted from outside |
| `graphs.py` | a random graph, released into a folder and recounted from outside |
| `tampering.py` | changed releases and certificates that `verify` has to refuse |
| `kills.py` | runs that are killed or find the disk full, and the files they leave |
| `odd_inputs.py` | odd files, names, values and options from a grammar |
| `terminal_runs.py` | one command at the terminal, and the rules that all of them keep |
| `tally.py` | counts of what was done so far, failed cases as files |
| `runs.py` | counts of several runs, and the page in the docs that adds them up |
| `outside/` | the recount, which shares no code with Shoal |
"""
