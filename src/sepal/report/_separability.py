"""Everything about the separability of labelled rows, in one object."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from sepal.data import (
    Missing,
    ScaleName,
    copies_of,
    data_frame,
    frame_html,
    left_out_together,
)
from sepal.measures import (
    AlignmentCurve,
    ComplexityProfile,
    OverlapRegions,
    Projections,
    SeparabilityAngle,
    Suspects,
    TellingWord,
)
from sepal.parameters import checked
from sepal.progress import Progress, silent
from sepal.report._beside import rows_beside
from sepal.report._facts import (
    ClassFacts,
    CurveFacts,
    FeatureFacts,
    MajorityFacts,
    ModelFacts,
    PartitionsFacts,
    RowBeside,
    SettingsFacts,
    Shown,
    TableFacts,
    ThorntonFacts,
    Verdict,
    plain,
)
from sepal.report._gather import basic_facts
from sepal.report._geometry_verdict import COPIED_CHAPTERS, geometry_verdicts
from sepal.report._next_steps import next_steps
from sepal.report._partitions import facts_of_all, later, measured_partitions, suspects_of_all
from sepal.report._rows import ReportRows, take_rows
from sepal.report._sections import complexity_rows, sections
from sepal.report._suspects import MOST_SHOWN, suspects_dict
from sepal.report._threads import on_few_threads
from sepal.report._time_limit import Clock, check_limit, in_time
from sepal.report._verdict import repeated_verdict, verdicts
from sepal.scale import Partitioned, is_partitioned, partitioned

_PLANES_TOLD = 50
_FEWEST_RECORDS = 10  # that a verdict of each record once can be about
_NEARLY = 1 - 1e-9  # of a section: the next one begins there
_BASIC = 0.4  # share of the work that is behind when Thornton's index and the curve are known


@dataclass(frozen=True, eq=False)
class SeparabilityReport(Shown):
    """How separable the classes are, how sure that is, what separates them and which rows stand in the way.

    Attributes
    ----------
    table, classes, majority, settings : facts
        What was given, class by class, and how distances were taken.
    thornton, curve : facts
        Thornton's index with its test, and the accuracy to expect over all random splits.
    verdict : tuple of Verdict
        Sentences, each with the code of the rule that made it.
    next_steps : tuple of Verdict
        What to do next: about the model, about rows, and what to collect.
    model : ModelFacts or None
        What a classifier reaches on rows that were left out.
    suspects : Suspects or None
    beside : tuple of RowBeside
        The values of the first suspects beside those of their neighbours.
    features : FeatureFacts or None
    words : tuple of TellingWord
        Where there are texts, the words that separate the classes best.
    alignment : AlignmentCurve or None
    angle : SeparabilityAngle or None
    overlap : OverlapRegions or None
    complexity : ComplexityProfile or None
    projections : Projections or None
        None where a section was left out; ``skipped`` says why.
    skipped : dict
        Section to reason.
    seconds : dict
        Section to the time it took.
    sample_rows : int or None
        Rows in the sample that complexity was taken from; None for all.
    partitions : PartitionsFacts or None
        Of rows in partitions: how they were asked; the sections after Thornton's index are of a sample.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> report = sepal.separability(table, time_limit=0.01)
    >>> report.verdict[0].code
    'always_agree'
    """

    table: TableFacts
    classes: tuple[ClassFacts, ...]
    majority: MajorityFacts
    settings: SettingsFacts
    thornton: ThorntonFacts
    curve: CurveFacts
    verdict: tuple[Verdict, ...] = ()
    next_steps: tuple[Verdict, ...] = ()
    model: ModelFacts | None = None
    suspects: Suspects | None = None
    beside: tuple[RowBeside, ...] = ()
    features: FeatureFacts | None = None
    words: tuple[TellingWord, ...] = ()
    alignment: AlignmentCurve | None = None
    angle: SeparabilityAngle | None = None
    overlap: OverlapRegions | None = None
    complexity: ComplexityProfile | None = None
    projections: Projections | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    sample_rows: int | None = None
    partitions: PartitionsFacts | None = None

    kind = "report"

    def frame(self) -> Any:
        """The main numbers, one line each."""
        return data_frame(list(self._headline_figures().items()), columns=["measure", "value"])

    def _headline_figures(self) -> dict[str, float | None]:
        thornton = self.thornton
        found: dict[str, float | None] = {
            "thornton": thornton.score,
            "thornton_chance": thornton.chance,
            "thornton_corrected": thornton.corrected,
            "thornton_p": thornton.p_value,
            "majority": self.majority.share,
            "expected_accuracy_at_most_rows": self.curve.points[-1].accuracy,
        }
        if self.model is not None:
            low, high = self.model.interval
            found |= {"model": self.model.score, "model_from": low, "model_to": high, "linear": self.model.linear}
        if self.alignment is not None:
            found["alignment"] = self.alignment.best_score
        if self.angle is not None:
            found |= {"wilks": self.angle.wilks.value, "wilks_p": self.angle.wilks.p_value}
            if len(self.angle.pairs) == 1:
                pair = self.angle.pairs[0]
                found |= {"theta_degrees": pair.degrees, "mahalanobis": pair.mahalanobis}
        if self.complexity is not None:
            found |= self.complexity.values
        return found

    def to_dict(self) -> dict[str, Any]:
        """Dicts, lists, texts, numbers and None only; NaN and infinity become None."""
        from sepal import __version__

        special: dict[str, Any] = {"suspects": None, "projections": None}
        if self.suspects is not None:
            special["suspects"] = suspects_dict(self.suspects)
        if self.projections is not None:
            special["projections"] = {
                "planes": plain(self.projections.planes[:_PLANES_TOLD]),
                "single": plain(self.projections.single),
            }
        names = (each.name for each in fields(self))
        facts = {name: special[name] if name in special else plain(getattr(self, name)) for name in names}
        return {"sepal": __version__, "kind": self.kind, **facts}

    def to_html(self, source: str | None = None) -> str:
        """One self-contained page. ``source`` is the file or set to name in the lines that reproduce it."""
        from sepal.report._html import html_page

        return html_page(self, source)

    def to_text(self, width: int = 80, *, color: bool = False, unicode: bool = True, source: str | None = None) -> str:
        """The report as it stands on a terminal. ``source`` as in :meth:`to_html`, else as :meth:`Shown.to_text`."""
        from sepal.report._text import report_text

        return report_text(self, width, color=color, unicode=unicode, source=source)

    def plot(self, axes: Any = None) -> Any:
        """The planes that show the classes best, or the accuracy curve where there are none.

        Parameters
        ----------
        axes : sequence of matplotlib axes, optional
            One for each plane, as many as should be drawn; the curve takes the first. A new figure without it.

        Returns
        -------
        array of matplotlib axes
        """
        if self.projections is not None:
            return self.projections.plot(axes=axes)
        from sepal.plots import draw_curve, several_axes

        points = self.curve.points
        drawn = draw_curve(
            [point.train_size for point in points],
            [point.accuracy for point in points],
            [point.split_std for point in points],
            xlabel=f"training {self.curve.units}",
            ylabel="accuracy of the nearest neighbour",
            band_label="one random split",
            line_label="mean over all splits",
            ax=None if axes is None else several_axes(axes, 1)[0],
        )
        return np.array([drawn])

    def _repr_html_(self) -> str:
        import html

        sentences = "".join(f"<li>{html.escape(verdict.text)}</li>" for verdict in self.verdict)
        return f"<ul>{sentences}</ul>{frame_html(self, float_format='{:.4g}'.format)}"

    def _in_plain_words(self) -> str:
        steps = (f"{number}. {step.text}" for number, step in enumerate(self.next_steps, start=1))
        return "\n".join([*(sentence.text for sentence in self.verdict), *steps])

    def __repr__(self) -> str:
        return f"<SeparabilityReport: {self.verdict[0].text}>"


@checked()
def separability(
    X: Any,
    y: Any = None,
    *,
    distance: str = "auto",
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
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
    groups : array-like, "copies" or None
        Rows that are no neighbours of each other: those with the same label in an array (of one patient, for instance),
        or "copies", equal in every column. Thornton's index, its test and interval, the accuracy curve, suspects,
        overlaps, features, planes and complexity heed it. The angle and alignment, which ask no neighbours, do not.
    time_limit : float, optional
        Seconds. Once they are over, sections that are not finished are left out, and ``skipped`` says so; samples are
        taken where all rows would take longer. Thornton's index, its test and the accuracy curve are always there.
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
        facts["angle"] = parts.angle
    suspects, beside = suspects_of_all(parts, of_sample.suspects, of_sample.beside)
    report = replace(of_sample, **facts, suspects=suspects, beside=beside)
    report = replace(report, seconds={"partitions": taken, **report.seconds})
    spoken = verdicts(report.classes, report.majority, report.settings, report.thornton, report.curve)
    report = replace(report, verdict=(*spoken, *geometry_verdicts(report)))
    return replace(report, next_steps=next_steps(report))


def _spoken(report: SeparabilityReport, rows: ReportRows, random_state: int) -> tuple[Verdict, ...]:
    """The verdict; of each record once where records were repeated, since a copy finds its own."""
    once = _each_record_once(rows, random_state)
    if once is None:
        spoken = verdicts(report.classes, report.majority, report.settings, report.thornton, report.curve)
        return (*spoken, *geometry_verdicts(report))
    facts = basic_facts(once, random_state, silent)
    spoken = verdicts(facts["classes"], facts["majority"], facts["settings"], facts["thornton"], facts["curve"])
    first = repeated_verdict(rows.table.n_rows, once.table.n_rows, report.thornton)
    return (first, *spoken, *geometry_verdicts(report, COPIED_CHAPTERS))


def _each_record_once(rows: ReportRows, random_state: int) -> ReportRows | None:
    """The first row of each that is equal in all columns; None where rows may well be independent."""
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
