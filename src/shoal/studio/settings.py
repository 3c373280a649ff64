"""Settings: all that is asked, as a file to keep, and taken up again from it later or elsewhere.

What is kept is an archive: `recipe.toml`, and beside it the hierarchy files that it names. A recipe
alone can be taken up too. Nothing outside of what was given is read: a recipe from elsewhere might
name any file of this machine.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path, PurePosixPath

import msgspec

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import DataError, RecipeError
from shoal.handover.commands import RECIPE_FILE
from shoal.handover.folder import TREES, named_beside
from shoal.recipe import Recipe, hierarchy_of
from shoal.studio.words import replaced

LARGEST = 8 * 2**20  # bytes of all that is taken up
MANY = 500  # files
# Of other kinds, a few bytes may unpack to all memory at once.
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Errors of archives and recipes that are broken, or nested too deep.
ODD = (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError, ValueError)


def kept(recipe: Recipe) -> bytes:
    """An archive that holds all that is asked, but for the seed and the table of everybody."""
    named = named_beside(recipe)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(RECIPE_FILE, named.to_toml())
        for column, spec in recipe.hierarchies.items():
            tree = hierarchy_of(spec)
            if tree is not None and tree.file_path is not None:
                archive.write(tree.file_path, str(named.hierarchies[column]))
    return whole.getvalue()


def taken(content: bytes, folder: Path, columns: list[str]) -> Recipe:
    """Read the settings for a table with these columns; files are laid into an empty folder."""
    try:
        recipe = _laid(content, folder)
    except ODD:
        raise DataError(
            "these settings can't be read", remedy="choose a file that the studio made"
        ) from None
    lacking = [name for name in recipe.columns if name not in columns]
    if lacking:
        problem = "these settings are about another table: this one lacks columns that they name"
        raise RecipeError(problem, {"lacking": ", ".join(lacking)})
    return recipe


def _laid(content: bytes, folder: Path) -> Recipe:
    """The recipe, with its files in the folder and none elsewhere."""
    if content.startswith(b"PK"):
        _unpack(content, folder)
    else:
        (folder / RECIPE_FILE).write_bytes(content[: LARGEST + 1])
    recipe = _read(folder)
    for column, spec in recipe.hierarchies.items():
        _refuse_elsewhere(column, hierarchy_of(spec), folder)
    recipe.to_toml()  # what is nested too deep to be written again would fail everywhere later
    return recipe


def _unpack(content: bytes, folder: Path) -> None:
    """Unpack the recipe and its hierarchies, and nothing else that an archive may hold."""
    (folder / TREES).mkdir()
    left = LARGEST
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in filter(_is_setting, archive.infolist()[:MANY]):
            if entry.compress_type not in PACKED:
                # Other kinds unpack whole before they can be cut short.
                raise zipfile.BadZipFile
            with archive.open(entry) as file:
                read = file.read(left + 1)  # whatever it says of its size
            left -= len(read)
            if left < 0:
                raise DataError(f"the archive holds more than {LARGEST // 2**20} MB of settings")
            (folder / PurePosixPath(entry.filename)).write_bytes(read)


def _is_setting(entry: zipfile.ZipInfo) -> bool:
    """Tell whether an entry of an archive is the recipe or a hierarchy."""
    place = PurePosixPath(entry.filename)
    is_tree = place.parts[:-1] == (TREES,) and place.suffix == ".csv"
    return entry.filename == RECIPE_FILE or is_tree


def _read(folder: Path) -> Recipe:
    place = folder / RECIPE_FILE
    if not place.is_file():
        raise DataError(
            f"the archive holds no {RECIPE_FILE}", remedy="choose one that the studio made"
        )
    try:
        recipe = Recipe.read(place)
    except (RecipeError, DataError) as refusal:
        raise RecipeError(
            replaced(refusal.problem, str(place), RECIPE_FILE), refusal.facts, refusal.remedy
        ) from None
    elsewhere = isinstance(recipe.population, str)  # a table of everybody is chosen anew
    return msgspec.structs.replace(
        recipe, seed=None, population=None if elsewhere else recipe.population
    )


def _refuse_elsewhere(column: str, tree: Hierarchy | None, folder: Path) -> None:
    """A hierarchy file that did not come along, wherever else it may be."""
    if tree is not None and tree.file_path is not None:
        place = Path(tree.file_path)
        inside = place.is_file() and place.resolve().is_relative_to(folder.resolve())
        if not inside:
            problem = f"the hierarchy of '{column}' is a file that did not come along"
            raise DataError(
                problem, remedy="choose an archive that holds it, or import it again (Hierarchies)"
            )
