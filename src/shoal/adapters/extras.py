"""Extras: load packages that read and write some formats, or say in one line what to install."""

from __future__ import annotations

import importlib
from typing import Any

from shoal.errors import RecipeError

FILES = "pip install 'shoal[files]'"
PACKAGES = {
    ".xlsx": ("xlsxwriter", "python_calamine"),
    ".sav": ("pyreadstat", "polars"),
    ".zsav": ("pyreadstat", "polars"),
    ".dta": ("pyreadstat", "polars"),
    ".xpt": ("pyreadstat", "polars"),
}
"""The packages by which a file with this ending is written, and read back."""


def loaded(package: str) -> Any:
    """Import a package of the extra `files`; refuse where it is not installed."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise RecipeError(
            "Excel, SPSS, Stata and SAS files need packages that are not installed",
            {"package": package},
            FILES,
        ) from None


def refuse_without(ending: str) -> None:
    """Refuse an ending, before any work, if what writes it is not installed."""
    for package in PACKAGES.get(ending, ()):
        loaded(package)
