"""Handing over: a folder with all that may leave the house, and beside it what stays.

    <folder>/public/      the release, its public certificate, its signature if it has one,
                          recipe.toml, hierarchies/*.csv, report.html
    <folder>/private/     the private certificate, the report with original values,
                          hierarchies/*.csv that are kept back

The folder appears whole or not at all. The recipe names neither the seed nor anything taken from
the data: ends of intervals between quantiles, and grids that ends are widened to, are found anew in
whichever table it is given. It runs from the folder in which it stands: hierarchy files go with it.
Archives are made of the public half alone, and tell no times.

A hierarchy file may itself be taken from the data: one that was edited over the values of a table
lists all of them. It stays in the private half if it lists a value of a quasi-identifier that fewer
than k rows hold (or k persons, where rows are about persons), or a value of another column that no
published row shows: it would tell who is in the table. Further leaves beside them do not change
that; only its maker can say that the whole list is known to everyone. A file with labels that a
spreadsheet would run stays in any case. Trees that are written down in the recipe itself are what
its maker configured, as their labels are, and go with it.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa

from shoal.adapters import files
from shoal.adapters.atomic_files import Staged
from shoal.adapters.certificates import public_of
from shoal.adapters.formulas import counted, refuse_formulas
from shoal.adapters.leftovers import remove_leftovers, token
from shoal.adapters.papers import stage_signature
from shoal.adapters.signing import Signer
from shoal.adapters.tables import arrow
from shoal.arrays import Flags
from shoal.declare.columns import whole
from shoal.declare.hierarchies.file import read_rows
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.matching import leaf_keys, value_keys
from shoal.encode.profile import Profile, profile
from shoal.encode.rows import combined, persons, tallied
from shoal.errors import DataError, RecipeError, ShoalError
from shoal.flows.certified import public_recipe
from shoal.handover.commands import RECIPE_FILE
from shoal.recipe import Recipe, hierarchy_of
from shoal.review.fingerprint import fingerprint

if TYPE_CHECKING:
    from shoal.api.release import Release

TREES = "hierarchies"
REPORT = "report.html"
STATED = ".certificate.json"
SIGNED = ".certificate.sig"
KEPT = ".private.json"
LONGEST = 200  # bytes of a file's name, without what is put before and behind it
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first time that an archive can tell


@dataclass(frozen=True)
class Handed:
    """Where everything is."""

    folder: Path

    @property
    def public(self) -> Path:
        """The folder of what may leave the house."""
        return self.folder / "public"

    @property
    def private(self) -> Path:
        """The folder of what stays in the house."""
        return self.folder / "private"

    @property
    def release(self) -> Path:
        """The release itself: the file that has a certificate."""
        return next(
            path.with_name(path.name.removesuffix(STATED))
            for path in self.public.glob(f"*{STATED}")
        )

    def pack(self, place: str | Path) -> Path:
        """The public half as a zip archive, whole or not at all."""
        return packed(self.public, place)

    @property
    def signature(self) -> Path | None:
        """The signature of the release; None while it is unsigned."""
        place = Path(f"{self.release}{SIGNED}")
        return place if place.exists() else None

    def sign(self, signer: Signer) -> str:
        """Sign the release as it stands here; return the name of the key."""
        certificate = Path(f"{self.release}{STATED}")
        with Staged(force=True) as staged:
            signature = stage_signature(staged, [certificate], signer)
            signature.fill(public_of(certificate), self.release, self.release)
        return signer.key_id

    @property
    def kept_back(self) -> list[Path]:
        """Hierarchy files that follow the table, or that a spreadsheet would run."""
        return sorted((self.private / TREES).glob("*.csv"))

    def again(self, folder: str | Path, name: str, *, all_trees: bool = False) -> Handed:
        """Copy all to a new folder, the release as a file of another name or form.

        Its rows are those that were recounted. `all_trees` hands over the hierarchies that follow
        the table too.
        """
        old = self.release
        table = files.read(old)
        mark = public_of(Path(f"{old}{STATED}")).hash
        refuse_formulas(table, name)
        with _appearing(folder) as made:
            shutil.copytree(self.folder, made.folder, dirs_exist_ok=True)
            made.release.unlink()
            (made.public / f"{old.name}{SIGNED}").unlink(missing_ok=True)  # of the other file
            for half, kind in ((made.public, STATED), (made.private, KEPT)):
                os.replace(half / f"{old.name}{kind}", half / f"{name}{kind}")
            if all_trees:
                made._publish_trees()
            files.write(table, made.release)
            made._refuse_changed(mark)
        return Handed(Path(folder))

    def _refuse_changed(self, mark: str | None) -> None:
        """Refuse a release that was written and does not have the hash of its certificate."""
        if fingerprint(files.read(self.release, typed=False)) != mark:
            problem = "what was written does not hold the release"
            raise ShoalError(problem, {"published": "nothing"})

    def _publish_trees(self) -> None:
        """Move hierarchies that were kept back to the public half, but for those that run."""
        for tree in [path for path in self.kept_back if not _runs(read_rows(str(path))[0])]:
            (self.public / TREES).mkdir(exist_ok=True)
            os.replace(tree, self.public / TREES / tree.name)


def handed(
    release: Release,
    people: Any,
    folder: str | Path,
    name: str = "released.csv",
    *,
    all_trees: bool = False,
) -> Handed:
    """Put a release of `people` and its papers into a new folder.

    Refuses a CSV file whose texts a spreadsheet would run.

    `all_trees` says that every hierarchy is known to everyone, those that list rare values of the
    table too.
    """
    refuse_formulas(release.published, name)
    with _appearing(folder) as made:
        made.public.mkdir()
        made.private.mkdir(mode=0o700)
        release.write(made.public / name)
        os.replace(made.public / f"{name}{KEPT}", made.private / f"{name}{KEPT}")
        kept = {**({} if all_trees else following(release, people)), **run_in_trees(release.recipe)}
        for column, place in _files(release.recipe, ""):
            half = made.private if column in kept else made.public
            (half / TREES).mkdir(exist_ok=True)
            (half / TREES / place).write_bytes(_tree_file(release.recipe, column))
        stated = named_beside(release.recipe, release.certificate.public.recipe)
        (made.public / RECIPE_FILE).write_text(stated.to_toml(), "utf-8")
        release.report(made.public / REPORT, public=True)
        release.report(made.private / REPORT)
    return Handed(Path(folder))


def packed(folder: Path, place: str | Path, *, within: str = "") -> Path:
    """A folder as a zip archive, whole or not at all; `within` names the folder in the archive."""
    place = Path(place)
    remove_leftovers(place.parent, f".{place.name}.", ".part")
    hidden = place.with_name(f".{place.name}.{token()}.part")
    try:
        with zipfile.ZipFile(hidden, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    name = (Path(within) / path.relative_to(folder)).as_posix()
                    entry = zipfile.ZipInfo(name, LONG_AGO)
                    entry.external_attr = 0o644 << 16
                    archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
        os.replace(hidden, place)
    finally:
        hidden.unlink(missing_ok=True)
    return place


@contextmanager
def _appearing(place: str | Path) -> Iterator[Handed]:
    """Make a hidden folder that takes its place when the block ends well, else leaves no trace.

    A folder that a killed run left for the same place is removed.
    """
    place = Path(place)
    if place.exists():
        raise RecipeError(f"output '{place}' exists", remedy="name another folder")
    if not place.parent.is_dir():
        raise DataError(
            f"output '{place}' has no folder to stand in", remedy=f"mkdir -p {place.parent}"
        )
    remove_leftovers(place.parent, f".{place.name}.", ".part")
    hidden = place.with_name(f".{place.name}.{token()}.part")
    try:
        hidden.mkdir(mode=0o700)
        yield Handed(hidden)
        os.replace(hidden, place)
    except BaseException:
        shutil.rmtree(hidden, ignore_errors=True)
        raise


def following(release: Release, people: Any) -> dict[str, int]:
    """Count, by column, the values in its hierarchy file that would tell who is in the table."""
    recipe = release.recipe
    table = arrow(people)[0]
    telling_values = {}
    for column, _ in _files(recipe, ""):
        values = profile(whole(table[column]), column)
        rows = _tree_rows(recipe, column)
        listed = set(leaf_keys([row[0] for row in rows], values.values.type))
        if column in recipe.quasi:
            telling = _rare(values, table, recipe)
        else:
            telling = _unseen(values, release.published)
        keys = value_keys(values.values.filter(pa.array(telling)))
        telling_values[column] = sum(key in listed for key in keys)
    return {column: count for column, count in telling_values.items() if count}


def _rare(values: Profile, table: pa.Table, recipe: Recipe) -> Flags:
    """Flag values held by fewer than k rows; where rows are about persons, by fewer than k."""
    if recipe.person is None:
        return np.asarray(values.counts < recipe.k)
    person = persons(profile(whole(table[recipe.person]), recipe.person))
    pairs = combined(np.stack([values.codes, person]), [values.size + 1, len(person)])
    _, first = np.unique(pairs, return_index=True)
    return np.asarray(tallied(values.codes[first], values.size) < recipe.k)


def _unseen(values: Profile, published: pa.Table) -> Flags:
    """Flag the values that no published row shows."""
    name = values.name
    shown = set()
    if name in published.column_names:
        shown = set(value_keys(profile(whole(published[name]), name).values))
    return np.array([key not in shown for key in value_keys(values.values)], np.bool_)


def run_in_trees(recipe: Recipe) -> dict[str, int]:
    """The columns whose hierarchy file has labels that a spreadsheet would run, and how many."""
    counts = {column: _runs(_tree_rows(recipe, column)) for column, _ in _files(recipe, "")}
    return {column: count for column, count in counts.items() if count}


def _runs(rows: Sequence[Sequence[str]]) -> int:
    """Count the labels of a hierarchy that a spreadsheet would run."""
    return counted(pa.array([label for row in rows for label in row], pa.string()))


def named_beside(recipe: Recipe, stated: Mapping[str, Any] | None = None) -> Recipe:
    """A recipe as it is handed over: no seed, hierarchy files named as they stand beside it.

    It says by itself what its scheme said. `stated` is the recipe of the release's certificate.
    """
    public = Recipe.of(**(public_recipe(recipe) if stated is None else stated))
    trees = {**public.hierarchies, **dict(_files(recipe, f"{TREES}/"))}
    return msgspec.structs.replace(public, hierarchies=trees, scheme=None)


def _listed(spec: Any) -> Hierarchy | None:
    """Return the hierarchy if it lists its values: in a file, or in the recipe itself."""
    tree = hierarchy_of(spec)
    listed = tree is not None and (tree.file_path is not None or tree.lists_values)
    return tree if listed else None


def _tree_rows(recipe: Recipe, column: str) -> Sequence[Sequence[str]]:
    """List the paths of a hierarchy from value to root."""
    tree = _listed(recipe.hierarchies[column])
    assert tree is not None, "only columns with such a hierarchy are asked for"
    return tree.listed_paths if tree.file_path is None else read_rows(tree.file_path)[0]


def _tree_file(recipe: Recipe, column: str) -> bytes:
    """Return a hierarchy as a file: as it is, or written from the recipe in ARX's CSV form."""
    tree = _listed(recipe.hierarchies[column])
    if tree is not None and tree.file_path is not None:
        return Path(tree.file_path).read_bytes()
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(_tree_rows(recipe, column))
    return text.getvalue().encode()


def file_stem(column: str) -> str:
    """The name of a column, as far as the name of a file allows.

    >>> file_stem("../birth date")
    '_birth_date'
    """
    stem = re.sub(r"[^\w.-]", "_", column).lstrip(".")[:100]
    return stem.encode()[:LONGEST].decode(errors="ignore") or "column"


def _files(recipe: Recipe, folder: str) -> Iterator[tuple[str, str]]:
    """List the columns that have a hierarchy file, and where it goes.

    It stands under the name of its column, as far as files allow.
    """
    taken: set[str] = set()
    for column, spec in recipe.hierarchies.items():
        if _listed(spec) is not None:
            stem = file_stem(column)
            while f"{stem}.csv".lower() in taken:
                stem += "_"
            taken.add(f"{stem}.csv".lower())
            yield column, f"{folder}{stem}.csv"
