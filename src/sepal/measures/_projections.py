"""Which two columns show the classes best: planes ranked by Thornton's index."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import (
    ScaleName,
    Table,
    as_table,
    class_codes,
    data_frame,
    frame_html,
    left_out_together,
    name_order,
    refuse_texts,
)
from sepal.exceptions import DataError
from sepal.measures._class_groups import class_groups
from sepal.measures._prepared import sample_rows, settled
from sepal.measures._thornton import first_groups, thornton_score
from sepal.neighbors import Search
from sepal.parameters import Parameter, RandomState, check_whole, checked
from sepal.progress import Progress, silent, stage

_MOST_LEVELS = 12  # names that fit along an axis
_DIGITS = 12  # of scores: what differs by rounding only must not decide


@dataclass(frozen=True)
class Projection:
    """Two columns and Thornton's index of their plane.

    Attributes
    ----------
    first, second : str
        The names of the columns.
    score : float
        Thornton's index of the rows as these two columns show them.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.measures import informative_projections
    >>> informative_projections(table).planes[0]
    Projection(first='agility', second='speed', score=1.0)
    """

    first: str
    second: str
    score: float


@dataclass(frozen=True, eq=False)
class Projections:
    """Planes of two columns, most telling first.

    Attributes
    ----------
    planes : tuple of Projection
    single : dict
        Thornton's index of each column alone.
    table : Table
        The rows that were looked at.
    n_rows : int
        Rows given; more than in ``table`` where these are a sample.
    notes : tuple of str

    Examples
    --------
    >>> import sepal
    >>> from sepal.measures import informative_projections
    >>> found = informative_projections(sepal.datasets.load("athletes"))
    >>> round(found.single["speed"], 2), found.planes[0].score
    (0.85, 1.0)
    """

    planes: tuple[Projection, ...]
    single: dict[str, float]
    table: Table
    n_rows: int
    notes: tuple[str, ...]

    def frame(self) -> Any:
        """One line per plane."""
        return data_frame([{"first": p.first, "second": p.second, "score": p.score} for p in self.planes])

    def plot(self, most: int = 6, axes: Any = None) -> Any:
        """Scatter plots of the best planes. Points that coincide are moved apart a little.

        Parameters
        ----------
        most : int, default 6
            How many planes at most.
        axes : sequence of matplotlib axes, optional
            One for each plane; fewer draw fewer. A new figure without it.

        Returns
        -------
        array of matplotlib axes
        """
        from sepal.plots import draw_planes

        shown = self.planes[: check_whole("most", most, at_least=1)]
        places = {name: i for i, name in enumerate(self.table.names)}
        planes = [
            (
                jittered(self.table.values[:, places[plane.first]], 0),
                jittered(self.table.values[:, places[plane.second]], 1),
                plane.first,
                plane.second,
                f"index {plane.score:.3f}",
            )
            for plane in shown
        ]
        drawn = draw_planes(planes, self.table.y if self.table.y is not None else (), axes=axes)
        for ax, plane in zip(drawn, shown, strict=False):
            for name, axis in ((plane.first, ax.xaxis), (plane.second, ax.yaxis)):
                levels = self.table.levels[places[name]]
                if levels is not None and len(levels) <= _MOST_LEVELS:
                    axis.set_ticks(range(len(levels)), labels=[str(level) for level in levels])
        return drawn

    def _repr_html_(self) -> str:
        return frame_html(self, float_format="{:.4f}".format)


def jittered(column: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """A little noise on columns with few distinct values, for the eye only."""
    known = column[~np.isnan(column)]
    distinct = np.unique(known)
    if not 1 < len(distinct) <= 30:
        return column
    gap = float(np.min(np.diff(distinct)))
    return column + np.random.default_rng(seed).uniform(-0.25 * gap, 0.25 * gap, len(column))


@checked(
    Parameter("most_columns", "whole", "columns that pairs are made of, the best alone first", at_least=2),
    Parameter("most_rows", "whole", "rows used at most; of more a sample", at_least=2),
)
def informative_projections(
    X: Any,
    y: Any = None,
    *,
    scale: ScaleName | None = "minmax",
    most_columns: int = 40,
    most_rows: int = 5_000,
    groups: Any = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> Projections:
    """Rank all pairs of columns by Thornton's index of their plane.

    Parameters
    ----------
    X : Table, ndarray or data frame
        Nominal columns and missing cells are compared by HEOM.
    y : array-like, optional
        The class of each row, unless X is a Table with a target.
    scale : {"minmax", "standard"} or None
        Scaling of numeric columns.
    most_columns : int
        With more columns only the best of them, each taken alone, are paired.
    most_rows : int
        With more rows a random sample of them is looked at.
    groups : array-like, "copies" or None
        As in :func:`thornton_samples`: rows of one group are no neighbours of each other.
    random_state : int, Generator or None
        For the sample.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    Projections

    Notes
    -----
    The best of many planes looks better than it is: its score is the largest of many, on the same rows. Among equal
    scores the columns whose names come first are named first.

    Examples
    --------
    >>> rows = [[0.0, 5.0, 0.0], [0.1, 1.0, 0.2], [1.0, 5.1, 1.0], [1.1, 1.1, 0.9]]
    >>> found = informative_projections(rows, ["a", "a", "b", "b"])
    >>> found.planes[0].first, found.planes[0].second
    ('x1', 'x3')
    """
    scale = settled(X, scale=scale)["scale"]
    table = as_table(X, y)
    refuse_texts(table, "planes are of numbers and names")
    codes, classes = class_codes(table)
    if table.n_columns < 2:
        raise DataError(f"a plane needs two columns; the table has {table.n_columns}")
    notes, n_rows = [], table.n_rows
    if groups is not None:
        groups = left_out_together(table, groups).groups
    if table.n_rows > most_rows:
        rows = sample_rows(table, codes, int(most_rows), random_state)
        table, codes, groups = table.take(rows), codes[rows], None if groups is None else groups[rows]
        notes.append(f"a random sample of {most_rows:,} of {n_rows:,} rows was looked at")
    tell = stage(progress or silent, "planes")
    single = {}
    columns = name_order(table.names)  # so that ties do not depend on where a column stands
    for j in columns:
        single[table.names[j]] = _score(table, [j], codes, len(classes), scale, groups)
    if len(columns) > most_columns:
        best = sorted(columns, key=lambda j: -round(single[table.names[j]], _DIGITS))[:most_columns]
        columns = [j for j in columns if j in best]
        notes.append(f"only the {most_columns} best single columns of {table.n_columns} were paired")
    pairs = list(combinations(columns, 2))
    planes = []
    for done, (a, b) in enumerate(pairs):
        score = _score(table, [a, b], codes, len(classes), scale, groups)
        planes.append(Projection(table.names[a], table.names[b], score))
        tell((done + 1) / len(pairs))
    planes.sort(key=lambda plane: -round(plane.score, _DIGITS))
    return Projections(tuple(planes), single, table, n_rows, tuple(notes))


def _score(
    table: Table,
    columns: list[int],
    codes: NDArray[np.int32],
    n_classes: int,
    scale: ScaleName | None,
    groups: NDArray[np.intp] | None,
) -> float:
    # One thread: a plane of few rows is done before a second thread has started.
    if groups is not None:
        return thornton_score(table.select(columns), codes, scale=scale, groups=groups, n_jobs=1)
    search = Search.prepare(table.select(columns), distance="auto", scale=scale, n_jobs=1)
    tied = class_groups(search.distinct_ranking(1), codes, n_classes, np.arange(len(codes)))
    size, same = first_groups(tied)
    return float(np.mean((same / size)[tied.case_of]))
