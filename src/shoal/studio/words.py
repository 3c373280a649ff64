"""Words: a refusal for someone in front of a page: where to go instead of what to type."""

from __future__ import annotations

import re

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
    "--population": "tell of everybody in another way (Protection)",
    "-k": "choose another k (Protection)",
    "-q": "choose quasi-identifiers (Roles)",
    "-s": "choose a sensitive column (Roles)",
}

INSIDE = {  # what would be typed, where a sentence speaks of it: what it is called here
    r"--model ([\w-]+)(?::(\S+\d))?": r"the promise \1 (\2, see Protection)",
    r"--publish (\w+)": r"cells printed \1 (Protection, More)",
    r"--method (\S+\w)": r"the method \1 (Protection, More)",
    r"--refine": "refine (Protection, More)",
    r"leave --keep-order out": "do not keep the order of the table",
    r"; if its k was promised, tell it here \(-k \d+\)": "",
    r" \((?:--?[a-z]+ \w+(?:, )?)+\)": "",
}


def untyped(sentence: str) -> str:
    """A sentence that was written for the terminal, without anything to type.

    >>> untyped("ask for variety: --model l-diversity:l=2 or more")
    'ask for variety: the promise l-diversity (l=2, see Protection) or more'
    >>> untyped("not possible without another release of the same people (--earlier RELEASE)")
    'not possible without another release of the same people'
    """
    for typed, said in INSIDE.items():
        sentence = re.sub(typed, said, sentence)
    return sentence.replace("(, see Protection)", "(see Protection)")


def in_words(error: ShoalError) -> str:
    """The problem and its facts, and what helps in the studio's own words.

    >>> print(in_words(ShoalError("l is out of reach", {"reachable": 2}, "--model l-diversity:l=2")))
    l is out of reach
      reachable: 2
      what helps: ask for less (Protection)
    """
    facts = "".join(f"\n  {name}: {value}" for name, value in error.facts.items())
    remedy = error.remedy or ""
    typed = [
        word for word in remedy.replace(",", " ").split() if word.startswith("-") and len(word) > 1
    ]
    helps = "; ".join(
        dict.fromkeys(
            WHERE[word.partition("=")[0]] for word in typed if word.partition("=")[0] in WHERE
        )
    )
    helps = helps or ("" if typed else remedy)
    return f"{error.problem}{facts}" + (f"\n  what helps: {helps}" if helps else "")
