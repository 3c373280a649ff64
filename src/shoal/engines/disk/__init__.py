"""Streaming: a table larger than memory, from parts to a verified release. A flow of its own.

    first reading     the different values of each column, and how often each occurs; they fit into
                      memory, the rows need not
    second reading    each row as codes, to disk; from here on values are met again only when cells
                      are written
    cut               shards by ranges of the axes (see `engine/sharding`), as many as the memory
                      asks for; each gets a file
    divide            one shard after the other, exactly as `LocalEngine(shards=n)` does
    recode            the boxes of all groups become cells; rows are sorted by what is published of
                      them, as everywhere
    write             part by part, in that order
    recount (gate)    what was written is read again as texts, cut by a hash of its cells, and each
                      part judged with the counts of the whole; the hash of the rows is that of
                      every other release

So the file is the one that `LocalEngine(shards=n)` would give with the same seed, row for row. What
does not add up over parts of a table (query-error, percentiles, bounds) is left out of the private
certificate. What is on disk meanwhile are codes, in a folder that only its owner can read and that
is gone whatever happens short of a kill.
"""

from shoal.engines.disk.engine import Outcome, Work, through

__all__ = ["Outcome", "Work", "through"]
