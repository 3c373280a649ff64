"""Events: what MkDocs calls while it builds the site."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from tools.site import example_tables, generated, linking
from tools.site.navigation import navigation


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made from the source, and put all pages in their order."""
    for place, text in generated.pages().items():
        files.append(File.generated(config, place, content=text))
    with tempfile.TemporaryDirectory() as folder:
        example_tables.write(Path(folder))
        for file in sorted(Path(folder).iterdir()):
            place = f"examples/{file.name}"
            files.append(File.generated(config, place, content=file.read_bytes()))
    config.nav = navigation(file.src_uri for file in files.documentation_pages())
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Link what a page names in backticks, and explain the words that are ours."""
    return linking.explained(linking.linked(markdown, page.file.src_uri))
