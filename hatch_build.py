"""Put compiled code into the wheel, where `make wheel` has made some (tools/ship_kernels.py).

Such a wheel is for one version of Python on one kind of machine; without code it is for all.
"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "SHOAL_SHIPPED"  # the environment says where the code is


class CompiledCode(BuildHookInterface[Any]):
    """Adds a folder of compiled code to a wheel, and names what the wheel is for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the code before the wheel is written."""
        named = os.environ.get(FOLDER)
        if version == "editable" or not named or not Path(named).is_dir():
            return
        build_data["force_include"][str(Path(named).resolve())] = "shoal/kernels/shipped"
        build_data["pure_python"] = False
        build_data["tag"] = f"cp{sys.version_info[0]}{sys.version_info[1]}-none-{_platform()}"


def _platform() -> str:
    """Name the kind of machine; the code asks nothing of the system's libraries."""
    if sys.platform == "linux":
        return f"manylinux_2_17_{platform.machine()}"
    from sysconfig import get_platform

    return get_platform().replace("-", "_").replace(".", "_")
