"""Writes the JSON Schemas of certificates into a folder: `python -m shoal.cli.schemas FOLDER`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from shoal.review.certificate_schema import private_schema, public_schema


def schemas() -> dict[str, str]:
    """Return the text of each schema by the name of its file."""
    made = {
        "certificate.schema.json": public_schema(),
        "certificate.private.schema.json": private_schema(),
    }
    return {name: json.dumps(schema, indent=2) + "\n" for name, schema in made.items()}


def main(folder: str) -> None:
    """Write every schema into a folder."""
    for name, text in schemas().items():
        Path(folder, name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
