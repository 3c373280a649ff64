"""Listing: prints one line for each plug-in, from the registry."""

from __future__ import annotations

import click

from shoal import registry


def show(base: type, title: str = "") -> None:
    """Print names, parameters and summaries of all plug-ins of a room."""
    rows = [
        (
            f"{name}({registry.parameters(plugin)})" if registry.parameters(plugin) else name,
            registry.summary(plugin),
        )
        for name, plugin in registry.names(base).items()
    ]
    if title:
        click.echo(title)
    width = max(len(name) for name, _ in rows)
    for name, summary in rows:
        click.echo(f"{name:<{width}}  {summary}")
