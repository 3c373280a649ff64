"""Questions: the three that a reader asks of a release, each a section of the report.

Singling out, linkability, inference.

They are those of the European data protection authorities (Article 29 Working Party, Opinion
05/2014 on anonymisation techniques, WP216). Every risk says which one it answers; an attack that
speaks of a column is about inference, another one about finding rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from shoal.review.certificate_format import HiddenCounts, OverlapCertificate, StatedAttack
from shoal.review.measured_model import MeasuredModel
from shoal.review.report.document import Bars, FigureTable, Part, Section, Text
from shoal.review.report.facts import Facts
from shoal.review.risks.risk import Figure
from shoal.screen import fine_percent

PROMISED = {
    "k-1": "every row fits at least {k:,} people. A person may still be fitted by one row alone.",
    "1-k": "every person is fitted by at least {k:,} rows. A row may still fit one person alone.",
    "k-k": "every row fits at least {k:,} people, and every person is fitted by at least {k:,} "
    "rows.",
    "k-concealment": "at least {k:,} rows could be each person's own, while everybody else has a "
    "row too.",
}

UNCOMPARED = (
    "Not computed, as they compare with everybody the people of the table were taken from, who "
    "were not given:"
)
GAINED = (
    "Gained is the share of the guesses that would have been wrong without the release and are "
    "right with it: 0 % is nothing, 100 % is all."
)


def singling_out(facts: Facts) -> Section:
    """Can one row be told apart from all others?"""
    known = ", ".join(facts.columns.quasi)
    ask = f"Can one row be told apart from all others by what someone may know ({known})?"
    k = facts.recipe["k"]
    public = facts.certificate
    if isinstance(public, OverlapCertificate):
        promise = public.promise
        said = "Each row has a box of its own here, so rows do differ. What is promised instead is "
        said += f"{promise}: {PROMISED.get(promise, '').format(k=k)}"
        hidden = [] if facts.hidden is None else [_concealment(facts, facts.hidden.concealment)]
        return Section("Singling out", (Text(ask), Text(said), *hidden))
    said = (
        f"No. Every row looks like at least {k - 1:,} others on these columns: at least {k:,} "
        "rows share all their cells."
    )
    if k < 2:
        said = "Yes: k is 1, so a row may be the only one of its kind."
    return Section("Singling out", (Text(ask), Text(said), *_risks(facts, "singling out")))


def _concealment(facts: Facts, hidden: HiddenCounts) -> FigureTable:
    """Tell the counts of whoever is hidden worst, and how many are not hidden as they should."""
    rows = [
        (f"fewest {what}", many) if what in hidden.fewest else (what, facts.count(many))
        for what, many in hidden.as_dict().items()
    ]
    return FigureTable(("counted", "number"), tuple(rows))


def linkability(facts: Facts) -> Section:
    """Can a name be put to a row?"""
    k = facts.recipe["k"]
    ask = (
        "Can someone who knows a person, and knows that this person is in the table, find the "
        "person's row?"
    )
    public = facts.certificate
    if isinstance(public, OverlapCertificate):
        said = (
            "Possible matches need not be equally likely. How likely the likeliest link of a "
            "person and a row is follows from the original, and is known to its maker alone."
        )
        if facts.hidden is None:
            return Section("Linkability", (Text(ask), Text(said), *_attacks(facts, False)))
        link = facts.hidden.link
        said = (
            "The likeliest link of a person and a row, taken over everybody, is shown beside its "
            "limit."
        )
        if link.largest is not None:
            rows = (("likeliest link of a person and a row", link.largest), ("limit", link.limit))
            return Section(
                "Linkability",
                (
                    Text(ask),
                    Text(said),
                    FigureTable(("chance", "figure"), rows),
                    *_attacks(facts, False),
                ),
            )
        return Section("Linkability", (Text(ask), *_attacks(facts, False)))
    said = (
        f"Only by chance: at least {k:,} rows fit, so a guess is right in one of {k:,} cases at "
        f"most ({fine_percent(1 / k)})."
    )
    if k < 2:
        said = "Yes: k is 1, so one row alone may fit."
    return Section(
        "Linkability",
        (Text(ask), Text(said), *_risks(facts, "linkability"), *_attacks(facts, False)),
    )


def inference(facts: Facts) -> Section:
    """Can something be learnt about a person without finding the row?"""
    ask = (
        "Can something be learnt about a person without finding the row? Being one of many is no "
        "help where all agree."
    )
    sensitive = facts.columns.sensitive
    if not sensitive:
        return Section(
            "Inference",
            (Text(ask), Text("No column was declared sensitive, so none is guarded against it.")),
        )
    models = [one for one in facts.models if one.column is not None]
    said = f"Sensitive here: {', '.join(sensitive)}. "
    parts: list[Part] = [Text(ask)]
    if models:
        parts += [
            Text(f"{said}What each group must keep, and what was measured in the worst one:"),
            _models(facts, models),
        ]
    elif facts.sizes is not None:
        parts.append(
            Text(
                f"{said}No privacy model was asked for, so nothing is promised: groups may agree "
                "on a value."
            )
        )
    else:
        parts.append(
            Text(
                f"{said}No privacy model is about rows with boxes of their own: how values are "
                "told protects them."
            )
        )
    return Section("Inference", (*parts, *_risks(facts, "inference"), *_attacks(facts, True)))


def _models(facts: Facts, models: list[MeasuredModel]) -> FigureTable:
    rows = []
    for one in models:
        given = ", ".join(f"{name} = {value}" for name, value in one.parameters.items())
        called = f"{one.model} ({given})" if given else one.model
        rows.append((called, one.column, one.measured, facts.meaning(one.model)))
    return FigureTable(("model", "column", "measured", "what it says"), tuple(rows))


def _risks(facts: Facts, question: str) -> list[Part]:
    """Show the risks that answer a question, before and after.

    In bars, and in a table that says what each is.
    """
    names = [
        name
        for name, meaning in facts.glossary.items()
        if meaning.question == question and name in facts.after
    ]
    rows = []
    unknown = []
    for name in names:
        before = parted(name, facts.before.get(name))
        after = parted(name, facts.after[name])
        there = {label: value for label, value in after.items() if value is not None}
        unknown += [] if there else [name]
        rows += [
            (label, before.get(label), value, facts.meaning(name)) for label, value in there.items()
        ]
    parts: list[Part] = []
    labels = tuple(row[0] for row in rows)
    if rows and facts.before:
        parts = [
            Bars(
                "Risks before and after, from 0 to 1",
                ("before", "after"),
                labels,
                tuple(row[1:3] for row in rows),
                1.0,
            ),
            FigureTable(("risk", "before", "after", "what it says"), tuple(rows)),
        ]
    elif rows:
        parts = [
            Bars(
                "Risks of the release, from 0 to 1",
                ("after",),
                labels,
                tuple(row[2:3] for row in rows),
                1.0,
            ),
            FigureTable(
                ("risk", "after", "what it says"),
                tuple((name, after, words) for name, _, after, words in rows),
            ),
        ]
    if unknown:
        parts.append(Text(f"{UNCOMPARED} {', '.join(unknown)}."))
    return parts


def parted(name: str, figure: Figure) -> dict[str, float | None]:
    """A figure by name; one that has parts, once for each column."""
    if isinstance(figure, Mapping):
        return {f"{name} of {column}": value for column, value in figure.items()}
    return {name: figure}


def _attacks(facts: Facts, of_columns: bool) -> list[Part]:
    """Show the gain of attacks, beside the same guess without the release; in public the names."""
    if facts.public:
        return [] if of_columns else _passed(facts)
    attacks = [one for one in facts.attacks if (one.column is not None) == of_columns]
    if not attacks:
        return []
    called = [one.name + (f" of {one.column}" if one.column else "") for one in attacks]
    bars = tuple((one.control, one.attack) for one in attacks)
    rows = tuple(
        (
            name,
            facts.count(one.trials),
            fine_percent(one.control),
            fine_percent(one.attack),
            _gained(one),
            facts.meaning(one.name),
        )
        for name, one in zip(called, attacks, strict=True)
    )
    columns = (
        "attack",
        "people tried",
        "right without the release",
        "right with it",
        "gained over guessing",
        "what it tries",
    )
    title = "Attacks: share of right guesses, from 0 to 1"
    return [
        Text(
            "Attacks that were tried before it was published, by someone who knows everybody's "
            "generalized columns exactly:"
        ),
        Text(GAINED),
        Bars(title, ("without the release", "with it"), tuple(called), bars, 1.0),
        FigureTable(columns, rows),
    ]


def _passed(facts: Facts) -> list[Part]:
    """Name the attacks that had their turn; what they found follows from the original."""
    names = facts.certificate.attacks
    if not names:
        return []
    rows = tuple((name, facts.meaning(name)) for name in names)
    return [
        Text(
            "Attacks that had their turn before it was published, by someone who knows everybody's "
            "generalized columns exactly. It withstood all that must fail; what each of them "
            "found is known to its maker alone:"
        ),
        FigureTable(("attack", "what it tries"), rows),
    ]


def _gained(one: StatedAttack) -> str:
    gained, low, high = (fine_percent(share) for share in (one.advantage, one.low, one.high))
    return f"{gained} ({low} to {high})"
