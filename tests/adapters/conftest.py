"""Real databases, for whoever asks for one."""

from served import base, folder, postgres, refused, url

__all__ = ["base", "folder", "postgres", "refused", "url"]
