"""The verdict in words: rules as data, so that each can be tested and translated.

Rules stand in chapters. In each chapter the first rule that holds speaks; a chapter may stay silent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sepal.report._facts import (
    UNEQUAL,
    ClassFacts,
    CurveFacts,
    CurvePoint,
    MajorityFacts,
    SettingsFacts,
    ThorntonFacts,
    Verdict,
)
from sepal.report._page import short

SURE, LIKELY = 0.001, 0.05  # p-values
FAR_BELOW = -3.0  # z of data whose classes avoid each other's company less than chance
RISE = 0.01  # of accuracy, worth a word
FEW_ROWS = 50
NARROW_INTERVAL = 0.1  # width of an interval


@dataclass(frozen=True)
class Case:
    """What the rules look at, and the numbers their texts name."""

    classes: tuple[ClassFacts, ...]
    majority: MajorityFacts
    settings: SettingsFacts
    thornton: ThorntonFacts
    curve: CurveFacts

    @property
    def p(self) -> float:
        """The p-value; where a sample gives none, 0 or 1 by whether its interval lies above chance."""
        if self.thornton.p_value is not None:
            return self.thornton.p_value
        return 0.0 if self.thornton.interval[0] > self.thornton.chance else 1.0

    @property
    def unequal(self) -> bool:
        """Whether one class has nearly all rows, so that a share of all rows says little."""
        return self.majority.share >= UNEQUAL

    @property
    def z(self) -> float:
        """The z-value; where a sample gives none, far below if its interval lies below chance."""
        if self.thornton.z is not None:
            return self.thornton.z
        return FAR_BELOW if self.thornton.interval[1] < self.thornton.chance else 0.0

    @property
    def weakest(self) -> ClassFacts:
        """The class whose rows agree least with their neighbours."""
        return min(self.classes, key=lambda entry: 1.0 if entry.score is None else entry.score)

    @property
    def half(self) -> CurvePoint:
        """The point of the curve nearest to half of the rows, or groups."""
        return min(self.curve.points, key=lambda point: abs(point.train_share - 0.5))

    @property
    def most(self) -> CurvePoint:
        """The point with most training rows, or groups."""
        return self.curve.points[-1]

    @property
    def rise(self) -> float:
        """What accuracy gains between the two."""
        return self.most.accuracy - self.half.accuracy

    @property
    def width(self) -> float:
        """Of the interval of the index."""
        return self.thornton.interval[1] - self.thornton.interval[0]

    def words(self) -> dict[str, Any]:
        """The numbers of the texts, ready to read."""
        low, high = self.thornton.interval
        return {
            "low": percent(low),
            "high": percent(high),
            "confidence": f"{self.thornton.confidence:.0%}",
            "score": percent(self.thornton.score),
            "chance": percent(self.thornton.chance),
            "macro": percent(self.thornton.macro),
            "macro_chance": percent(1.0 / len(self.classes)),
            "majority": percent(self.majority.share),
            "majority_class": quoted(self.majority.label),
            "weakest_class": quoted(self.weakest.label),
            "weakest": percent(self.weakest.score or 0.0),
            "half": percent(self.half.accuracy),
            "most": percent(self.most.accuracy),
            "units": self.curve.units,
            "half_rows": f"{self.half.train_size:,}",
            "most_rows": f"{self.most.train_size:,}",
            "n_rows": f"{self.settings.n_rows:,}",
            "n_groups": f"{self.settings.n_groups or 0:,}",
            "n_classes": f"{len(self.classes):,}",
        }


class VerdictRule(NamedTuple):
    """A code, when it holds, and what it says."""

    code: str
    holds: Callable[[Case], bool]
    text: str


AGREEMENT = (
    VerdictRule(
        "unequal_classes",
        lambda case: case.unequal and case.p < LIKELY,
        "The classes are very unequal: {majority} of the rows are {majority_class}. With every class counted alike, "
        "nearest neighbours agree on the class of {macro} of the rows; guessing would give {macro_chance}.",
    ),
    VerdictRule(
        "unequal_like_chance",
        lambda case: case.unequal,
        "The classes are very unequal: {majority} of the rows are {majority_class}. Neighbours agree no more often "
        "than chance can explain ({macro} with every class counted alike; guessing would give {macro_chance}).",
    ),
    VerdictRule(
        "always_agree",
        lambda case: case.thornton.score == 1.0 and case.p < LIKELY,
        "Every row has a nearest neighbour of its own class: nothing here contradicts the classes.",
    ),
    VerdictRule(
        "nearly_always_agree",
        lambda case: case.thornton.corrected >= 0.9 and case.p < SURE,
        "Nearest neighbours nearly always agree on the class ({score}; chance {chance}): the classes are well "
        "separated.",
    ),
    VerdictRule(
        "mostly_agree",
        lambda case: case.thornton.corrected >= 0.6 and case.p < SURE,
        "Nearest neighbours mostly agree on the class ({score}; chance {chance}): the classes are separable, "
        "with some overlap.",
    ),
    VerdictRule(
        "better_than_chance",
        lambda case: case.p < SURE,
        "Neighbours agree clearly more often than chance ({score}; chance {chance}), but the classes are far from "
        "separable.",
    ),
    VerdictRule(
        "perhaps_better_than_chance",
        lambda case: case.p < LIKELY,
        "Neighbours agree a little more often than chance ({score}; chance {chance}); the evidence is weak.",
    ),
    VerdictRule(
        "worse_than_chance",
        lambda case: case.z <= FAR_BELOW,
        "Neighbours agree less often than chance ({score}; chance {chance}): the classes alternate, as on a "
        "chessboard. There is structure, but nearness is the wrong way to use it.",
    ),
    VerdictRule(
        "like_chance",
        lambda case: True,
        "Neighbours agree no more often than chance can explain ({score}; chance {chance}): there is no evidence that "
        "this distance tells the classes apart.",
    ),
)

AGAINST_MAJORITY = (
    VerdictRule(
        "above_majority",
        lambda case: not case.unequal and case.thornton.interval[0] > case.majority.share,
        "That is more than the {majority} of always answering {majority_class}.",
    ),
    VerdictRule(
        "near_majority",
        lambda case: not case.unequal and case.thornton.interval[1] >= case.majority.share,
        "It is not clearly more than the {majority} of always answering {majority_class}.",
    ),
    VerdictRule(
        "below_majority",
        lambda case: not case.unequal,
        "Always answering {majority_class} would be right more often ({majority}).",
    ),
)

HOW_SURE = (
    VerdictRule(
        "narrow_interval",
        lambda case: not case.unequal and case.width <= NARROW_INTERVAL,
        "That figure is known to within a few points: with {confidence} confidence the true share lies between {low} "
        "and {high}.",
    ),
    VerdictRule(
        "wide_interval_of_groups",
        lambda case: not case.unequal and case.settings.n_groups is not None,
        "With {n_groups} groups {score} is a rough estimate: with {confidence} confidence the true share, for rows of "
        "further groups, lies between {low} and {high}.",
    ),
    VerdictRule(
        "wide_interval",
        lambda case: not case.unequal,
        "With so few rows {score} is a rough estimate: with {confidence} confidence the true share lies between {low} "
        "and {high}.",
    ),
)

WEAK_CLASS = (
    VerdictRule(
        "weak_class",
        lambda case: case.weakest.score is not None and case.weakest.score < 0.5 and case.p < LIKELY,
        "Rows of class {weakest_class} mostly have a nearest neighbour of another class (only {weakest} agree).",
    ),
)

MORE_ROWS = (
    VerdictRule(
        "rows_help",
        lambda case: case.rise > RISE and case.p < LIKELY and case.thornton.score < 1.0 and not case.unequal,
        "Accuracy still rises with more training {units} ({half} with {half_rows}, {most} with {most_rows}): "
        "collecting more should help.",
    ),
)

DOUBTS = (
    VerdictRule(
        "few_rows",
        lambda case: case.settings.n_rows < FEW_ROWS,
        "With only {n_rows} rows all of this is a first impression.",
    ),
    VerdictRule(
        "many_classes",
        lambda case: len(case.classes) * 5 > case.settings.n_rows,
        "There are {n_classes} classes in {n_rows} rows: is the target really a class?",
    ),
)

CHAPTERS = (AGREEMENT, AGAINST_MAJORITY, HOW_SURE, WEAK_CLASS, MORE_ROWS, DOUBTS)


def verdicts(
    classes: tuple[ClassFacts, ...],
    majority: MajorityFacts,
    settings: SettingsFacts,
    thornton: ThorntonFacts,
    curve: CurveFacts,
) -> tuple[Verdict, ...]:
    """The sentences that hold, one per chapter at most."""
    case = Case(classes, majority, settings, thornton, curve)
    words = case.words()
    spoken = (next((rule for rule in chapter if rule.holds(case)), None) for chapter in CHAPTERS)
    return tuple(Verdict(rule.code, rule.text.format(**words)) for rule in spoken if rule is not None)


def repeated_verdict(n_rows: int, n_records: int, thornton: ThorntonFacts) -> Verdict:
    """Of records that were repeated: what that does to the figures, and what the verdict is about."""
    return Verdict(
        "repeated_records",
        f"Records were repeated: the {n_rows:,} rows are {n_records:,} records, and so many copies cannot come about "
        f"if rows are drawn independently. A copy finds its own, so that the {percent(thornton.score)} and all other "
        "figures of this report say little about new rows. This verdict is about each record once.",
    )


def percent(share: float) -> str:
    """``95.6%``; a share just below 1 or just above 0 is not rounded to it."""
    text = f"{share:.1%}"
    if text == "100.0%" and share < 1.0:
        return ">99.9%"
    if text == "0.0%" and share > 0.0:
        return "<0.1%"
    return text


def quoted(label: Any) -> str:
    """A class in a sentence: quoted, and short enough for one."""
    return f'"{short(label, 30)}"'
