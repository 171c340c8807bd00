"""The figures at the top: what the best honest model reaches, beside simple rules, and what more rows would bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sepal.report._facts import UNEQUAL
from sepal.report._next_steps import doubling, rarest
from sepal.report._verdict import percent, quoted

if TYPE_CHECKING:
    from sepal.report._separability_report import SeparabilityReport

EVERY_CLASS_ALIKE = "every class counted alike"


def tiles(report: SeparabilityReport) -> list[tuple[str, str, str]]:
    """Name, number, small print."""
    return [_model_tile(report), _nearest_tile(report), _majority_tile(report), _rows_tile(report)]


def _model_tile(report: SeparabilityReport) -> tuple[str, str, str]:
    model = report.model
    new = "rows" if report.settings.n_groups is None else "groups"
    if model is None:
        last = report.curve.points[-1]
        trained = f"{last.train_size:,} {report.curve.units}"
        return f"To expect on new {new}", percent(last.accuracy), f"nearest neighbour, trained on {trained}"
    score, (low, high) = model.best
    what = f"{model.name} on {len(model.columns)} columns" if model.columns else model.name
    alike = f"{EVERY_CLASS_ALIKE}, " if model.balanced else ""
    small = f"{what}, {alike}95 % interval {percent(low)} to {percent(high)}"
    return f"To expect on new {new}", percent(score), small


def _nearest_tile(report: SeparabilityReport) -> tuple[str, str, str]:
    thornton = report.thornton
    if report.majority.share >= UNEQUAL:
        chance = percent(1.0 / len(report.classes))
        return "Nearest neighbour alone", percent(thornton.macro), f"{EVERY_CLASS_ALIKE}; guessing: {chance}"
    low, high = thornton.interval
    small = f"{thornton.confidence:.0%} interval {low:.1%} to {high:.1%}; guessing: {percent(thornton.chance)}"
    return "Nearest neighbour alone", percent(thornton.score), small


def _majority_tile(report: SeparabilityReport) -> tuple[str, str, str]:
    majority = report.majority
    small = f"always answering “{majority.label}”"
    if majority.share >= UNEQUAL:
        return (
            "Largest class",
            percent(1.0 / len(report.classes)),
            f"{small}, {EVERY_CLASS_ALIKE}; all rows: " + percent(majority.share),
        )
    return "Largest class", percent(majority.share), small


def _rows_tile(report: SeparabilityReport) -> tuple[str, str, str]:
    if report.majority.share >= UNEQUAL:
        rare = rarest(report)
        return "Rarest class", f"{rare.n_rows:,} rows", f"“{rare.label}”; more of them would make all figures surer"
    half, most = doubling(report)
    rise = f"{round(100 * (most.accuracy - half.accuracy), 1) + 0.0:+.1f} points"  # no minus before a zero
    units = report.curve.units
    small = f"from {half.train_size:,} to {most.train_size:,} training {units}, nearest neighbour"
    return f"What more {units} bring", rise, small


def model_lines(report: SeparabilityReport) -> dict[str, object] | None:
    """The model and the simple rules, best first, each with what it is."""
    model = report.model
    if model is None:
        return None
    low, high = model.interval
    nearest = report.thornton.macro if model.balanced else report.thornton.score
    largest = 1.0 / len(report.classes) if model.balanced else report.majority.share
    lines = [
        (model.name, model.score, f"95 % interval {percent(low)} to {percent(high)}"),
        ("a linear rule", model.linear, "a straight boundary (Fisher's discriminant)"),
        ("the nearest neighbour", nearest, "the class of the most similar row (Thornton's index)"),
        ("the largest class", largest, f"always answering {quoted(report.majority.label)}"),
    ]
    if model.columns_score is not None and model.columns_interval is not None:
        low, high = model.columns_interval
        few = f"95 % interval {percent(low)} to {percent(high)}; {', '.join(model.columns[:12])}"
        lines.insert(0, (f"{model.name} on few columns", model.columns_score, few))
    of = "" if model.n_rows == report.settings.n_rows else f" of a random sample of {model.n_rows:,} rows"
    how = "Share of right answers, each row decided by a model that did not know its label"
    alike = f", {EVERY_CLASS_ALIKE}" if model.balanced else ""
    return {
        "lines": [{"name": name, "score": percent(score), "says": says} for name, score, says in lines],
        "how": f"{how}{of}{alike}.",
    }
