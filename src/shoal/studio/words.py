"""Words: a refusal for someone in front of a page: where to go instead of what to type."""

from __future__ import annotations

from shoal.errors import ShoalError

WHERE = {  # what a remedy would have typed: where the same is chosen here
    "--encoding": "choose another encoding (Table)",
    "--delimiter": "choose another delimiter (Table)",
    "--force-keep": "leave it out, or publish it all the same (Roles, More)",
    "--keep": "give the column another role (Roles)",
    "--hierarchy": "choose another hierarchy (Hierarchies)",
    "--model": "ask for less (Protection)",
    "--withhold": "let some rows be left out (Protection)",
    "--method": "choose another method (Protection, More)",
    "--publish": "print cells in another way (Protection, More)",
    "--missing": "take missing for a value of its own (Protection, More)",
    "-k": "choose another k (Protection)",
    "-q": "choose quasi-identifiers (Roles)",
    "-s": "choose a sensitive column (Roles)",
}


def in_words(error: ShoalError) -> str:
    """The problem and its facts, and what helps in the studio's own words.

    >>> print(in_words(ShoalError("l is out of reach", {"reachable": 2}, "--model l-diversity:l=2")))
    l is out of reach
      reachable: 2
      what helps: ask for less (Protection)
    """
    facts = "".join(f"\n  {name}: {value}" for name, value in error.facts.items())
    remedy = error.remedy or ""
    typed = [word for word in remedy.replace(",", " ").split() if word.startswith("-") and len(word) > 1]
    helps = "; ".join(dict.fromkeys(WHERE[word.partition("=")[0]] for word in typed if word.partition("=")[0] in WHERE))
    helps = helps or ("" if typed else remedy)
    return f"{error.problem}{facts}" + (f"\n  what helps: {helps}" if helps else "")
