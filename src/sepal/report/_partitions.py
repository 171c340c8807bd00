"""The report of rows in partitions: Thornton's index of all rows, everything else of a stated sample."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Missing, ScaleName
from sepal.exceptions import ParameterError
from sepal.measures import SeparabilityAngle, Suspects
from sepal.parameters import generator
from sepal.progress import Progress, silent, stage
from sepal.report._facts import MeasureFacts, PartitionsFacts
from sepal.report._gather import class_facts, majority_facts, thornton_facts
from sepal.scale import (
    Fitted,
    Partitioned,
    PartitionsMeasure,
    Plan,
    SampledTable,
    angle_of_parts,
    carried_out,
    draw_rows,
    fit_parts,
    make_plan,
    place_of_work,
    sample_of,
)

TOGETHER = 20_000  # rows that are brought together for what needs them so
_IN_TIME = 0.4  # of the time that is allowed: after it no further pass over all rows is begun
_MOST_COLUMNS = 100  # of a table whose angle is that of all rows
_MEASURED, _DRAWN = 0.5, 0.6  # shares of the work that are behind


@dataclass(frozen=True, eq=False)
class PartsMeasured:
    """What was found of all rows, and the sample."""

    fitted: Fitted
    found: PartitionsMeasure
    drawn: SampledTable
    angle: SeparabilityAngle | None


def measured_partitions(
    source: Partitioned,
    *,
    distance: str,
    scale: ScaleName | None,
    missing: Missing,
    groups: Any = None,
    time_limit: float | None,
    random_state: int,
    n_jobs: int | None,
    progress: Progress | None,
    exact: bool | None = None,
    n_queries: int | None = None,
    cluster: str | None = None,
    workers: int | None = None,
    say: Callable[[Plan], object] | None = None,
    with_angle: bool = False,
) -> PartsMeasured:
    """The index of all rows, their angle where that is wanted and no cell is missing, and the sample for the rest."""
    if groups is not None:
        raise ParameterError("groups are not there for rows in partitions", hint="load the rows into one table")
    tell = progress or silent
    with place_of_work(None, cluster, workers, n_jobs) as work:
        begin = time.perf_counter()

        def early(text: str, share: float) -> None:
            tell(text, _MEASURED * share)

        fitted = fit_parts(source, work, distance=distance, scale=scale, missing=missing, progress=early)
        limit = None if time_limit is None else time_limit * _MEASURED
        plan = make_plan(fitted, exact=exact, n_queries=n_queries, time_limit=limit)
        if say is not None:
            say(plan)
        rows = None
        if not plan.exact:  # one pass draws those who ask and those of the sample
            seed, most = int(generator(random_state).integers(2**63)), max(plan.n_asking, TOGETHER)
            rows = draw_rows(fitted.schema, work, most, seed, fitted.distance, stage(early, "drawing rows"))
        found = carried_out(fitted, plan, 0.95, random_state, begin, early, rows)
        drawn = sample_of(fitted.schema, work, TOGETHER, random_state, None, rows)
        stage(tell, "drawing rows", _MEASURED, _DRAWN)(1.0)
        schema, angle = fitted.schema, None
        addable = not schema.n_rows_with_missing and schema.like.n_columns <= _MOST_COLUMNS
        soon = time_limit is None or time.perf_counter() - begin < _IN_TIME * time_limit
        if with_angle and addable and soon and len(drawn.rows) < drawn.n_rows:
            angle = angle_of_parts(schema, work)
    return PartsMeasured(fitted, found, drawn, angle)


def later(progress: Progress | None) -> Progress | None:
    """Progress of what is done on the sample, after the rest."""
    return None if progress is None else lambda text, share: progress(text, _DRAWN + (1 - _DRAWN) * share)


def facts_of_all(facts: Any, parts: PartsMeasured, asked: str) -> dict[str, Any]:
    """What a report or the measures of a sample say, as far as it can be said of all rows."""
    found, drawn, schema, test = parts.found, parts.drawn, parts.fitted.schema, parts.found.thornton
    classes = class_facts(test)
    low, high = found.interval
    notes = [_how(found)]
    if len(drawn.rows) < drawn.n_rows:
        means = "" if parts.angle is None else " and the angle between them"
        notes.append(
            f"all but Thornton's index, the classes{means} is of a stratified random sample of {len(drawn.rows):,} "
            "rows, compared with each other"
        )
    return {
        "table": replace(
            facts.table,
            n_rows=schema.n_given,
            n_missing=schema.n_missing,
            n_rows_with_missing=schema.n_rows_with_missing,
            notes=tuple(note for note in facts.table.notes if note not in drawn.table.notes),
        ),
        "classes": classes,
        "majority": majority_facts(classes),
        "settings": replace(
            facts.settings,
            asked_distance=asked,
            n_rows=schema.n_rows,
            n_dropped=schema.n_given - schema.n_rows,
            n_asked=test.n_queries,
            notes=(*notes, *test.notes),
        ),
        "thornton": thornton_facts(test),
        "partitions": PartitionsFacts(
            len(schema.source.parts), found.exact, found.rows_seen, (low, high), len(drawn.rows), str(found.plan)
        ),
    }


def _how(found: PartitionsMeasure) -> str:
    if found.exact:
        return f"exact: all {found.rows_seen:,} rows asked all others"
    return f"from a sample: {found.rows_seen:,} of {found.thornton.n_rows:,} rows asked all rows"


def renumbered(found: Suspects | None, rows: NDArray[np.int64]) -> Suspects | None:
    """Suspects of a sample with the numbers their rows have among all rows."""
    if found is None:
        return None

    def of_all(some: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(rows[list(some)].tolist())

    return replace(
        found,
        rows=tuple(replace(each, row=int(rows[each.row]), neighbors=of_all(each.neighbors)) for each in found.rows),
        conflicts=tuple(replace(each, rows=of_all(each.rows)) for each in found.conflicts),
        duplicates=tuple(replace(each, rows=of_all(each.rows)) for each in found.duplicates),
        near_duplicates=tuple(replace(each, rows=of_all(each.rows)) for each in found.near_duplicates),
    )


def partitions_measures(source: Partitioned, measure: Callable[..., MeasureFacts], **how: Any) -> MeasureFacts:
    """The measures of rows in partitions."""
    mine = {name: how.pop(name) for name in ("exact", "n_queries", "cluster", "workers", "say", "time_limit")}
    shared = {name: how[name] for name in ("distance", "scale", "missing", "groups", "random_state", "n_jobs")}
    parts = measured_partitions(source, **mine, **shared, progress=how["progress"])
    facts = measure(parts.drawn.table, **{**how, "progress": later(how["progress"])})
    return replace(facts, **facts_of_all(facts, parts, how["distance"]))
