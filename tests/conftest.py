"""What all tests share: where the real data is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("shoal", deadline=None)  # other people use this machine too
settings.load_profile("shoal")

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("SHOAL_DATA", ROOT.parent / "shared" / "data"))


def data_file(name: str) -> Path:
    """A file of the real data; without it the test is skipped, or fails where CI=true."""
    path = DATA / name
    if not path.exists():
        reason = f"real data '{name}' is not there: set SHOAL_DATA to the folder that holds it"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return path
