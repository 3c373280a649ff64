"""The public door: tables in, verified releases out."""

from shoal.api.anonymizing import anonymize, compare
from shoal.api.attacking import attack
from shoal.api.auditing import audit, inspect, verify
from shoal.api.distorting import distort
from shoal.api.mining import mine
from shoal.api.release import Release

__all__ = [
    "Release",
    "anonymize",
    "attack",
    "audit",
    "compare",
    "distort",
    "inspect",
    "mine",
    "verify",
]
