"""The local engine: everything in this process."""

from shoal.engines.local.engine import LocalEngine

__all__ = ["LocalEngine"]
