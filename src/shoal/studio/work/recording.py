"""Recording: writes a release into its ledger as it is handed over."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal.adapters.ledgers.prepared import Prepared
from shoal.api.ledger_recording import record_prepared
from shoal.handover.folder import Handed
from shoal.studio.ledger_choice import RECORDED
from shoal.studio.projects import write_whole
from shoal.studio.work.anonymizing import PREPARED
from shoal.studio.work.telling import Tell


def do(tell: Tell, folder: str, handed: str, ledger: str, name: str) -> dict[str, Any]:
    """Write the release of a run into a ledger, as the file that is handed over.

    Where it was written down before, nothing more is: the same release in another form is no new
    one.
    """
    tell("writing it into the ledger")
    home = Path(folder)
    prepared = Prepared.read(home / PREPARED)
    recorded = asdict(record_prepared(ledger, prepared, Handed(Path(handed)).release, name))
    write_whole(home / RECORDED, json.dumps({"ledger": ledger, **recorded}))
    return recorded
