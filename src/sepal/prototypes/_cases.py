"""Training rows as cases: equal rows of one class are one case, in an order that the row order cannot change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.data import (
    Missing,
    ScaleName,
    SparseRows,
    Table,
    as_labelled_table,
    as_rows,
    as_table,
    map_order,
    places,
    sorted_groups,
)
from sepal.distances import fit_sparse_distance, fit_text_distance
from sepal.exceptions import DataError, ParameterError
from sepal.measures import PREPARING, Prepared, Preparing, prepare, settled
from sepal.neighbors import Search, refuse_approximate

CaseTies = Literal["expected", "index"]
_MOST_CELLS = 50_000_000  # 400 MB


@dataclass(frozen=True, eq=False)
class Cases:
    """Distinct pairs of coordinates and class.

    Three index spaces meet here. ``*_rows`` are rows as the user gave them, ``data_pos`` positions in ``data`` (the
    same unless rows with missing cells were dropped), ``*_pos`` positions of cases.

    Attributes
    ----------
    data : Prepared
    points : (n_cases, p) array
        Coordinates. Cases stand in geometric order (column by column, then class), or by their first row.
    codes, mass : (n_cases,) arrays
        Class, and how many rows are this case, by their weights where the table has any.
    case_of : (n_data,) array
        The case of each position in ``data``.
    first_rows : (n_cases,) array
        The lowest row of each case.
    point_of : (n_cases,) array
        Cases with the same coordinates share a number.
    is_conflict : (n_cases,) array
        Rows of another class have the same coordinates.
    may_keep : (n_cases,) array
        No such rows, or fewer of each other class: what a condenser may choose from.
    """

    data: Prepared
    points: NDArray[np.float64]
    codes: NDArray[np.int32]
    mass: NDArray[np.float64]
    case_of: NDArray[np.intp]
    first_rows: NDArray[np.intp]
    point_of: NDArray[np.intp]
    is_conflict: NDArray[np.bool_]
    may_keep: NDArray[np.bool_]

    @property
    def n_cases(self) -> int:
        """How many distinct cases there are."""
        return len(self.codes)

    def groups_of_cases(self, groups: NDArray[np.intp] | None) -> NDArray[np.intp] | None:
        """The group of each case, from those of the data positions; one of its own where its rows are in several.

        So cases have one group where all rows of both are in it: else a row of one can ask one of the other.
        """
        if groups is None:
            return None
        low, high = np.full(self.n_cases, groups.max()), np.zeros(self.n_cases, dtype=np.intp)
        np.minimum.at(low, self.case_of, groups)
        np.maximum.at(high, self.case_of, groups)
        return np.asarray(np.where(low == high, low, groups.max() + 1 + np.arange(self.n_cases)), dtype=np.intp)

    def rows_of(self, case_mask: NDArray[np.bool_]) -> NDArray[np.intp]:
        """All rows whose case is marked, ascending."""
        return self.data.rows[case_mask[self.case_of]]


def row_mass(data: Prepared) -> NDArray[np.float64]:
    """How many rows each row counts for: its weight, where the table has weights."""
    weights = data.dense.table.weights
    return np.ones(data.n_rows) if weights is None else weights


def as_cases(data: Prepared, ties: CaseTies = "expected") -> Cases:
    """Group rows by coordinates and class."""
    if ties not in ("expected", "index"):
        raise ParameterError(f"ties must be 'expected' or 'index'; got {ties!r}")
    search, n_classes = data.dense, len(data.classes)
    if ties == "expected":
        # Of two points that differ by exchanging columns of the very same values no rule could prefer one.
        order = map_order(search.points, np.arange(search.points.shape[1]))
    else:
        order = np.arange(search.copies.n_distinct)
    if not search.copies.any:  # a case of its own for each row
        every = np.ones(data.n_rows, dtype=bool)
        return Cases(
            data,
            search.coordinates(order),
            data.codes[order],
            row_mass(data)[order],
            places(order),
            data.rows[order],
            np.arange(data.n_rows),
            ~every,
            every,
        )
    point = places(order)[search.copies.of_row.number]
    first_pos, found_of = sorted_groups((point * n_classes + data.codes)[:, None].astype(np.float64))
    point_of = np.cumsum(np.diff(point[first_pos], prepend=point[first_pos[0]]) > 0, dtype=np.intp)  # they are sorted
    if ties == "index":
        order = np.argsort(first_pos)
        point_of, first_pos, found_of = point_of[order], first_pos[order], places(order)[found_of]
    n_classes_at = np.bincount(point_of)
    mass = np.bincount(found_of, weights=row_mass(data)).astype(np.float64)
    most = np.zeros(len(n_classes_at))
    np.maximum.at(most, point_of, mass)
    is_most = mass >= most[point_of] * (1.0 - 1e-9)
    n_most = np.bincount(point_of, weights=is_most)
    return Cases(
        data,
        search.coordinates(first_pos),
        data.codes[first_pos],
        mass,
        found_of,
        data.rows[first_pos],
        point_of,
        n_classes_at[point_of] > 1,
        is_most & (n_most[point_of] == 1),
    )


def label_rows(X: Any, y: Any, **how: Unpack[Preparing]) -> Prepared:
    """Check rows and labels and fit the distance.

    Condensers walk through coordinates, so that sparse rows are written out in full; they are not scaled, and the
    distance is the one they have elsewhere.
    """
    if isinstance(X, Prepared) and isinstance(X.search, Search):
        refuse_approximate(X.search, "a set of prototypes", "prepare the rows without method='approximate'")
        return prepare(X, y, **how)
    filled: dict[str, Any] = {each.name: each.default for each in PREPARING} | how
    found = settled(X, y=y, **filled)
    rest = {name: filled[name] for name in ("missing", "n_jobs")}
    if isinstance(X, Prepared):
        X, rest["missing"] = X.given, X.missing
    rows = as_rows(X, y)
    if isinstance(rows, Table) and "text" in rows.kinds:
        return _texts_written_out(rows, **found, **rest)
    if not isinstance(rows, SparseRows):
        return prepare(rows, **found, **rest)
    if rows.n_rows * rows.n_columns > _MOST_CELLS:
        raise DataError(
            f"X is a sparse matrix of {rows.n_rows} x {rows.n_columns} cells, more than the {_MOST_CELLS:,} that are "
            "written out to choose rows from it",
            hint="choose among fewer rows, or keep the columns that matter",
        )
    fitted = fit_sparse_distance(rows, found["distance"], scale=found["scale"], params=found["distance_params"])
    fitted.embed(rows)  # refuses what the sparse form of the distance does not compare
    table = replace(
        as_table(rows.matrix.toarray()),
        y=rows.y,
        target=rows.target,
        class_order=rows.class_order,
        weights=rows.weights,
    )
    return prepare(table, distance=fitted.name, distance_params=found["distance_params"], scale=None, **rest)


def _texts_written_out(
    table: Table,
    distance: str,
    distance_params: Mapping[str, Any] | None,
    scale: ScaleName | None,
    missing: Missing,
    n_jobs: int | None,
) -> Prepared:
    """Rows with a number for every word."""
    if distance_params:
        raise ParameterError("distance_params have no meaning where rows with texts are chosen")
    given = table
    table, kept, notes = as_labelled_table(table, None, missing)
    fitted = fit_text_distance(table, distance, scale=scale)
    n_words = sum(learned.n_columns for learned in fitted.words)
    if table.n_rows * n_words > _MOST_CELLS:
        raise DataError(
            f"{table.n_rows:,} texts have {n_words:,} different words, more than the {_MOST_CELLS:,} cells that are "
            "written out to choose rows from them",
            hint="leave rare words out: kinds={...: TextOptions(min_rows=5)}",
        )
    ready = prepare(fitted.written_out(table), None, distance="heom", scale=None, n_jobs=n_jobs)
    return replace(ready, rows=kept, notes=(*notes, *ready.notes), given=given)
