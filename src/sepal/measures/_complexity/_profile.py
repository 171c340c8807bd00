"""The complexity of a classification problem: the 22 measures of the 2019 survey in one profile.

Reference: A. C. Lorena, L. P. F. Garcia, J. Lehmann, M. C. P. Souto, T. K. Ho, "How complex is your classification
problem? A survey on measuring classification complexity", ACM Computing Surveys 52(5), 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import (
    SCALES,
    ScaleName,
    Table,
    as_table,
    class_codes,
    data_frame,
    frame_html,
    groups_by_class,
    left_out_together,
)
from sepal.exceptions import ParameterError
from sepal.measures._class_pairs import pairs_notes
from sepal.measures._complexity import _features as features
from sepal.measures._complexity._balance import balance_measures, size_measures
from sepal.measures._complexity._gower import GOWER, gower_search
from sepal.measures._complexity._graph import (
    EPSILON,
    GRAPH_RULES,
    GraphRule,
    asks_all_rows,
    graph_measures,
    sampled_graph_measures,
)
from sepal.measures._complexity._group_graph import group_graph_measures
from sepal.measures._complexity._group_rows import group_row_measures
from sepal.measures._complexity._in_time import SAMPLES_IN_TIME, mean_summary, rows_in_time
from sepal.measures._complexity._interpolated import Interpolated, interpolate
from sepal.measures._complexity._linear import linear_measures
from sepal.measures._complexity._row_measures import RowMeasures, row_measures
from sepal.measures._complexity._table import EVERY, EVERY_NAME, MEASURES
from sepal.measures._table_numbers import numbers_of
from sepal.measures._within import column_units
from sepal.neighbors import Search
from sepal.parameters import EVERYWHERE, Parameter, RandomState, checked, generator
from sepal.progress import Progress, Share, silent, stage

_MOST_NAMED = 5  # classes that are left out of a measure


@dataclass(frozen=True, eq=False)
class ComplexityProfile:
    """The complexity measures of labelled rows. Larger is harder.

    Attributes
    ----------
    values : dict
        By the survey's identifiers (``"F1"``, ..., ``"C2"``), and ``"L1e"``, ``"N2m"`` and ``"ClsCoefG"``, other forms
        of three of them. NaN where the data leave a measure undefined. ``profile["N3"]`` and
        ``profile["nearest_neighbor_error"]`` are the same number.
    intervals : dict
        95 % intervals of the measures that were estimated from samples of the rows.
    per_class : dict
        For each class the measures that are means over rows.
    n_rows, n_columns : int
    sample_rows : int or None
        Rows in each sample the neighbourhood measures come from; None if they come from all rows.
    distance : str
    notes : tuple of str

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.measures import complexity
    >>> profile = complexity(table)
    >>> profile["N3"], profile["nearest_neighbor_error"]
    (0.0, 0.0)
    """

    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    per_class: dict[Any, dict[str, float]]
    n_rows: int
    n_columns: int
    sample_rows: int | None
    distance: str
    notes: tuple[str, ...]

    def __getitem__(self, key: str) -> float:
        measure = EVERY.get(key) or EVERY_NAME.get(key)
        if measure is None:
            raise ParameterError(f"there is no complexity measure {key!r}; there are {', '.join(EVERY)}")
        return self.values[measure.id]

    def frame(self) -> Any:
        """One line per measure."""
        lines = []
        for measure in EVERY.values():
            low, high = self.intervals.get(measure.id, (None, None))
            lines.append(
                {
                    "id": measure.id,
                    "name": measure.name,
                    "group": measure.group,
                    "value": self.values[measure.id],
                    "low": low,
                    "high": high,
                    "says": measure.summary,
                }
            )
        return data_frame(lines)

    def by_class(self) -> Any:
        """The measures that are means over rows, one line per class."""
        return data_frame([{"class": label, **found} for label, found in self.per_class.items()])

    def plot(self, ax: Any = None) -> Any:
        """A radar of the 22 measures: the rim is 1, hard."""
        from sepal.plots import draw_radar

        return draw_radar(
            [measure.id for measure in MEASURES],
            [self.values[measure.id] for measure in MEASURES],
            groups=[measure.group for measure in MEASURES],
            ax=ax,
        )

    def _repr_html_(self) -> str:
        return frame_html(self, float_format="{:.4f}".format)

    def __str__(self) -> str:
        return ", ".join(f"{measure.id} {self.values[measure.id]:.3f}" for measure in MEASURES)


@checked(Parameter("scale", "word", EVERYWHERE["scale"].help, words=SCALES, optional=True))
def complexity(
    X: Any,
    y: Any = None,
    *,
    distance: str = GOWER,
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = None,
    graph: GraphRule = "radius",
    groups: Any = None,
    time_limit: float | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ComplexityProfile:
    """The 22 complexity measures of the 2019 survey.

    Parameters
    ----------
    X : Table, ndarray or data frame
        For the measures that need numbers nominal columns are coded as 0 and 1, and missing cells filled with the mean.
    y : array-like, optional
        The class of each row, unless X is a Table with a target.
    distance : str
        ``"gower"``, as the survey's reference does, or another name in ``sepal.distances.DISTANCES``. Under Gower's
        distance a cell that is missing in one of two rows does not count between them.
    distance_params, scale
        As the distance takes them; Gower's scales by itself.
    graph : {"radius", "nearest"}
        Which rows of a class Density, ClsCoef and Hubs join: those nearer than 0.15 (of the largest distance, if not
        Gower), as the survey's text says, or each row and those among the nearest 15 % of all rows, as ECoL does.
    groups : array-like, "copies" or None
        Rows that are no neighbours of each other: those with the same label in an array (of one patient, for instance),
        or "copies", equal in every column. See the notes for what each measure makes of them.
    time_limit : float, optional
        Seconds. If the neighbourhood measures of all rows would take longer, they are means over samples of the rows,
        with intervals. Their values then are those of so many rows: neighbourhoods change with density.
    random_state : int, Generator or None
        For N4 and L3, which ask about made-up rows, and for samples.
    n_jobs : int, optional
        Threads; all cores by default. The answer does not depend on it.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    ComplexityProfile

    Notes
    -----
    More than two classes: F1, the N, T and C measures, LSC and the graph measures are defined directly; F1v, F2, F3, F4
    and the L measures are means over all pairs of classes, as in the survey; with more than 50 classes over the pairs
    of the 50 largest, of equally large ones those that come first by name.

    Choices the survey leaves open: tied nearest neighbours are averaged; among equal edges of the spanning tree those
    inside a class come first, then those of rows that come first by their values; a class with one row has no distance
    to its own class and is left out of N2; of tied enemies the one with the largest sphere decides in T1; LSC compares
    distances of unscaled columns to the last digit (lengths in tenths, as of iris, tie on paper and not in a computer),
    and of scaled ones up to rounding; the linear machine has C = 1 on standardized columns; N4 and L3 ask about as many
    made-up rows as there are rows, at most 20,000, each between two different rows of a class. With more than about
    5,000 rows in a class ClsCoef and Hubs are means over samples, and under a distance other than Gower's Density too.
    T3 and T4 are in the units given.

    Where ECoL (0.3), the R package of the survey's authors, does something else than the formulas of their text, the
    text is followed, and what ECoL does has a name of its own: its N2 is ``"N2m"``, the mean of the ratios of the rows;
    its ClsCoef is ``"ClsCoefG"``, the transitivity of the graph, and its graph is ``graph="nearest"``; its L1 is
    ``"L1e"``, how far rows on the wrong side are beyond the boundary, which the survey says in words, while its formula
    is the mean slack s as s/(1 + s). Not offered: ECoL's T1 covers rows greedily, the fullest sphere first, where the
    text absorbs spheres that lie inside a larger one; it weights hubs by distance, divides covariances in F1v by n - 1,
    counts a nominal column in T2 once per level, and draws a nominal cell of a made-up row from the whole class, where
    here it comes from the nearer of both rows.

    Without ``groups`` every row counts by itself, as the measures are defined, and so does a copy of it. Where rows
    come in groups (several of one patient), N1 to N4, T1 and LSC are then too kind. With ``groups`` the nearest rows of
    the own class and of others are those of other groups (N2, N3, T1, LSC; 1 - N3 is
    ``thornton_score(..., groups=...)`` under the same distance); LSC divides by the rows of other groups and the row
    itself; the spanning tree of N1 has no edge inside a group, and always exists; in T1 a sphere is absorbed by a
    larger one of another group only, equal spheres of G groups count 1/G each, and a row without an enemy in another
    group has a sphere without end; N4 and L3 lie between rows of different groups (on a row whose class is in no other
    group), and N4 asks these two and the rows of all groups but theirs; Density, ClsCoef and Hubs join rows of
    different groups only, and count only such pairs among those that could be joined. All other measures ask no
    neighbours. Groups look at every pair of rows several times in blocks of a matrix, and keep the distances of a part
    only: expect some ten times the time, and more for the tree of N1, which asks one row after the other.

    N1, N2, N3, N4, LSC, the radii of T1 and, under Gower's distance, Density come from one neighbour pass: every pair
    of rows is looked at once, pairs of different classes first, which gives the nearest enemies, then pairs of one
    class; made-up rows ask for their nearest in the same pass. Few pairs are looked at again: in the spanning tree of
    N1, those of rows whose nearest 8 are all in their own part of the tree; in T1, spheres that may lie inside a larger
    one; and the graph of ClsCoef and Hubs looks at the pairs of its rows.

    References
    ----------
    A. C. Lorena et al., "How complex is your classification problem?", ACM Computing Surveys 52(5):107, 2019.
    T. K. Ho and M. Basu, "Complexity measures of supervised classification problems", IEEE TPAMI 24, 2002.

    Examples
    --------
    >>> profile = complexity([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"])
    >>> profile["N3"], profile["borderline_rows"], profile["F3"]
    (0.0, 0.5, 0.0)
    """
    if time_limit is not None and not (isinstance(time_limit, (int, float, np.number)) and time_limit > 0):
        raise ParameterError(f"time_limit must be None or a number of seconds above 0; got {time_limit!r}")
    if graph not in GRAPH_RULES:
        raise ParameterError(f"graph must be 'radius' or 'nearest'; got {graph!r}")
    table = as_table(X, y)
    codes, classes = class_codes(table)
    together = _group_numbers(table, groups)
    rng = generator(random_state)
    tell = stage(progress or silent, "complexity")
    numbers = numbers_of(table, "mean")
    made = interpolate(table, codes, min(table.n_rows, 20_000), rng, together)
    made_numbers = numbers_of(made.table, "mean", fill=numbers.values.mean(axis=0))
    units = column_units(numbers.values)  # in which squares neither overflow nor vanish
    values = _feature_measures(numbers.values * units, codes)
    linear = linear_measures(numbers.values * units, codes, made_numbers.values * units, made.codes)
    values |= linear | size_measures(numbers.values, table.n_columns) | balance_measures(np.bincount(codes))
    tell(0.1)
    search, embed, name, notes = gower_search(table, distance, distance_params, scale, n_jobs)
    unit, as_given = 1.0 if name == GOWER else None, name != GOWER and scale is None
    network, intervals = _graph(search, codes, together, unit, graph, rng)
    reach = EPSILON if unit is not None and graph == "radius" else None
    tell(0.2)

    def of_rows(rows: NDArray[np.intp] | None, report: Share) -> RowMeasures:
        if rows is None:
            return _of_rows(search, embed, codes, together, made, as_given, reach, report)
        apart = None if together is None else _some_groups(together, rows)
        part = interpolate(table.take(rows), codes[rows], len(rows), rng, apart)
        return _of_rows(search.among(rows), embed, codes[rows], apart, part, as_given, reach, report)

    found, more, sample_rows = rows_in_time(of_rows, table, codes, time_limit, rng, lambda done: tell(0.2 + 0.8 * done))
    if not intervals:  # the graph of all rows knows better than samples of them
        more.pop("Density", None)
    elif reach is not None:
        del network["Density"], intervals["Density"]
    values |= mean_summary(found, None) | network
    tell(1.0)
    return ComplexityProfile(
        values={key: values[key] for key in EVERY},
        intervals=intervals | more,
        per_class={label: mean_summary(found, c) for c, label in enumerate(classes.tolist())},
        n_rows=table.n_rows,
        n_columns=table.n_columns,
        sample_rows=sample_rows,
        distance=name,
        notes=(*numbers.notes, *notes, *_notes(codes, classes, together, intervals, sample_rows)),
    )


def _group_numbers(table: Table, groups: Any) -> NDArray[np.intp] | None:
    """Numbers of the rows that are no neighbours of each other; None where each is one by itself."""
    found = None if groups is None else left_out_together(table, groups).groups
    return None if found is None or len(np.unique(found)) == table.n_rows else found


def _some_groups(groups: NDArray[np.intp], rows: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """The groups of some rows; None where all are of one, so that there are no others to ask."""
    found, codes = np.unique(groups[rows], return_inverse=True)
    return None if len(found) < 2 else np.asarray(codes, dtype=np.intp)


def _of_rows(
    search: Search,
    embed: Callable[[Table], Table],
    codes: NDArray[np.int32],
    groups: NDArray[np.intp] | None,
    made: Interpolated,
    as_given: bool,
    reach: float | None,
    progress: Share,
) -> RowMeasures:
    if groups is None:
        return row_measures(search, embed, codes, made, as_given, reach, progress)
    return group_row_measures(search, embed, codes, groups, made, as_given, reach, progress)


def _feature_measures(values: NDArray[np.float64], codes: NDArray[np.int32]) -> dict[str, float]:
    return {
        "F1": features.max_fisher(values, codes),
        "F1v": features.directional_fisher(values, codes),
        "F2": features.overlap_volume(values, codes),
        "F3": features.feature_efficiency(values, codes),
        "F4": features.collective_efficiency(values, codes),
    }


def _graph(
    search: Search,
    codes: NDArray[np.int32],
    groups: NDArray[np.intp] | None,
    unit: float | None,
    rule: GraphRule,
    rng: np.random.Generator,
) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Of all rows where that is possible, else means over samples."""

    def of_rows(rows: NDArray[np.intp]) -> dict[str, float]:
        if groups is None:
            return graph_measures(search, codes, rows, unit, rule)
        return group_graph_measures(search, codes, groups, rows, unit, rule)

    if asks_all_rows(codes):
        return of_rows(np.arange(len(codes))), {}
    return sampled_graph_measures(search, codes, of_rows, rng)


def _notes(
    codes: NDArray[np.int32],
    classes: NDArray[Any],
    groups: NDArray[np.intp] | None,
    intervals: Mapping[str, Any],
    sample_rows: int | None,
) -> list[str]:
    units, what = (np.arange(len(codes)), "one row") if groups is None else (groups, "rows of one group")
    alone = groups_by_class(codes, units, len(classes)) == 1
    notes = [*pairs_notes("F1v, F2, F3, F4 and the L measures are means over", len(classes))]
    if alone.sum() <= _MOST_NAMED:
        notes += [f"class {classes[c]!s} has {what} only and is left out of N2" for c in np.flatnonzero(alone)]
    else:
        notes.append(f"{alone.sum():,} classes have {what} only and are left out of N2")
    if groups is not None:
        notes.append(f"rows of one group, of {len(np.unique(groups)):,}, are no neighbours of each other")
    if intervals:
        notes.append(f"{' and '.join(intervals)} are means over samples of the rows")
    if sample_rows is not None:
        notes.append(
            f"within the time limit the neighbourhood measures come from {SAMPLES_IN_TIME} samples of {sample_rows:,} "
            f"of the {len(codes):,} rows; with all rows the classes would lie closer together"
        )
    return notes
