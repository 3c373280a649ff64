"""Certificates against the published JSON Schemas, as anyone would check them."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator

from conftest import ROOT

REFERENCE = ROOT / "docs" / "reference"
PUBLIC = "certificate.schema.json"
PRIVATE = "certificate.private.schema.json"


def problems(stated: Any, schema: str = PUBLIC) -> list[str]:
    """What a published schema finds wrong with JSON-like data; nothing where they fit."""
    read = json.loads((REFERENCE / schema).read_text("utf-8"))
    Draft202012Validator.check_schema(read)
    return [error.message for error in Draft202012Validator(read).iter_errors(stated)]
