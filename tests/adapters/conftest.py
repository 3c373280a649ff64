"""Sessions on Spark and real databases, for whoever asks for one."""

from clusters import jvm, sail, session
from served import base, folder, postgres, refused, url

__all__ = ["base", "folder", "jvm", "postgres", "refused", "sail", "session", "url"]
