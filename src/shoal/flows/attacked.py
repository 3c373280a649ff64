"""Attacked: the gate of attacks. Every release of groups passes it before anyone may see it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from shoal import registry
from shoal.attacks import attacking
from shoal.attacks.attack import Attack, Material
from shoal.attacks.findings import Findings
from shoal.attacks.sight import Seen
from shoal.declare.coding import coded_table
from shoal.encode.rows import Rows
from shoal.errors import ShoalError
from shoal.recipe import Plan, Recipe

ATTACKED = 2_000  # people, before every release: enough to tell 0.05 from nothing
# Material that the maker of a release always has.
AT_HAND = frozenset({"original", "people", "method", "overlapped"})


def withstood(table: pa.Table, rows: Rows, published: pa.Table, plan: Plan) -> Findings:
    """Run the attacks that have their turn before every release.

    Refuses the release where an attack that gates succeeds.
    """
    attacks = [attack() for attack in at_release().values()]
    known = material(published, plan, original=table, encoded=rows, most=ATTACKED)
    return attacking.attack(known, attacks).require(published="nothing")


def at_release() -> dict[str, type[Attack]]:
    """List the attacks that have their turn before every release, by name."""
    return {
        name: attack
        for name, attack in registry.names(Attack).items()
        if attack.at_release and "groups" in attack.flows
    }


def on_overlaps() -> dict[str, type[Attack]]:
    """List the attacks that have their turn before rows with boxes of their own, by name."""
    return {
        name: attack for name, attack in registry.names(Attack).items() if "overlap" in attack.flows
    }


def had_their_turn(recipe: Recipe) -> list[str]:
    """Name the attacks that a release of this recipe has passed, whatever its rows are.

    An attack that finds nobody to try in a table had its turn too. The paper's form of a method is
    published whatever attacks find, so none is named there.
    """
    if recipe.overlaps and recipe.as_published:
        return []
    attacks = on_overlaps() if recipe.overlaps else at_release()
    at_hand = AT_HAND | ({"sensitive"} if recipe.sensitive else set())
    return [name for name, attack in attacks.items() if at_hand.issuperset(attack.needs)]


def passed(findings: Findings) -> Findings:
    """Check that every attack had its turn and that none which gates succeeded.

    An engine that leaves an attack out is refused here, whatever it is.
    """
    lacking = sorted({*at_release()} - {finding.name for finding in findings.all})
    if lacking:
        facts = {"attacks": ", ".join(lacking), "published": "nothing"}
        raise ShoalError("attacks did not have their turn", facts)
    return findings.require(published="nothing")


def material(published: pa.Table, plan: Plan, **known: Any) -> Material:
    """Collect what an attacker may have: a release and its recipe, and what else is known.

    Whoever knows a value knows its coding, too.
    """
    recipe = plan.recipe
    tables = {name: known[name] for name in ("original", "register") if known.get(name) is not None}
    shown = (*recipe.sensitive, *recipe.keep)
    known |= {name: coded_table(table, plan.coding, shown) for name, table in tables.items()}
    trees = {name: tree for name, tree in plan.hierarchies.items() if name in recipe.quasi}
    asked = {"loss": plan.loss, "importance": recipe.importance, "keeps_order": recipe.keep_order}
    published = published.drop_columns(
        [name for name in recipe.roles.weight if name in published.column_names]
    )
    given = {"k": recipe.k, "models": plan.models, "method": plan.method, **asked, **known}
    return Material(Seen(published, recipe.quasi, recipe.sensitive, trees, recipe.keep), **given)
