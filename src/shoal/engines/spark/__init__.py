"""The Spark engine: a DataFrame in, a DataFrame out, divided in shards where its rows lie.

| file | holds |
|---|---|
| `engine` | `SparkEngine`, and the six verbs of its store |
| `source` | a DataFrame as codes, and the frames that follow |
| `cutting`, `looking`, `profiles`, `recounting`, `fingerprint` | jobs of the six verbs |
| `people`, `repeats` | the rows of each person meet in a task, and ids that repeat are counted |
| `writing` | a release as a folder of files, recounted from these |
| `reading` | a folder as a DataFrame |
| `audit`, `exposure` | what a DataFrame shows |
| `jobs` | what is asked of Spark; nothing in it imports Spark |
| `workers`, `verdicts`, `batches`, `gathered` | what tasks do, and what they tell |
"""

from shoal.engines.spark.engine import SparkEngine

__all__ = ["SparkEngine"]
