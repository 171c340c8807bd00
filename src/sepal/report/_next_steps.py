"""What to do next, in three sentences: which model to use, which rows to look at, what to collect. Rules as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from sepal.report._facts import UNEQUAL, ClassFacts, CurvePoint, Verdict
from sepal.report._model import FEWEST_MODEL_ROWS
from sepal.report._suspects import too_many
from sepal.report._verdict import FEW_ROWS, RISE, percent, quoted

if TYPE_CHECKING:
    from sepal.report._separability_report import SeparabilityReport

NEARLY_ALL = 0.98
MANY_ROWS = 500


class NextStep(NamedTuple):
    """A code, when it holds, and what it says."""

    code: str
    holds: Callable[[SeparabilityReport], bool]
    text: str


MODEL = (
    NextStep(
        "join_classes",
        lambda report: any(caution.code == "classes_alike" for caution in report.table.cautions),
        "Make one class of those that differ by case or blanks only, if they mean the same, and read the report again.",
    ),
    NextStep(
        "choose_the_target",
        lambda report: any(caution.code == "determines_class" for caution in report.table.cautions),
        "Decide first whether the column that determines the class is known beforehand; if not, leave it out with "
        "--drop, and read this report again.",
    ),
    NextStep(
        "collect_before_a_model",
        lambda report: report.model is None and report.settings.n_rows < FEWEST_MODEL_ROWS,
        "Train no model yet: {n_rows} rows are too few to hold any out and see what it reaches.",
    ),
    NextStep("try_a_model", lambda report: report.model is None, "See what a model reaches: sepal evaluate DATA."),
    NextStep(
        "train_on_few_columns",
        lambda report: report.model is not None and bool(report.model.columns),
        "Train on few columns, which does better here: sepal train DATA --columns {columns} -o model.sepal.",
    ),
    NextStep(
        "find_other_columns",
        lambda report: report.model is not None and not report.model.learns,
        "Look for columns that tell the classes apart: with these no model was measurably better than always "
        "answering {majority_class}.",
    ),
    NextStep(
        "train_balanced",
        lambda report: report.model is not None and report.model.balanced,
        "Train a model in which every class counts alike: sepal train DATA --set balanced=true -o model.sepal; expect "
        "{best} right answers, averaged over the classes.",
    ),
    NextStep(
        "train_a_model",
        lambda report: True,
        "Train a model: sepal train DATA -o model.sepal; expect {best} right answers on new rows.",
    ),
)

ROWS = (
    NextStep(
        "rows_cannot_be_checked",
        lambda report: like_chance(report),
        "Do not look for mislabelled rows yet: neighbours agree no more often than by chance, so they cannot tell.",
    ),
    NextStep(
        "too_many_contradicted",
        lambda report: report.suspects is not None and too_many(report.suspects),
        "Do not look for mislabelled rows yet: neighbours contradict {n_suspects} of {n_checked} rows, far too many to "
        "be wrong labels.",
    ),
    NextStep(
        "check_rows",
        lambda report: report.suspects is not None and bool(report.suspects.rows),
        "Check the labels of the {n_suspects} rows that their neighbours contradict, row {suspect_row} first (rows are "
        "counted from 0).",
    ),
    NextStep(
        "rows_not_checked",
        lambda report: report.suspects is None,
        "Look for mislabelled rows with more time: that section was left out.",
    ),
    NextStep("rows_fine", lambda report: True, "No row looks mislabelled; there is none to check first."),
)

COLLECT = (
    NextStep(
        "collect_rare_rows",
        lambda report: report.majority.share >= UNEQUAL and rarest(report).n_rows < MANY_ROWS,
        "Collect more rows of {rare_class}: there are only {n_rare}, and every figure about that class rests on them.",
    ),
    NextStep(
        "little_to_gain",
        lambda report: (report.thornton.score if report.model is None else report.model.best[0]) >= NEARLY_ALL,
        "There is little left to gain: test it on rows that were collected later, or elsewhere.",
    ),
    NextStep(
        "test_few_columns",
        lambda report: report.model is not None and bool(report.model.columns),
        "Test these columns on rows that were collected later: they were chosen by looking at {n_rows} rows.",
    ),
    NextStep(
        "collect_since_means_differ",
        lambda report: any(verdict.code == "no_better_though_means_differ" for verdict in report.verdict),
        "Collect more rows, and look for further columns: the class means differ beyond doubt, but {n_rows} rows with "
        "these columns do not let a model answer single rows.",
    ),
    NextStep(
        "collect_nothing_yet",
        lambda report: like_chance(report) and report.model is not None and not report.model.learns,
        "Collect no further rows with these columns alone: nothing yet shows that they have to do with the classes.",
    ),
    NextStep(
        "collect_more_groups",
        lambda report: report.curve.n_groups is not None and last_rise(report) > RISE,
        "Collect further groups rather than more rows of these: going from {half_rows} to {most_rows} training groups "
        "brought the nearest neighbour {rise} points.",
    ),
    NextStep(
        "collect_groups",
        lambda report: report.settings.n_groups is not None,
        "Collect further groups rather than more rows of these: the figures rest on {n_groups} groups.",
    ),
    NextStep(
        "collect_rows",
        lambda report: last_rise(report) > RISE,
        "Collect more rows: going from {half_rows} to {most_rows} training rows brought the nearest neighbour {rise} "
        "points.",
    ),
    NextStep(
        "collect_first",
        lambda report: report.settings.n_rows < FEW_ROWS,
        "Collect more rows before you decide anything: {n_rows} are a first impression.",
    ),
    NextStep(
        "collect_columns",
        lambda report: True,
        "Look for further columns rather than rows: going from {half_rows} to {most_rows} training rows brought the "
        "nearest neighbour {rise} points.",
    ),
)


def like_chance(report: SeparabilityReport) -> bool:
    """Whether neighbours agree no more often than by chance."""
    return any(verdict.code.endswith("like_chance") for verdict in report.verdict)


def rarest(report: SeparabilityReport) -> ClassFacts:
    """The class with the fewest rows."""
    return min(report.classes, key=lambda entry: entry.n_rows)


def doubling(report: SeparabilityReport) -> tuple[CurvePoint, CurvePoint]:
    """The last point of the curve, and the one nearest to half as many training rows, or groups."""
    points = report.curve.points
    return min(points, key=lambda point: abs(2 * point.train_size - points[-1].train_size)), points[-1]


def last_rise(report: SeparabilityReport) -> float:
    """What twice as many training rows or groups, or nearly so, brought the nearest neighbour."""
    half, most = doubling(report)
    return most.accuracy - half.accuracy


def next_steps(report: SeparabilityReport) -> tuple[Verdict, ...]:
    """One sentence about the model, one about rows, one about what to collect."""
    words = _words(report)
    spoken = (next(step for step in chapter if step.holds(report)) for chapter in (MODEL, ROWS, COLLECT))
    return tuple(Verdict(step.code, step.text.format(**words)) for step in spoken)


def _words(report: SeparabilityReport) -> dict[str, Any]:
    half, most = doubling(report)
    model, suspects = report.model, report.suspects
    best = ""
    if model is not None:
        score, (low, high) = model.best
        best = f"{percent(score)} ({percent(low)} to {percent(high)})"
    return {
        "best": best or "the accuracy of sepal evaluate DATA in",
        "columns": "" if model is None else ",".join(model.columns[:12]),
        "rare_class": quoted(rarest(report).label),
        "n_rare": f"{rarest(report).n_rows:,}",
        "majority_class": quoted(report.majority.label),
        "n_suspects": "" if suspects is None else f"{len(suspects.rows):,}",
        "n_checked": "" if suspects is None else f"{suspects.n_checked:,}",
        "suspect_row": f"{suspects.rows[0].row:,}" if suspects is not None and suspects.rows else "",
        "half_rows": f"{half.train_size:,}",
        "most_rows": f"{most.train_size:,}",
        "rise": f"{round(100 * (most.accuracy - half.accuracy), 1) + 0.0:+.1f}",  # no minus before a zero
        "n_groups": f"{report.settings.n_groups or 0:,}",
        "n_rows": f"{report.settings.n_rows:,}",
    }
