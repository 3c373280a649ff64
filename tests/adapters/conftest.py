"""Real databases, for whoever asks for one; and a short search for groups."""

from search import short_search
from served import base, folder, postgres, refused, url

__all__ = ["base", "folder", "postgres", "refused", "short_search", "url"]
