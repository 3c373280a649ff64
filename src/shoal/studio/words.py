"""Words: refusals and findings for someone at a page: where to go instead of what to type."""

from __future__ import annotations

from collections.abc import Mapping

from shoal import screen
from shoal.errors import RecipeError, ShoalError
from shoal.wording import Blank, Call, OneOf, Option, Remedy, Sentence, Set, alternatives, said

WHERE = {  # an option that a remedy would set: where the same is chosen here
    "encoding": "choose another encoding (Table)",
    "delimiter": "choose another delimiter (Table)",
    "force_keep": "leave it out, or publish it all the same (Roles, More)",
    "keep": "give the column another role (Roles)",
    "hierarchies": "choose another hierarchy (Hierarchies)",
    "models": "ask for less (Protection)",
    "withhold": "let some rows be left out (Protection)",
    "method": "choose another method (Protection, More)",
    "publish": "print cells in another way (Protection, More)",
    "missing": "take missing for a value of its own (Protection, More)",
    "population": "tell of everybody in another way (Protection)",
    "ledger": "name a ledger (Protection, Published before)",
    "across": "keep people in their groups, or only measure (Protection, Published before)",
    "leavers": "say what becomes of groups that people left (Protection, Published before)",
    "recipient": "say who gets it (Protection, Published before)",
    "k": "choose another k (Protection)",
    "quasi": "choose quasi-identifiers (Roles)",
    "sensitive": "choose a sensitive column (Roles)",
    "person": "choose the column that says whose row it is (Roles, More)",
    "simplify": "count each pair once (Graph)",
    "most_dense": "let clusters show all of their edges (Graph, More)",
    "rows_are_persons": "say that each row is a person of their own (Protection, More)",
}

LEFT_OUT = {  # what it is called to leave an option out
    "keep_order": "do not keep the order of the table"
}


def percent(share: float | None) -> str:
    """Write a share; nothing is 0 % on a page, where a dash would say that it is not known.

    >>> percent(0.0), percent(0.001), percent(0.617), percent(None)
    ('0 %', '<1 %', '62 %', '?')
    """
    if share == 0:
        return "0 %"
    return screen.percent(share)


class Studio:
    """The door of the browser: nothing is typed, and options are things on a page.

    >>> print(STUDIO.setting(Set("models", ["l-diversity:l=2"])))
    the promise l-diversity with l = 2 (Protection)
    >>> from shoal.wording import FILE
    >>> print(STUDIO.setting(Set("original", FILE, "the original table")))
    the original table
    """

    def option(self, option: Option) -> str:
        """Spell the name of an option with blanks."""
        return option.name.replace("_", " ")

    def setting(self, setting: Set) -> str:
        """Say what a setting is good for, or what it is called on its page."""
        if setting.value is None or setting.value is False:
            name = setting.option.replace("_", " ")
            return LEFT_OUT.get(setting.option, f"leave {name} out")
        return setting.why or _on_its_page(setting)

    def call(self, call: Call) -> str:
        """Name the command, which runs outside the studio."""
        return f"shoal {call.function} at the terminal"


STUDIO = Studio()


def untyped(words: str) -> str:
    """Spell a sentence without anything to type.

    >>> untyped(Sentence("ask for variety: ", Set("models", ["l-diversity:l=2"]), " or more"))
    'ask for variety: the promise l-diversity with l = 2 (Protection) or more'
    """
    return said(words, STUDIO)


def in_words(error: ShoalError) -> str:
    """Say the problem and its facts, and what helps in the studio's own words.

    >>> reachable = Remedy(Set("models", ["l-diversity:l=2"]))
    >>> print(in_words(ShoalError("l is out of reach", {"reachable": 2}, reachable)))
    l is out of reach
      reachable: 2
      what helps: ask for less (Protection)
    """
    if isinstance(error, RecipeError) and error.errors:
        listed = [in_words(each).replace("\n", "\n  ") for each in error.errors]
        return "\n- ".join([untyped(error.problem), *listed])
    facts = "".join(f"\n  {name}: {fact}" for name, fact in error.facts_said(STUDIO).items())
    helps = "; ".join(_helps(error.remedy)) if error.remedy else ""
    return f"{untyped(error.problem)}{facts}" + (f"\n  what helps: {helps}" if helps else "")


def replaced(words: str, old: str, new: str) -> Sentence:
    """Replace a text in a sentence, such as the place of a file by its name; options stay."""
    parts = Sentence(words).parts
    return Sentence(*(part.replace(old, new) if isinstance(part, str) else part for part in parts))


def _helps(remedy: str) -> list[str]:
    """Name each page on which something helps; what can't be set here is left out."""
    ways = Remedy(remedy).ways
    helps = [untyped(way) for way in ways if not _typed(way)]
    settings = Remedy(remedy).settings
    helps += [WHERE[setting.option] for setting in settings if setting.option in WHERE]
    return list(dict.fromkeys(helps))


def _typed(way: Sentence) -> bool:
    return any(not isinstance(part, str) for part in way.parts)


def _on_its_page(setting: Set) -> str:
    name = setting.option.replace("_", " ")
    if isinstance(setting.value, Blank):  # which one, only the reader knows
        return name
    value = _shown(setting.value)
    if setting.option == "models":
        promise = value.replace(":", " with ").replace("=", " = ")
        return f"the promise {promise} (Protection)"
    if setting.option == "method":
        return f"the method {value} (Protection, More)"
    if setting.option == "publish":
        return f"cells printed {value} (Protection, More)"
    if setting.option == "most_dense":
        return f"show at most {value} of possible edges (Graph, More)"
    if setting.option == "refine":
        return "refine (Protection, More)"
    return f"{name} = {value}"


def _shown(value: object) -> str:
    """Show a value without brackets: several with commas between, of columns behind their names."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_shown(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_shown(one) for one in value)
    if isinstance(value, OneOf):
        return alternatives([_shown(one) for one in value.values])
    return value.name if isinstance(value, Blank) else str(value)
