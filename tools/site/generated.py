"""Generated pages: all that are made from the source, by their path under docs/."""

from __future__ import annotations

from tools.site import (
    command_pages,
    notebook_page,
    plugin_pages,
    project_pages,
    python_pages,
    recipe_page,
)


def pages() -> dict[str, str]:
    """Return the text of every generated page."""
    made: dict[str, str] = {}
    for each in (
        command_pages,
        notebook_page,
        plugin_pages,
        project_pages,
        python_pages,
        recipe_page,
    ):
        made |= each.pages()
    return made
