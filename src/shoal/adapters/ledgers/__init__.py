"""Ledgers as files: one SQLite file for the releases of a population, and its key beside it.

| file | holds |
|---|---|
| `ledger_file` | `LedgerFile`: opens a ledger, reads its past, appends entries, checks all of it |
| `entries` | the table of entries: append-only, each hashes the one before |
| `ledger_key` | the key of a population, and keyed hashes of people |
| `writer` | one writer at a time, and who that is |
| `packed` | what a release leaves in the ledger, as bytes |
| `prepared` | what a ledger is to keep of a release that another process hands over |
| `recording` | a pending entry, the files, the completed entry |
"""

from shoal.adapters.ledgers.ledger_file import LedgerFile

__all__ = ["LedgerFile"]
