"""Several releases compared, literally: sets of people, and every way to give out values."""

from __future__ import annotations


def company(releases):
    """For each person the people in all of their groups; a release is {person: group}."""
    everyone = {person for release in releases for person in release}
    alike = {}
    for person in everyone:
        shared = set(everyone)
        for release in releases:
            if person in release:
                shared &= {other for other, group in release.items() if group == release[person]}
        alike[person] = len(shared)
    return alike


def too_few(releases, k):
    """People who joined or left with too few others of their group, between the last release and
    any earlier one; nested boxes are counted too.
    """
    *earlier, last = releases
    few = set()
    for release in earlier:
        for one, other in ((last, release), (release, last)):
            for group in set(one.values()):
                away = {p for p, g in one.items() if g == group and p not in other}
                if 0 < len(away) < k:
                    few |= away
    return few


def nested_too_few(one, other, k):
    """People of a group that contains a group of another release, and who are alone outside it."""
    few = set()
    for outer in set(one.values()):
        members = {p for p, g in one.items() if g == outer}
        for inner in set(other.values()):
            inside = {p for p, g in other.items() if g == inner}
            rest = members - inside
            if members & inside and 0 < len(rest) < k:
                few |= rest
    return few


def candidates(releases, values):
    """For each person of the last release the values that they can have for good.

    `values[t][person]` is the value in release t. Every way is tried, component by component.
    """
    result = {}
    for people in components(releases):
        ways = list(_ways(sorted(people), releases, values))
        for person in people & set(releases[-1]):
            if ways:
                result[person] = {way[person] for way in ways}
            else:
                group = releases[-1][person]
                alike = [p for p, g in releases[-1].items() if g == group]
                result[person] = {values[-1][p] for p in alike}
    return result


def components(releases):
    """People who are connected by groups."""
    parts = [{person} for person in {p for release in releases for p in release}]
    for release in releases:
        for group in set(release.values()):
            members = {p for p, g in release.items() if g == group}
            touched = [part for part in parts if part & members]
            parts = [part for part in parts if not part & members]
            parts.append(set().union(*touched))
    return parts


def _ways(people, releases, values):
    """Every way to give each person one value, such that all groups have what was published."""
    every = sorted({value for of in values for person, value in of.items() if person in people})
    yield from _extended({}, people, every, releases, values)


def _extended(way, people, every, releases, values):
    if len(way) == len(people):
        if _holds(way, releases, values):
            yield dict(way)
        return
    for value in every:
        yield from _extended({**way, people[len(way)]: value}, people, every, releases, values)


def _holds(way, releases, values):
    for t, release in enumerate(releases):
        for group in set(release.values()):
            members = [p for p, g in release.items() if g == group]
            if members[0] not in way:
                continue
            if sorted(way[p] for p in members) != sorted(values[t][p] for p in members):
                return False
    return True


def posterior(releases, values, person, value):
    """The share of all ways in which a person has a value."""
    part = next(part for part in components(releases) if person in part)
    ways = list(_ways(sorted(part), releases, values))
    return sum(way[person] == value for way in ways) / len(ways)


def fitting(releases, boxes, values, person):
    """People of the last release who could stand in every box of a person.

    `boxes[t][group]` maps the columns of release t to sets of values; `values[person]` maps columns
    to values. They have to be in each release that the person is in.
    """
    fit = set()
    for other in releases[-1]:
        own = [t for t, release in enumerate(releases) if person in release]
        if all(
            other in releases[t]
            and all(
                values[other][name] in cell for name, cell in boxes[t][releases[t][person]].items()
            )
            for t in own
        ):
            fit.add(other)
    return fit


def company_on_union(releases, generalized, shown, values):
    """For each person of the last release, those who are alike on all generalized columns.

    `generalized` names all columns that some release generalizes; `shown[t]` those that release t
    shows as they are.
    """
    alike = {}
    for person in releases[-1]:
        shared = set(releases[-1])
        for release, plain in zip(releases, shown, strict=True):
            if person in release:
                exact = set(plain) & set(generalized)
                shared &= {
                    other
                    for other, group in release.items()
                    if group == release[person]
                    and (
                        other not in values
                        or all(values[other][name] == values[person][name] for name in exact)
                    )
                }
        alike[person] = len(shared)
    return alike
