"""The port through which the pipeline touches a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa

from shoal.encode.profile import Profile
from shoal.encode.rows import Rows
from shoal.groups import Groups, Watch
from shoal.privacy.promises import Promises
from shoal.recipe import Plan


class Engine(Protocol):
    """Where the work is done. `LocalEngine` is the specification of every other."""

    def profile(self, table: pa.Table, names: Sequence[str]) -> list[Profile]:
        """The different values of some columns, and how often each occurs."""

    def divide(self, rows: Rows, plan: Plan, rng: np.random.Generator, watch: Watch) -> Groups:
        """Groups that keep every promise, or a refusal."""

    def recode(self, table: pa.Table, rows: Rows, groups: Groups, plan: Plan) -> pa.Table:
        """The table as it will be published."""

    def counts(self, published: pa.Table, plan: Plan) -> tuple[Groups, Promises]:
        """The groups as published, recounted from outside; or a refusal."""
