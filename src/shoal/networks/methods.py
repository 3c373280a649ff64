"""Methods of graphs by name: `shoal` and `sangreea`, each with `alpha`."""

from __future__ import annotations

from collections.abc import Mapping

from shoal import registry
from shoal.errors import RecipeError, did_you_mean
from shoal.networks.method import GraphMethod
from shoal.networks.network import Network
from shoal.networks.sangreea import Sangreea
from shoal.networks.searching import GraphShoal
from shoal.partition.refinement import Effort

METHODS: Mapping[str, type[GraphMethod]] = {
    method.name: method for method in (GraphShoal, Sangreea)
}


def method_of(text: str, network: Network, effort: Effort = "default") -> GraphMethod:
    """Make a method from what users type: `sangreea`, `shoal:alpha=0.7`."""
    name, given = registry.parse(text)
    if name not in METHODS:
        known = ", ".join(METHODS)
        facts = {"methods of graphs": known}
        raise RecipeError(
            f"method '{name}' does not cluster graphs", facts, did_you_mean(name, METHODS)
        )
    unknown = [key for key in given if key != "alpha"]
    if unknown:
        problem = f"'{name}' has no parameter '{unknown[0]}'"
        raise RecipeError(problem, remedy=f"{name}:alpha=0.5")
    try:
        alpha = float(given.get("alpha", 0.5))
    except ValueError:
        raise RecipeError(f"alpha of '{name}' must be a number", remedy="alpha=0.5") from None
    if name == GraphShoal.name:
        return GraphShoal(network, alpha, effort)
    return METHODS[name](network, alpha)
