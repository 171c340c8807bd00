"""From labelled rows to facts: the measures are asked, nothing is computed here that they can answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import KINDS, Missing, ScaleName, Table, all_cautions, caution_texts
from sepal.exceptions import ParameterError
from sepal.measures import ThorntonTest, expected_accuracy_curve, prepare, sample_rows, thornton_test
from sepal.neighbors import Method
from sepal.parameters import Parameter, checked
from sepal.progress import Progress, silent, stage
from sepal.report._facts import (
    ClassFacts,
    CurveFacts,
    CurvePoint,
    MajorityFacts,
    MarginFacts,
    MeasureFacts,
    SettingsFacts,
    TableFacts,
    ThorntonFacts,
)
from sepal.report._margins import margin_facts, margins
from sepal.report._rows import SAMPLE_ROWS, ReportRows, take_rows
from sepal.report._time_limit import Clock, check_limit, in_time

_SPLITS, _NEAREST = "all random splits", "nearest neighbours"  # what is being done
SHARED_NEIGHBORS = 5  # of every row that asks: what suspects and overlaps read
CURVE_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_RANKED_GROUPS = 270  # other groups of which one trains, as good as surely, at a tenth of the groups
_RANKED_PAIRS = 25_000_000  # pairs of rows that the curve of groups may rank


@checked(Parameter("train_sizes", "other", "shares or numbers of rows to train on", also=("sequence",)))
def measure_facts(
    X: Any,
    y: Any = None,
    *,
    train_sizes: Sequence[float | int] = (0.5, 0.9),
    n_neighbors: int = 1,
    n_permutations: int = 0,
    distance: str = "auto",
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    method: Method = "auto",
    groups: Any = None,
    time_limit: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> MeasureFacts:
    """The measures alone: Thornton's index with its test, accuracy over all splits, margins.

    Parameters
    ----------
    X, y, distance, scale, missing, method, groups, random_state, n_jobs, progress
        As in :func:`sepal.separability`.
    time_limit : float, optional
        Seconds. Once they are over, what is not finished is None, and ``skipped`` says so; a sample is taken where all
        rows would take longer. Thornton's index and its exact test are always there.
    train_sizes : sequence of float or int
        Shares (below 1) or numbers of rows in the training part; of groups where there are ``groups``.
    n_neighbors : int
        Neighbours that vote; odd, and above 1 for two classes only, without ``groups``.
    n_permutations : int
        Real permutations of the labels, besides the exact moments. Needs at most 20,000 rows.

    Returns
    -------
    MeasureFacts

    Examples
    --------
    >>> from sepal import datasets
    >>> facts = measure_facts(datasets.load("sonar"), train_sizes=[0.5])
    >>> facts.thornton.score, round(facts.curve.points[0].accuracy, 4)
    (0.875, 0.83)
    """
    say, clock = progress or silent, Clock(check_limit(time_limit))
    rows = take_rows(
        X,
        y,
        distance=distance,
        scale=scale,
        missing=missing,
        random_state=random_state,
        n_jobs=n_jobs,
        time_limit=time_limit,
        groups=groups,
        method=method,
    )
    sizes = train_rows(train_sizes, *_curve_units(rows, random_state), n_neighbors)

    def shuffled(tick: Progress) -> ThorntonTest:
        return _test(rows, n_permutations, random_state, tick)

    def curve(tick: Progress) -> CurveFacts:
        return _curve(rows, sizes, n_neighbors, random_state, tick)

    splits: CurveFacts | None
    margin: MarginFacts | None
    if time_limit is None:  # the deepest search first: what it finds serves the others
        splits, test = curve(_stage(say, _SPLITS, 0.0, 0.6)), shuffled(_stage(say, _NEAREST, 0.6, 0.8))
        say("margins", 0.8)
        margin = margin_facts(margins(rows))
    else:
        test = _test(rows, 0, random_state, _stage(say, _NEAREST, 0.0, 0.2))
        margin = in_time(clock, "margins", lambda: margin_facts(margins(rows)))
        splits = in_time(clock, "splits", lambda: curve(_stage(say, _SPLITS, 0.3, 0.8)))
        if n_permutations and rows.sample is not None:
            clock.skipped["permutations"] = "the time limit lets a sample ask, and permutations need every row"
        elif n_permutations:
            test = in_time(clock, "permutations", lambda: shuffled(_stage(say, _NEAREST, 0.8, 1.0))) or test
    say("done", 1.0)
    return MeasureFacts(**_told(rows, test, random_state), curve=splits, margins=margin, skipped=clock.skipped)


def basic_facts(rows: ReportRows, random_state: int, say: Progress) -> dict[str, Any]:
    """What is in every report; the deepest search comes first: what it finds serves the others."""
    sizes = train_rows(CURVE_SHARES, *_curve_units(rows, random_state), 1)
    curve = _curve(rows, sizes, 1, random_state, _stage(say, _SPLITS, 0.0, 0.7))
    test = _test(rows, 0, random_state, _stage(say, _NEAREST, 0.7, 1.0))
    return {**_told(rows, test, random_state), "curve": curve}


def _told(rows: ReportRows, test: ThorntonTest, random_state: int) -> dict[str, Any]:
    """The rows and the test as facts."""
    classes = class_facts(test)
    return {
        "table": _table(rows.given),
        "classes": classes,
        "majority": majority_facts(classes),
        "settings": _settings(rows, test, random_state),
        "thornton": thornton_facts(test),
    }


def train_rows(train_sizes: Sequence[float | int], n_rows: int, units: str, k: int) -> NDArray[np.int64]:
    """Training sizes as numbers of rows, or of groups, ascending, each once.

    A share is rounded, and brought into what is possible, so that the shares of a curve fit the smallest tables.
    """
    if not isinstance(k, (int, np.integer)) or not 1 <= k < n_rows:
        raise ParameterError(
            f"n_neighbors must be from 1 to {n_rows - 1}, one less than the number of {units}; got {k!r}"
        )
    sizes, in_rows = set(), Parameter("train_sizes", "whole", "", at_least=k, at_most=n_rows - 1)
    for size in train_sizes:
        share = isinstance(size, (float, np.floating))
        if not (0 < size < 1 if share else in_rows.allows(size)):
            raise ParameterError(
                f"train_sizes: a training size must be a share between 0 and 1, or a number of {units} from {k} to "
                f"{n_rows - 1}; got {size!r}"
            )
        sizes.add(min(max(round(size * n_rows), k), n_rows - 1) if share else int(size))
    if not sizes:
        raise ParameterError("train_sizes must hold at least one size")
    return np.array(sorted(sizes), dtype=np.int64)


def _stage(say: Progress, what: str, begin: float, end: float) -> Progress:
    """The callback of a part of the work, in our words."""
    tell = stage(say, what, begin, end)
    tell(0.0)
    return lambda text, done: tell(done)


def _curve_rows(rows: ReportRows, random_state: int) -> NDArray[np.intp] | None:
    """The rows that are split at random; None for all.

    For whole groups as many neighbours are ranked as the largest groups have rows, so that large ones take a sample.
    """
    groups, drawn = rows.groups, rows.sample
    if groups is None:
        return drawn
    if drawn is None:
        ranked = min(rows.table.n_rows, int(np.sort(np.bincount(groups))[-_RANKED_GROUPS:].sum()))
        if rows.table.n_rows * ranked <= _RANKED_PAIRS:
            return None
        drawn = sample_rows(rows.table, rows.ready.codes, SAMPLE_ROWS, random_state)
    if len(np.unique(groups[drawn])) < 2:  # one group has nearly all rows: one row of each at least
        drawn = np.union1d(drawn, np.unique(groups, return_index=True)[1])
    return drawn


def _curve_units(rows: ReportRows, random_state: int) -> tuple[int, str]:
    """How many rows or groups there are to draw from, and which of the two."""
    drawn = _curve_rows(rows, random_state)
    n_rows = rows.table.n_rows if drawn is None else len(drawn)
    if rows.groups is None:
        return n_rows, "rows"
    return len(np.unique(rows.groups if drawn is None else rows.groups[drawn])), "groups"


def _test(rows: ReportRows, n_permutations: int, random_state: int, progress: Progress) -> ThorntonTest:
    if rows.sample is not None and n_permutations:
        raise ParameterError(
            f"permutations need every row to ask, and {rows.table.n_rows} rows are too many for that",
            hint="leave them out: the interval of the sample is given",
        )
    if rows.sample is not None and rows.groups is None:
        rows.ready.ranking(SHARED_NEIGHBORS, rows.sample, progress)
    return thornton_test(
        rows.ready, None, n_permutations, groups=rows.groups, random_state=random_state, progress=progress
    )


def _curve(
    rows: ReportRows,
    sizes: NDArray[np.int64],
    k: int,
    random_state: int,
    progress: Progress,
) -> CurveFacts:
    ready, groups, drawn = rows.ready, rows.groups, _curve_rows(rows, random_state)
    if drawn is not None:
        part, scale = rows.part(drawn)
        ready = prepare(part, distance=rows.distance, scale=scale, n_jobs=rows.n_jobs)
        groups = None if groups is None else groups[drawn]
    curve = expected_accuracy_curve(
        ready, None, sizes, n_neighbors=k, groups=groups, random_state=random_state, progress=progress
    )
    alone = curve.n_groups is None
    shares, accuracy, std = curve.train_shares.tolist(), curve.accuracy.tolist(), curve.split_std.tolist()
    points = tuple(
        CurvePoint(size if alone else None, share, mean, noise, None if alone else size)
        for size, share, mean, noise in zip(curve.train_sizes.tolist(), shares, accuracy, std, strict=True)
    )
    return CurveFacts(k=k, n_rows=curve.n_rows, points=points, n_groups=curve.n_groups)


def _table(table: Table) -> TableFacts:
    notes = caution_texts(table)
    if table.weights is not None:
        notes = (*notes, "the row weights of the file are not used")
    return TableFacts(
        name=table.name,
        description=table.description,
        n_rows=table.n_rows,
        n_columns=table.n_columns,
        kinds={kind: table.kinds.count(kind) for kind in KINDS},
        n_missing=table.n_missing,
        n_rows_with_missing=int((~table.complete_rows).sum()),
        target=table.target,
        notes=notes,
        cautions=all_cautions(table),
        citation=table.citation,
        licence=table.licence,
    )


def class_facts(test: ThorntonTest) -> tuple[ClassFacts, ...]:
    """Each class, from the test."""
    return tuple(
        ClassFacts(
            label,
            count,
            count / test.n_rows,
            None if np.isnan(score := test.per_class[label]) else score,
            test.class_chance[label],
            test.class_interval[label],
        )
        for label, count in test.class_counts.items()
    )


def majority_facts(classes: tuple[ClassFacts, ...]) -> MajorityFacts:
    """The largest class."""
    largest = max(classes, key=lambda entry: entry.n_rows)
    return MajorityFacts(largest.label, largest.share)


def _settings(rows: ReportRows, test: ThorntonTest, random_state: int) -> SettingsFacts:
    return SettingsFacts(
        asked_distance=rows.asked_distance,
        distance=test.distance,
        scale=rows.scale,
        missing=rows.missing,
        ties="expected",
        n_rows=rows.table.n_rows,
        n_dropped=rows.n_dropped,
        n_asked=test.n_queries,
        random_state=random_state,
        notes=test.notes,
        n_groups=test.n_groups,
    )


def thornton_facts(test: ThorntonTest) -> ThorntonFacts:
    """The test, as a report has it."""
    return ThorntonFacts(**{field.name: getattr(test, field.name) for field in fields(ThorntonFacts)})
