"""What a data miner gets out of a release. A new task is one file here: a `Task` with a name and a
measure.
"""
