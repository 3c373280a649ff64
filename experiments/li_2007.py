"""Li, Xu, Chu & Wang 2007: chaotic distortion for k-means, its four tables, and what attacks
regain.

python -m experiments.li_2007 [--quick]
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence

import numpy as np

from experiments import printed_2007 as printed
from experiments import protection
from experiments import verdicts_2007 as verdicts
from experiments.families import DRAWS, FILES, RANGES, RUNS, Found, Reading, family, numbers_in
from experiments.page import Page
from experiments.protection import METHODS, Protection
from experiments.runs import Options, options, say
from experiments.significance import Significance, p_of_f, paired, variance_analysis
from experiments.verdicts import UNKNOWN, Finding
from shoal.attacks.attack import LIMIT
from shoal.distortions.chance import Chance
from shoal.distortions.chaotic import Chaotic
from shoal.distortions.distortion import Distortion
from shoal.registry import make
from shoal.review import charts
from shoal.review.effects.effect import Pair

LITERAL = Reading("own", "apart", "once")
"""The steps as they are printed: noise drawn once, each table by its own ranges, own starts."""
FITTING = Reading("original", "together", "each")
"""What reproduces the printed tables 2 and 3 best."""
JUDGED = {"the steps as printed": LITERAL, "the reading that fits": FITTING}
COPIES = 10
ORBITS = {"one orbit a column": "chaotic", "an orbit of its own in each cell": "chaotic:orbit=cell"}
"""How the initial condition *matrix* can be read: a start for each column, or for each cell."""
GROUPED = "microaggregated-noise:scale=0.05"
SCALES = (0.02, 0.05, 0.1, 0.2, 0.4)
NOTES = {
    "readings": (
        "How many times the measured CID lies above or below the printed one, typically (1 = "
        "equal). *ranges*: by which both tables are normalized. *centres*: of ten runs from the "
        "same rows in both tables (together) or from rows of their own (apart), of the best run "
        "of ten, or the perturbed table starts at the original's centres (warm). Normalizing the "
        "perturbed table by its own ranges, which noise widens, shifts all centres together and "
        "can't be what was done. Below, all figures are those of original ranges, same rows, "
        "noise drawn anew in each run: chosen because it fits table 2 (with noise drawn once, "
        "equally well) and table 3 (which tells the draws apart), so that these two tables are "
        "no proof of it."
    ),
    "judged": (
        "A claim holds if it does in every table or at every number of clusters, in part if in "
        "some. The printed steps normalize each table by its own ranges, draw noise once, and "
        "start each clustering at rows of its own. No reading was chosen for its verdicts: the one "
        "that fits is the one that comes closest to the printed figures of tables 2 and 3."
    ),
    "table 3": (
        "The printed p belong to 10 and 99 degrees of freedom, so a table contributed ten "
        "figures. Had every table been perturbed once, its runs would share one noise and tables "
        "would differ by it; F near 1 says that noise was drawn anew in each run."
    ),
    "table 4": (
        "A t near 3.9 at every number of clusters is what 44 pairs give when one family of four "
        "dwarfs the others: it was computed on values in their own units, in which money "
        "outweighs all else. It tests little more than that PPD is above 0."
    ),
    "attacks": (
        "*known record*, *blind*: cells regained exactly beyond reading them. *spectral*, "
        "*Bayes*: share of the error taken away. *linked*: people found by nearness. *left*: "
        "error after the better filter, *near*: values within a hundredth of the range, "
        "*centres*: how far centres of 4 clusters move (median of 12 draws, warm start), "
        "*refused*: draws."
    ),
    "equal": (
        "Each method at the largest scale at which centres move no further than those of "
        "`chaotic` at 0.1 do. Where they move further although scale is next to nothing, taking "
        "means of groups alone moves them that far."
    ),
}
Families = Mapping[str, Sequence[Mapping[int, Found]]]


def main() -> None:
    """Measure, judge, write."""
    begun = time.process_time()  # nothing is kept of this page: it is measured in one go
    asked = options("li_2007", __doc__)
    page = Page(
        asked,
        "Li, Xu, Chu & Wang 2007: k-means on tables with chaotic noise",
        (
            "J. Li, Y. Xu, C.-H. Chu, Y. Wang (2007), Privacy preserving k-means clustering "
            "with chaotic distortion, ICEB 2007."
        ),
        "Census (1,080 rows, 13 columns), Boston housing (506, 14; the paper has 15), Tarragona "
        "(834, 13) and CPS wages of 1985 (534, 11; categories as codes), each as it is and in "
        f"ten other orders, scale 0.1, r = 4, 2 to 8 clusters, ten runs. {printed.DOUBTFUL}",
    )
    say("li_2007: families")
    families = {
        name: family(numbers_in(name), Chaotic(), 2 if asked.quick else COPIES, printed.CLUSTERS)
        for name in FILES
    }
    readings(page, families)
    judge_readings(page, families)
    table_two(page, families)
    table_three(page, families)
    correlations(page, families)
    table_four(page, families)
    say("li_2007: attacks")
    attacks(page, asked)
    page.answer = answer(page)
    asked.spent.add("all of it", time.process_time() - begun)
    page.write()


def answer(page: Page) -> str:
    """Say in five sentences what came out."""
    fits = "the reading that fits"
    return (
        "The paper adds noise from a chaotic map to numbers, so that k-means still finds its "
        "clusters and nobody finds a person. "
        "That more privacy is won than information lost (CID above 1) in all tables "
        f"{page.verdict('all-cid-are', 'as printed')} if its steps are taken as printed, and "
        f"{page.verdict('all-cid-are', fits)} under {fits} its figures best. "
        "That chaos protects people "
        f"{page.verdict('chaos-is-unpredictable', 'one orbit a column')} for one orbit a column: "
        "whoever knows one record computes the noise of the others. "
        "With a random start in every cell the same claim "
        f"{page.verdict('chaos-is-unpredictable', 'in each cell')}, but then chaos adds nothing to "
        "plain noise: that it resists filters better "
        f"{page.verdict('chaotic-noise-resists')}. "
        "That cluster centres stay where they were, as well as under plain noise, "
        f"{page.verdict('chaotic-noise-keeps')}."
    )


def cids(found: Sequence[Mapping[int, Found]], reading: Reading) -> list[float]:
    """The comprehensive index at each number of clusters: the mean over tables and runs."""
    return [
        float(
            np.mean(
                [
                    p / i
                    for table in found
                    for p, i in zip(table[k].ppd[reading], table[k].ild[reading], strict=True)
                ]
            )
        )
        for k in printed.CLUSTERS
    ]


def dunns(found: Sequence[Mapping[int, Found]], which: str) -> list[float]:
    return [float(np.mean([table[k].dunn[which] for table in found])) for k in printed.CLUSTERS]


def misfit(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """How many times too large or too small figures are, typically."""
    return float(np.exp(np.mean([abs(np.log(a / b)) for a, b in zip(ours, theirs, strict=True)])))


def readings(page: Page, families: Families) -> None:
    """Which readings of the unclear steps fit the printed figures."""
    fits = {
        reading: {
            name: misfit(cids(found, reading), printed.CID[name])
            for name, found in families.items()
        }
        for reading in there(families)
    }
    lines = [
        [
            *reading,
            *(f"{fit[name]:.2f}" for name in families),
            f"{np.exp(np.mean(np.log(list(fit.values())))):.2f}",
        ]
        for reading, fit in sorted(
            fits.items(), key=lambda item: np.mean(np.log(list(item[1].values())))
        )
    ]
    page.plain_table(
        "Readings of the unclear steps",
        ["ranges", "centres", "noise drawn", *families, "all"],
        lines,
        NOTES["readings"],
    )


def table_two(page: Page, families: Families) -> None:
    """CID, Dunn's index and time at 2 to 8 clusters."""
    lines = []
    times = {name: [seconds(name, k) for k in printed.CLUSTERS] for name in families}
    page.claim("All CPU time is less than one second (table 2).", verdicts.quick(times), "time")
    for name, found in families.items():
        rows = {
            f"{name}: CID, printed": printed.CID[name],
            "CID, measured": cids(found, FITTING),
            "CID, warm start": cids(found, Reading("original", "warm", "each")),
            "Dunn, printed": printed.DUNN[name],
            "Dunn, original table": dunns(found, "original"),
            "Dunn, perturbed table": dunns(found, "perturbed"),
            "seconds, printed": printed.SECONDS[name],
            "seconds, measured": times[name],
        }
        lines += [
            [title, *(f"{cell:.2f}" if "CID" in title else f"{cell:.3f}" for cell in row)]
            for title, row in rows.items()
        ]
    page.plain_table(
        "Table 2: CID, Dunn's index and time",
        ["", *(f"{k} clusters" for k in printed.CLUSTERS)],
        lines,
        "CPU seconds here: one distortion and ten runs of k-means on each of the two tables.",
    )


def seconds(name: str, k: int) -> float:
    """CPU seconds of one distortion and of clustering both tables."""
    values = numbers_in(name)
    begun = time.process_time()
    pair = Pair(values, Chaotic().distort(values, Chance.seeded(1)), k)
    _ = pair.centres_moved
    return time.process_time() - begun


def judge_readings(page: Page, families: Families) -> None:
    """Judge what the paper reads out of its tables 2 to 4, under every reading."""
    claims = {
        "All CID are above 1 (table 2)": judge_above_one,
        "CID falls with the number of clusters (table 2)": judge_falls,
        "On Census it dips at 4 clusters and rises at 5 (table 2)": judge_dips,
        "The order of rows has no influence (table 3)": judge_order,
        "Rows move significantly further than centres, at every number of clusters (table 4)": (
            judge_further
        ),
        "CID and Dunn's index go together: correlations 0.69, 0.91, 0.99, 0.82": judge_trend,
    }
    for states, judge_it in claims.items():
        for name, reading in JUDGED.items():
            page.claim(f"{states}; {name}.", judge_it(families, reading))
    lines = [
        [*reading, *(judge_it(families, reading).verdict for judge_it in claims.values())]
        for reading in there(families)
    ]
    page.plain_table(
        "Claims under every reading",
        ["ranges", "centres", "noise drawn", *(states.split(" (")[0] for states in claims)],
        lines,
        NOTES["judged"],
    )
    theirs = [cell for name in families for cell in printed.DUNN[name]]
    fit = {
        which: misfit([cell for found in families.values() for cell in dunns(found, which)], theirs)
        for which in ("original", "perturbed")
    }
    page.claim(
        "Dunn's index of the clusters (table 2; of which tables is not said: taken as the "
        "original ones).",
        verdicts.printed_dunn(fit["original"], fit["perturbed"]),
    )


def there(families: Families) -> list[Reading]:
    """List the readings that were measured."""
    every = [Reading(*parts) for parts in itertools.product(RANGES, RUNS, DRAWS)]
    return [reading for reading in every if reading in families["Census"][0][2].ild]


def judge_above_one(families: Families, reading: Reading) -> Finding:
    return verdicts.above_one({name: cids(found, reading) for name, found in families.items()})


def judge_falls(families: Families, reading: Reading) -> Finding:
    return verdicts.falls({name: cids(found, reading) for name, found in families.items()})


def judge_dips(families: Families, reading: Reading) -> Finding:
    return verdicts.dips(cids(families["Census"], reading))


def judge_order(families: Families, reading: Reading) -> Finding:
    if len(families["Census"][0][2].ild[reading]) < 2:
        return Finding(UNKNOWN, "one run a table: nothing varies")
    return verdicts.no_order(order_tests(families, reading))


def judge_further(families: Families, reading: Reading) -> Finding:
    return verdicts.further(distance_tests(families, reading))


def judge_trend(families: Families, reading: Reading) -> Finding:
    return verdicts.same_trend(trend(families, reading))


def table_three(page: Page, families: Families) -> None:
    """Whether the order of rows matters: an analysis of variance over the eleven tables of a
    family.
    """
    lines = []
    for draws in DRAWS:
        tests = order_tests(families, Reading("original", "together", draws))
        lines.append(
            [f"measured, noise drawn {draws}", *(f"{f:.2f} ({p:.2f})" for f, p in tests.values())]
        )
    lines.append(["printed", *(f"{f:.2f} ({p:.2f})" for f, p in printed.ANOVA.values())])
    lines.append(
        [
            "p of the printed F, 11 tables of 10 runs",
            *(f"{p_of_f(f, 10, 99):.2f}" for f, _ in printed.ANOVA.values()),
        ]
    )
    page.plain_table("Table 3: order of rows, F (p)", ["", *families], lines, NOTES["table 3"])


def order_tests(families: Families, reading: Reading) -> dict[str, Significance]:
    """Analyse the variance over the eleven tables of each family."""
    return {
        name: variance_analysis([_by_run(table, reading) for table in found])
        for name, found in families.items()
    }


def _by_run(table: Mapping[int, Found], reading: Reading) -> list[float]:
    """CID of each run, the mean over numbers of clusters."""
    ratios = [np.divide(table[k].ppd[reading], table[k].ild[reading]) for k in printed.CLUSTERS]
    return [float(value) for value in np.mean(ratios, axis=0)]


def correlations(page: Page, families: Families) -> None:
    """CID against Dunn's index."""
    found = trend(families, FITTING)
    theirs = {
        name: float(np.corrcoef(printed.CID[name], printed.DUNN[name])[0, 1]) for name in families
    }
    lines = [
        [name, f"{printed.CORRELATION[name]:.2f}", f"{theirs[name]:.2f}", f"{found[name]:.2f}"]
        for name in families
    ]
    note = "Seven points each, and both fall with the number of clusters."
    page.plain_table(
        "CID against Dunn's index", ["", "printed", "of the printed cells", "measured"], lines, note
    )


def trend(families: Families, reading: Reading) -> dict[str, float]:
    """Correlate CID and Dunn's index over numbers of clusters."""
    return {
        name: float(np.corrcoef(cids(tables, reading), dunns(tables, "original"))[0, 1])
        for name, tables in families.items()
    }


def table_four(page: Page, families: Families) -> None:
    """Whether rows move further than centres, over all tables."""
    lines = [["printed", *(f"{t:.2f}" for t in printed.T)]]
    shown = (LITERAL, FITTING, Reading("original", "warm", "each"), Reading("none", "warm", "each"))
    for reading in shown:
        tests = distance_tests(families, reading)
        named = f"ranges: {reading.ranges}, {reading.runs}, noise drawn {reading.draws}"
        lines.append([named, *(f"{t:.2f}" for t, _ in tests)])
    page.plain_table(
        "Table 4: paired t of PPD and ILD",
        ["", *(f"{k} clusters" for k in printed.CLUSTERS)],
        lines,
        NOTES["table 4"],
    )


def distance_tests(families: Families, reading: Reading) -> list[Significance]:
    """Test at each number of clusters whether rows move further than centres, over all tables."""
    tests = []
    for k in printed.CLUSTERS:
        tables = [table[k] for found in families.values() for table in found]
        rows_moved = [float(np.mean(table.ppd[reading])) for table in tables]
        centres_moved = [float(np.mean(table.ild[reading])) for table in tables]
        tests.append(paired(rows_moved, centres_moved))
    return tests


def attacks(page: Page, asked: Options) -> None:
    """What the paper lacks: attacks, at its own scale and at equal centre error."""
    plain: dict[str, list[Protection]] = {}
    equal: dict[str, list[Protection]] = {}
    grouped: dict[str, list[Protection]] = {}
    for name in FILES:
        values = numbers_in(name)
        start = protection.centres(values)
        plain[name] = [
            protection.measure(values, text, make(Distortion, text), start) for text in METHODS
        ]
        target = plain[name][0].centre_error
        equal[name] = [
            protection.measure(
                values, text, protection.at_equal_error(values, text, target, start), start
            )
            for text in METHODS
        ]
        target = protection.centre_error(values, make(Distortion, GROUPED), start)
        grouped[name] = [
            protection.measure(
                values, text, protection.at_equal_error(values, text, target, start), start
            )
            for text in ("noise", "correlated-noise", "microaggregated-noise")
        ]
        say(f"li_2007: {name} attacked")
    judge(page, plain)
    note = NOTES["attacks"]
    for name in FILES:
        page.plain_table(
            f"{name}: attacks at scale 0.1", HEADER, [_line(found) for found in plain[name]], note
        )
        note = ""
    note = NOTES["equal"]
    for name in FILES:
        page.plain_table(
            f"{name}: attacks at equal centre error",
            HEADER,
            [_line(found) for found in equal[name]],
            note,
        )
        note = ""
    lines = [
        [f"{name}: {found.method}", *_line(found)[1:]]
        for name, several in grouped.items()
        for found in several
    ]
    page.plain_table("All: attacks at the centre error of " + GROUPED, HEADER, lines)
    for name in FILES if not asked.quick else ():
        rows = curve(name)
        title = f"{name}: error left to attackers against centre error"
        page.draw(
            f"{name.lower()}",
            title,
            charts.against_another(rows, "centre-error", "error-left", title=title),
        )


HEADER = [
    "method",
    "scale",
    "centres",
    "known record",
    "blind",
    "spectral",
    "Bayes",
    "left",
    "near",
    "linked",
    "refused",
]


def _line(found: Protection) -> list[str]:
    gained = (
        found[name] for name in ("known-record", "blind-orbit", "spectral-filter", "bayes-estimate")
    )
    return [
        found.method,
        f"{found.scale:.3f}",
        f"{found.centre_error:.4f}",
        *(f"{value:.3f}" for value in gained),
        f"{found.left:.4f}",
        f"{found.nearly_kept:.2f}",
        f"{found['nearest-record']:.2f}",
        f"{found.refused:.0%}",
    ]


def judge(page: Page, plain: Mapping[str, list[Protection]]) -> None:
    """Judge what the paper claims about protection, for each orbit that its text allows."""
    noise = [found[METHODS.index("noise")] for found in plain.values()]
    for orbit, text in ORBITS.items():
        chaotic = [found[METHODS.index(text)] for found in plain.values()]
        known = [found["known-record"] for found in chaotic]
        blind = [found["blind-orbit"] for found in chaotic]
        page.claim(
            f"Chaos is unpredictable, so it protects individuals (abstract, conclusion); {orbit}. "
            f"(Taken as: attackers regain at most {LIMIT:.0%} of the cells.)",
            verdicts.protects(known, blind, LIMIT),
        )
        gaps = [
            b[name] - a[name]
            for a, b in zip(chaotic, noise, strict=True)
            for name in ("spectral-filter", "bayes-estimate")
        ]
        page.claim(
            "Chaotic noise resists the spectral filtering that takes random noise off "
            f"(introduction); {orbit}.",
            verdicts.resists_filters(gaps),
        )
        ratios = [a.centre_error / b.centre_error for a, b in zip(chaotic, noise, strict=True)]
        page.claim(
            f"Chaotic noise keeps centres (abstract); {orbit}. (Taken as: as well as plain noise.)",
            verdicts.keeps_centres(ratios),
        )


def curve(name: str) -> list[dict[str, object]]:
    """Each method at several scales."""
    values = numbers_in(name)
    start = protection.centres(values)
    found = [
        protection.measure(
            values,
            text,
            make(Distortion, f"{text}{',' if ':' in text else ':'}scale={scale}"),
            start,
        )
        for text in METHODS
        if text not in ("chaotic:orbit=cell", "noise:law=uniform")
        for scale in SCALES
    ]
    return [
        {"method": each.method, "centre-error": each.centre_error, "error-left": _left(each)}
        for each in found
    ]


def _left(found: Protection) -> float:
    """What is left of the error where cells are regained exactly, too."""
    regained = max(found["known-record"], found["blind-orbit"], 0.0)
    return found.left * float(np.sqrt(1 - min(regained, 1.0)))


if __name__ == "__main__":
    main()
