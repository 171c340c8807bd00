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
from sepal.neighbors import KEPT_INDEXES, Method, recall_among
from sepal.parameters import generator
from sepal.progress import Progress, silent, stage
from sepal.report._beside import rows_beside
from sepal.report._besides import ASKED_OF_ALL, MOST_ANGLE_COLUMNS, besides
from sepal.report._facts import MeasureFacts, PartitionsFacts, RowBeside
from sepal.report._gather import class_facts, majority_facts, thornton_facts
from sepal.report._suspects import MOST_SHOWN
from sepal.scale import (
    AskedSuspects,
    Fitted,
    Partitioned,
    PartitionsMeasure,
    Plan,
    PlanStep,
    Rates,
    SampledTable,
    angle_of_parts,
    ask_partitions,
    carried_out,
    draw_rows,
    fit_parts,
    make_plan,
    place_of_work,
    sample_of,
    suspects_asked,
)

TOGETHER = 20_000  # rows that are brought together for what needs them so
_IN_TIME = 0.4  # of the time that is allowed: after it no further pass over all rows is begun
_NEIGHBORS = 5  # that judge a row
_MEASURED, _DRAWN = 0.5, 0.6  # shares of the work that are behind


@dataclass(frozen=True, eq=False)
class PartsMeasured:
    """What was found of all rows, and the sample."""

    fitted: Fitted
    found: PartitionsMeasure
    drawn: SampledTable
    angle: SeparabilityAngle | None
    suspects: AskedSuspects | None  # None where all rows are in the sample, or time was short


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
    in_full: bool = False,
    method: Method = "auto",
) -> PartsMeasured:
    """The index of all rows, and the sample for the rest.

    ``in_full`` with the angle of all rows, where no cell is missing, and suspects among rows that ask all rows.
    """
    if groups is not None:
        raise ParameterError("groups are not there for rows in partitions", hint="load the rows into one table")
    tell = progress or silent
    with place_of_work(None, cluster, workers, n_jobs) as work:
        begin = time.perf_counter()

        def early(text: str, share: float) -> None:
            tell(text, _MEASURED * share)

        fitted = fit_parts(source, work, distance=distance, scale=scale, missing=missing, method=method, progress=early)
        limit = None if time_limit is None else time_limit * _MEASURED

        def also(rates: Rates, exactly: bool, n_asking: int) -> PlanStep:
            return besides(fitted, rates, exactly, n_asking, TOGETHER, in_full)

        plan = make_plan(fitted, exact=exact, n_queries=n_queries, time_limit=limit, besides=also)
        if say is not None:
            say(plan)
        rows, few = None, fitted.schema.n_rows <= TOGETHER
        if not (plan.exact and few):  # one pass draws those who ask and those of the sample
            seed, most = int(generator(random_state).integers(2**63)), max(0 if plan.exact else plan.n_asking, TOGETHER)
            rows = draw_rows(fitted.schema, work, most, seed, fitted.distance, stage(early, "drawing rows"))
        depth = _NEIGHBORS if in_full and not few else 1
        found, asked = carried_out(fitted, plan, 0.95, random_state, begin, early, rows, depth)
        drawn = sample_of(fitted.schema, work, TOGETHER, random_state, None, rows)
        stage(tell, "drawing rows", _MEASURED, _DRAWN)(1.0)
        schema, angle, suspects = fitted.schema, None, None

        def soon() -> bool:
            return time_limit is None or time.perf_counter() - begin < _IN_TIME * time_limit

        addable = not schema.n_rows_with_missing and schema.like.n_columns <= MOST_ANGLE_COLUMNS
        if in_full and addable and not few and soon():
            angle = angle_of_parts(schema, work)
        if in_full and not few and soon():
            if asked is None:
                _, asked = ask_partitions(fitted, ASKED_OF_ALL, 0.95, random_state, None, rows, depth)
            suspects = suspects_asked(schema, work, asked, depth, asked.notes)
    KEPT_INDEXES.forget()
    return PartsMeasured(fitted, found, drawn, angle, suspects)


def later(progress: Progress | None) -> Progress | None:
    """Progress of what is done on the sample, after the rest."""
    return None if progress is None else lambda text, share: progress(text, _DRAWN + (1 - _DRAWN) * share)


def facts_of_all(facts: Any, parts: PartsMeasured, asked: str) -> dict[str, Any]:
    """What a report or the measures of a sample say, as far as it can be said of all rows."""
    found, drawn, schema, test = parts.found, parts.drawn, parts.fitted.schema, parts.found.thornton
    classes = class_facts(test)
    said = [found.how, *recall_among(test.notes)]
    if len(drawn.rows) < drawn.n_rows:
        of_all = ["Thornton's index", "the classes"]
        of_all += [] if parts.angle is None else ["the angle between them"]
        if parts.suspects is not None:
            of_all.append(f"the suspects (of {parts.suspects.found.n_checked:,} rows that asked all)")
        said.append(
            f"all but {', '.join(of_all[:-1])} and {of_all[-1]} is of a stratified random sample of "
            f"{len(drawn.rows):,} rows, compared with each other"
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
            notes=test.notes,
        ),
        "thornton": thornton_facts(test),
        "partitions": PartitionsFacts(
            n_partitions=len(schema.source.parts),
            n_rows=schema.n_rows,
            exact=found.exact,
            rows_seen=found.rows_seen,
            interval=found.interval,
            n_sampled=len(drawn.rows),
            plan=str(found.plan),
            seconds=found.seconds,
            recall=found.recall,
            said=tuple(said),
        ),
    }


def suspects_of_all(
    parts: PartsMeasured, of_sample: Suspects | None, beside: tuple[RowBeside, ...]
) -> tuple[Suspects | None, tuple[RowBeside, ...]]:
    """Suspects with the numbers their rows have among all rows, and how they differ from their neighbours.

    Those that asked all rows, where they did; else those of the sample. Copies are those of the sample.
    """
    numbers, asked = parts.drawn.rows, parts.suspects
    renamed = None if of_sample is None else _renumbered(of_sample, numbers)
    if asked is None:
        return renamed, tuple(replace(each, row=int(numbers[each.row])) for each in beside)
    found, like, place = asked.found, parts.fitted.schema.like, {int(row): at for at, row in enumerate(asked.rows)}
    with_ends = replace(asked.cells, values=np.concatenate([asked.cells.values, like.values]))  # the ranges of all rows
    shown = found.rows[:MOST_SHOWN]
    local = tuple(
        replace(each, row=place[each.row], neighbors=tuple(place[row] for row in each.neighbors)) for each in shown
    )
    beside = tuple(replace(told, row=each.row) for told, each in zip(rows_beside(with_ends, local), shown, strict=True))
    if renamed is not None:
        found = replace(found, conflicts=renamed.conflicts, duplicates=renamed.duplicates)
    return found, beside


def _renumbered(found: Suspects, rows: NDArray[np.int64]) -> Suspects:
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
    mine["method"] = how.pop("method", "auto")
    shared = {name: how[name] for name in ("distance", "scale", "missing", "groups", "random_state", "n_jobs")}
    parts = measured_partitions(source, **mine, **shared, progress=how["progress"])
    facts = measure(parts.drawn.table, **{**how, "progress": later(how["progress"])})
    return replace(facts, **facts_of_all(facts, parts, how["distance"]))
