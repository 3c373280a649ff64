"""Sessions on Spark, for whoever asks for one."""

from clusters import jvm, sail, session

__all__ = ["jvm", "sail", "session"]
