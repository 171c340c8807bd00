"""From labelled rows to the report on their separability: section by section, within a time limit."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from sepal.data import (
    Missing,
    ScaleName,
    copies_of,
    left_out_together,
)
from sepal.neighbors import Method
from sepal.parameters import checked
from sepal.progress import Progress, silent
from sepal.report._beside import rows_beside
from sepal.report._facts import (
    Verdict,
)
from sepal.report._gather import basic_facts
from sepal.report._geometry_verdict import COPIED_CHAPTERS, geometry_verdicts
from sepal.report._next_steps import next_steps
from sepal.report._partitions import facts_of_all, later, measured_partitions, suspects_of_all
from sepal.report._rows import ReportRows, take_rows
from sepal.report._sections import complexity_rows, sections
from sepal.report._separability_report import SeparabilityReport
from sepal.report._suspects import MOST_SHOWN
from sepal.report._threads import on_few_threads
from sepal.report._time_limit import Clock, check_limit, in_time
from sepal.report._verdict import repeated_verdict, verdicts
from sepal.scale import Partitioned, is_partitioned, partitioned

_FEWEST_RECORDS = 10  # distinct records below which the verdict is about all rows
_NEARLY = 1 - 1e-9  # largest share that is told of a section: at 1 the next one begins
_OF_THE_REST = 2 / 3  # of the time that is left, which a section may use while others wait
_BASIC = 0.4  # share of the work done when Thornton's index and the curve are known


@checked()
def separability(
    X: Any,
    y: Any = None,
    *,
    distance: str = "auto",
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    method: Method = "auto",
    groups: Any = None,
    time_limit: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> SeparabilityReport:
    """Measure everything about the separability of labelled rows.

    Parameters
    ----------
    X : Table, ndarray, data frame, or rows in partitions
        The rows. A Table with a target needs no ``y``. A pattern of file names, a Dask DataFrame and the like are rows
        in partitions (:func:`sepal.scale.partitioned`): Thornton's index is that of all rows, exactly or from a sample
        that asks all, and the other sections are of a sample of 20,000 rows.
    y : array-like, optional
        The class of each row; of rows in partitions the name of the target.
    distance : str
        ``"auto"`` takes Euclidean for complete numbers, and HEOM where columns are nominal or cells are missing.
    scale : {"minmax", "standard"} or None
        Scaling of numeric columns before distances are taken.
    missing : {"distance", "drop"}
        Leave missing cells to the distance, or drop the rows that have any.
    method : {"auto", "brute", "tree", "approximate"}
        The neighbour search. The answer does not depend on it, but for "approximate", which needs FAISS and misses some
        neighbours: which share of them it finds is measured, and stands at the top of the report. Sections that compare
        a sample with itself, and single columns, find all.
    groups : array-like, "copies" or None
        Rows that are no neighbours of each other: those with the same label in an array (of one patient, for instance),
        or "copies", equal in every column. Thornton's index, its test and interval, the accuracy curve, suspects,
        overlaps, features, planes and complexity heed it. The angle and alignment, which ask no neighbours, do not.
    time_limit : float, optional
        Seconds. Once they are over, sections that are not finished are left out, and so is one that uses up two thirds
        of the time that was left while others wait; ``skipped`` says so. Samples are taken where all rows would take
        longer. Thornton's index, its test and the accuracy curve are always there.
    random_state : int
        For samples of a large table, shuffles, made-up rows, and the estimate of how noisy one split is.
    n_jobs : int, optional
        Threads; all cores by default. The answer does not depend on it.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    SeparabilityReport
        Prints as the terminal report; ``to_json()`` and ``to_html()`` carry the same facts.

    Notes
    -----
    Above 20,000 rows the neighbours of 5,000 random rows are looked up among all rows, the accuracy curve is that of
    these 5,000, suspects are searched among them, and complexity is that of a sample; the report says so. The angle of
    separability is in the units given, and never stands without the companions that do not depend on units.

    Examples
    --------
    >>> from sepal import datasets
    >>> report = separability(datasets.load("athletes"))
    >>> report.thornton.score, report.verdict[0].code
    (1.0, 'always_agree')
    """
    check_limit(time_limit)
    if is_partitioned(X):
        return partitions_report(
            partitioned(X, y),
            distance=distance,
            scale=scale,
            missing=missing,
            method=method,
            groups=groups,
            time_limit=time_limit,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
        )
    say = progress or silent
    clock = Clock(time_limit)
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
    basic = basic_facts(rows, random_state, lambda what, done: say(what, _BASIC * done))
    clock.lap("neighbours and splits")
    part, part_groups, sample_rows = complexity_rows(rows, random_state)
    found: dict[str, Any] = {}
    work = sections(rows, part, part_groups, random_state, clock)
    for i, (name, section) in enumerate(work.items()):
        begin, share = _BASIC + (1 - _BASIC) * i / len(work), (1 - _BASIC) / len(work)
        say(name, begin)
        tick = _ticking(say, name, begin, share, clock)
        with clock.share(_OF_THE_REST if i < len(work) - 1 else 1.0):
            made = in_time(clock, name, partial(on_few_threads, section, rows.table, tick))
        if name not in clock.skipped:
            found[name] = made
    say("done", 1.0)
    report = SeparabilityReport(**basic, **found, skipped=clock.skipped, seconds=clock.seconds, sample_rows=sample_rows)
    if report.suspects is not None:
        report = replace(report, beside=rows_beside(rows.given, report.suspects.rows[:MOST_SHOWN]))
    report = replace(report, verdict=_spoken(report, rows, random_state))
    return replace(report, next_steps=next_steps(report))


def partitions_report(source: Partitioned, **how: Any) -> SeparabilityReport:
    """The report of rows in partitions; the keywords are those of :func:`measured_partitions`."""
    begin = perf_counter()
    parts = measured_partitions(source, **how, in_full=True)
    drawn = parts.drawn
    taken = perf_counter() - begin
    limit = None if how["time_limit"] is None else max(0.1, how["time_limit"] - taken)
    names = ("distance", "scale", "missing", "random_state", "n_jobs")
    of_sample = separability(
        drawn.table, **{name: how[name] for name in names}, time_limit=limit, progress=later(how["progress"])
    )
    facts = facts_of_all(of_sample, parts, how["distance"])
    if parts.angle is not None and of_sample.angle is not None:
        facts["angle"] = replace(parts.angle, plan=None)  # the report has one plan
    suspects, beside = suspects_of_all(parts, of_sample.suspects, of_sample.beside)
    report = replace(of_sample, **facts, suspects=suspects, beside=beside)
    report = replace(report, seconds={"partitions": taken, **report.seconds})
    spoken = verdicts(report.classes, report.majority, report.settings, report.thornton, report.curve)
    report = replace(report, verdict=(*spoken, *geometry_verdicts(report)))
    return replace(report, next_steps=next_steps(report))


def _spoken(report: SeparabilityReport, rows: ReportRows, random_state: int) -> tuple[Verdict, ...]:
    """The verdict; of distinct records where these were repeated, since copies are each other's nearest rows."""
    once = _each_record_once(rows, random_state)
    if once is None:
        spoken = verdicts(report.classes, report.majority, report.settings, report.thornton, report.curve)
        return (*spoken, *geometry_verdicts(report))
    facts = basic_facts(once, random_state, silent)
    spoken = verdicts(facts["classes"], facts["majority"], facts["settings"], facts["thornton"], facts["curve"])
    first = repeated_verdict(rows.table.n_rows, once.table.n_rows, report.thornton)
    return (first, *spoken, *geometry_verdicts(report, COPIED_CHAPTERS))


def _each_record_once(rows: ReportRows, random_state: int) -> ReportRows | None:
    """The first row of each group of equal ones; None where the copies may be due to chance."""
    table = rows.table
    if rows.groups is not None or not left_out_together(table, "rows").repeated:
        return None
    first = np.sort(np.unique(copies_of(table), return_index=True)[1])
    if len(np.unique(np.asarray(table.y)[first])) < 2 or len(first) < _FEWEST_RECORDS:
        return None
    return take_rows(
        table.take(first),
        None,
        distance=rows.asked_distance,
        scale=rows.scale,
        missing=rows.missing,
        random_state=random_state,
        n_jobs=rows.n_jobs,
    )


def _ticking(say: Progress, name: str, begin: float, share: float, clock: Clock) -> Progress:
    """The callback of one section: passes its progress on, and ends it when time is over and it is not done."""

    def tick(text: str, done: float) -> None:
        say(name, begin + share * min(done, _NEARLY))
        if done < 1:
            clock.check()

    return tick
