"""The sections of a report after its basic facts: what each measures, and on how many rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, rows_by_content, sample_by_class
from sepal.measures import (
    MOST_CLASS_PAIRS,
    AlignmentCurve,
    ComplexityProfile,
    SeparabilityAngle,
    alignment_curve,
    angle_of_separability,
    complexity,
    informative_projections,
    overlap_regions,
    sample_rows,
    suspects,
    telling_words,
)
from sepal.progress import Progress
from sepal.report._features import feature_facts
from sepal.report._gather import SHARED_NEIGHBORS
from sepal.report._model import model_facts
from sepal.report._rows import ALL_PAIRS_ROWS, SAMPLE_ROWS, ReportRows
from sepal.report._time_limit import Clock

_PLANE_ROWS = 1_500
_ALIGNED_ROWS = {"rbf": 3_000, "mixed": 1_500}  # comparing names takes several times as long
_WORTH_THREADS = 1_000  # rows; fewer pairs are done before a second thread has started
_SHUFFLES, _SHUFFLED_ROWS = 199, 20_000_000  # shuffles of the angle, and rows they may touch in all


def sections(
    rows: ReportRows, part: Table, part_groups: NDArray[np.intp] | None, random_state: int, clock: Clock
) -> dict[str, Callable[[Progress], Any]]:
    """What is measured after the basic facts, the quickest first: a time limit cuts off the end."""
    apart = rows.groups
    k = min(SHARED_NEIGHBORS, rows.table.n_rows - (1 if apart is None else int(np.bincount(apart).max())))
    texts = {"words": lambda tick: telling_words(rows.table)} if "text" in rows.table.kinds else {}
    return {
        **texts,
        "suspects": lambda tick: suspects(rows.ready, n_neighbors=k, groups=apart, progress=tick),
        "overlap": lambda tick: overlap_regions(rows.ready, n_neighbors=k, groups=apart, progress=tick),
        "alignment": lambda tick: _alignment(rows, random_state, tick),
        "angle": lambda tick: _angle(rows.given, random_state, tick),
        "features": lambda tick: feature_facts(rows, random_state, tick),
        "model": lambda tick: model_facts(rows, random_state, clock, tick),
        "projections": lambda tick: informative_projections(
            rows.table, most_rows=_PLANE_ROWS, groups=apart, random_state=random_state, progress=tick
        ),
        "complexity": lambda tick: _complexity(part, part_groups, clock, random_state, rows.n_jobs, tick),
    }


def complexity_rows(rows: ReportRows, random_state: int) -> tuple[Table, NDArray[np.intp] | None, int | None]:
    """All rows of a table that is not too large, else a sample with every class in it; with their groups."""
    most = ALL_PAIRS_ROWS if rows.groups is None else SAMPLE_ROWS  # groups take longer
    if rows.table.n_rows <= most:
        return rows.table, rows.groups, None
    order = rows_by_content(rows.table, rows.ready.codes)
    sample = sample_by_class(order, rows.ready.codes, SAMPLE_ROWS, np.random.default_rng(random_state))
    return rows.table.take(sample), None if rows.groups is None else rows.groups[sample], len(sample)


def _complexity(
    part: Table,
    groups: NDArray[np.intp] | None,
    clock: Clock,
    random_state: int,
    n_jobs: int | None,
    tick: Progress,
) -> ComplexityProfile:
    left = clock.left()
    limit = None if left is None else max(0.1, 0.8 * left)
    return complexity(part, groups=groups, time_limit=limit, random_state=random_state, n_jobs=n_jobs, progress=tick)


def _angle(table: Table, random_state: int, tick: Progress) -> SeparabilityAngle:
    """Complete rows if nearly all are and every class keeps some, else column means for missing cells."""
    complete = table.complete_rows
    labels = table.y if table.y is not None else np.empty(0)
    n_classes = len(np.unique(labels))
    n_pairs = min(MOST_CLASS_PAIRS, n_classes * (n_classes - 1) // 2)
    kept = len(np.unique(labels[complete])) == n_classes
    shuffles = min(_SHUFFLES, _SHUFFLED_ROWS // max(1, table.n_rows * n_pairs))
    return angle_of_separability(
        table,
        missing="drop" if complete.mean() >= 0.8 and kept else "mean",
        n_permutations=shuffles if shuffles >= 19 else 0,
        random_state=random_state,
        progress=tick,
    )


def _alignment(rows: ReportRows, random_state: int, tick: Progress) -> AlignmentCurve:
    """Centred alignment over all widths, of at most 3,000 complete rows; of half as many where there are names."""
    kernel: Literal["mixed", "rbf"] = "mixed" if "nominal" in rows.table.kinds else "rbf"
    drawn = None
    if rows.table.n_rows > _ALIGNED_ROWS[kernel]:
        drawn = sample_rows(rows.table, rows.ready.codes, _ALIGNED_ROWS[kernel], random_state)
    table, scale = rows.part(drawn)
    return alignment_curve(
        table,
        kernel=kernel,
        scale=scale,
        missing="drop",
        n_jobs=1 if table.n_rows < _WORTH_THREADS else rows.n_jobs,
        progress=tick,
    )
