"""The verdict on geometry, complexity, columns and suspects: rules as data, as in the first verdict.

In each chapter the first rule that holds speaks; a chapter whose section was left out stays silent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sepal.data import p_phrase
from sepal.report._facts import UNEQUAL, Verdict
from sepal.report._model import SHAPES
from sepal.report._suspects import n_copies, too_many
from sepal.report._verdict import LIKELY, SURE, percent, quoted

if TYPE_CHECKING:
    from sepal.report._separability_report import SeparabilityReport

SMALL_ANGLE = 10.0  # degrees, in whatever units
SAME = 0.01  # of Thornton's index, that is no difference


@dataclass(frozen=True)
class GeometryCase:
    """What the rules look at, and the numbers their texts name."""

    report: SeparabilityReport

    @property
    def means_p(self) -> float | None:
        """P-value for equal class means; None without a test."""
        return None if self.report.angle is None else self.report.angle.wilks.p_value

    @property
    def perfect(self) -> bool:
        """Whether some class means differ where the classes have no spread."""
        return self.report.angle is not None and any(pair.null_norm > 0 for pair in self.report.angle.pairs)

    @property
    def degrees(self) -> float | None:
        """The angle, with two classes."""
        return (
            self.report.angle.pairs[0].degrees
            if self.report.angle is not None and len(self.report.angle.pairs) == 1
            else None
        )

    @property
    def neighbors_p(self) -> float:
        """P-value of Thornton's index, or what its interval says."""
        thornton = self.report.thornton
        if thornton.p_value is not None:
            return thornton.p_value
        return 0.0 if thornton.interval[0] > thornton.chance else 1.0

    @property
    def shape(self) -> Verdict | None:
        """What left-out rows say about the boundary, in the words of the model's own explanation."""
        return None if self.report.model is None else self.report.model.shape

    def beats_majority(self, score: float) -> bool:
        """Whether a share of right answers is worth a word: not where it is no better than the largest class."""
        share = self.report.majority.share
        return share < UNEQUAL and score > share

    @property
    def best_column(self) -> tuple[str, float] | None:
        """The best single column and its index."""
        if self.report.projections is None:
            return None
        return max(self.report.projections.single.items(), key=lambda item: item[1])

    def words(self) -> dict[str, Any]:
        """The numbers of the texts, ready to read."""
        words: dict[str, Any] = {
            "n_rows": f"{self.report.settings.n_rows:,}",
            "score": percent(self.report.thornton.score),
            "shape": "" if self.shape is None else self.shape.text,
            "no_better": "" if self.shape is None else self.shape.text.rpartition(": ")[0],
            "majority": percent(self.report.majority.share),
            "majority_class": quoted(self.report.majority.label),
        }
        if self.report.angle is not None:
            words |= {
                "n_columns": f"{self.report.angle.n_columns:,}",
                "means_p": p_phrase(self.means_p),
                "degrees": "" if self.degrees is None else f"{self.degrees:.1f}",
                "distance": f"{self.report.angle.pairs[0].mahalanobis:.2f}",
            }
        if self.report.overlap is not None and self.report.overlap.regions:
            worst = self.report.overlap.regions[0]
            words |= {
                "first": quoted(worst.classes[0]),
                "second": quoted(worst.classes[1]),
                "mixing": percent(worst.mixing),
                "k": self.report.overlap.k,
            }
        if self.report.suspects is not None:
            found = self.report.suspects
            words |= {
                "n_suspects": f"{len(found.rows):,}",
                "n_checked": f"{found.n_checked:,}",
                "suspect_row": f"{found.rows[0].row:,}" if found.rows else "",
                "suspect_label": quoted(found.rows[0].label) if found.rows else "",
                "suspect_voted": quoted(found.rows[0].voted) if found.rows else "",
                "n_conflicts": f"{sum(len(group.rows) for group in found.conflicts):,}",
                "n_copies": f"{n_copies(found):,}",
            }
        if self.best_column is not None:
            words |= {"column": quoted(self.best_column[0]), "column_score": percent(self.best_column[1])}
        if self.report.projections is not None and self.report.projections.planes:
            plane = self.report.projections.planes[0]
            words |= {"x": quoted(plane.first), "z": quoted(plane.second), "plane_score": percent(plane.score)}
        return words


class GeometryRule(NamedTuple):
    """A code, when it holds, and what it says."""

    code: str
    holds: Callable[[GeometryCase], bool]
    text: str


def _means(case: GeometryCase, below: float) -> bool:
    return case.means_p is not None and case.means_p < below


MEANS = (
    GeometryRule(
        "means_apart_without_spread",
        lambda case: case.perfect,
        "A plane separates the given rows perfectly, because in some direction the classes have no spread at all. "
        "With {n_columns} columns for {n_rows} rows that may be chance, or a column that gives the class away.",
    ),
    GeometryRule(
        "small_angle_means_differ",
        lambda case: _means(case, SURE) and case.degrees is not None and case.degrees < SMALL_ANGLE,
        "The class means differ beyond doubt ({means_p}), by {distance} times the spread inside the classes "
        "(Mahalanobis distance). The angle of separability is small, {degrees} degrees, which is a matter of units.",
    ),
    GeometryRule(
        "means_differ",
        lambda case: _means(case, SURE),
        "The class means differ beyond doubt ({means_p}).",
    ),
    GeometryRule(
        "means_perhaps_differ",
        lambda case: _means(case, LIKELY),
        "The class means differ a little ({means_p}); the evidence is weak.",
    ),
    GeometryRule(
        "means_alike_neighbors_agree",
        lambda case: case.means_p is not None and case.neighbors_p < SURE,
        "The class means do not differ ({means_p}), yet neighbours agree: the classes differ in another way than by "
        "their means.",
    ),
    GeometryRule(
        "means_alike",
        lambda case: case.means_p is not None,
        "There is no evidence that the class means differ ({means_p}).",
    ),
)


def _has_shape(code: str) -> Callable[[GeometryCase], bool]:
    return lambda case: case.shape is not None and case.shape.code == code


SHAPE = (
    GeometryRule(
        "no_better_though_means_differ",
        lambda case: _has_shape("no_better_than_majority")(case) and _means(case, SURE),
        "{no_better}: the class means differ, but by too little to answer single rows.",
    ),
    *(GeometryRule(code, _has_shape(code), "{shape}") for code in SHAPES),
)

PAIRS = (
    GeometryRule(
        "mixed_pair",
        lambda case: (
            case.report.overlap is not None
            and len(case.report.overlap.regions) > 1
            and case.report.overlap.regions[0].mixing > 0.1
        ),
        "Classes {first} and {second} mix most: {mixing} of the {k} nearest rows of one are of the other.",
    ),
)

COLUMNS_CHAPTER = (
    GeometryRule(
        "one_column_enough",
        lambda case: (
            case.best_column is not None
            and case.best_column[1] >= case.report.thornton.score - SAME
            and case.beats_majority(case.best_column[1])
            and case.neighbors_p < LIKELY
        ),
        "Column {column} alone separates the classes as well as all columns together ({column_score} against {score}).",
    ),
    GeometryRule(
        "two_columns_enough",
        lambda case: (
            case.report.projections is not None
            and case.report.table.n_columns > 2
            and bool(case.report.projections.planes)
            and case.report.projections.planes[0].score >= case.report.thornton.score - SAME
            and case.beats_majority(case.report.projections.planes[0].score)
            and case.neighbors_p < LIKELY
        ),
        "Columns {x} and {z} together separate the classes as well as all columns ({plane_score} against {score}).",
    ),
)

CONFLICTS = (
    GeometryRule(
        "conflicting_copies",
        lambda case: case.report.suspects is not None and bool(case.report.suspects.conflicts),
        "{n_conflicts} rows equal another row in every column and have a different class: no classifier can get all of "
        "them right.",
    ),
)

SUSPECT_ROWS = (
    GeometryRule(
        "suspect_rows",
        lambda case: (
            case.report.suspects is not None
            and bool(case.report.suspects.rows)
            and not too_many(case.report.suspects)
            and case.neighbors_p < LIKELY
        ),
        "{n_suspects} of {n_checked} rows are contradicted by their neighbours. Look first at row {suspect_row} (rows "
        "are counted from 0): it is labelled {suspect_label}, and the rows around it are {suspect_voted}.",
    ),
    GeometryRule(
        "many_contradicted",
        lambda case: case.report.suspects is not None and too_many(case.report.suspects) and case.neighbors_p < LIKELY,
        "{n_suspects} of {n_checked} rows are contradicted by their neighbours: far too many to be wrong labels; these "
        "columns leave much open.",
    ),
)

COPIES = (
    GeometryRule(
        "many_copies",
        lambda case: (
            case.report.suspects is not None and n_copies(case.report.suspects) > 0.1 * case.report.suspects.n_rows
        ),
        "{n_copies} of {n_rows} rows are copies of another row of their class: if they are no independent cases, all "
        "figures are too good.",
    ),
)

GEOMETRY_CHAPTERS = (MEANS, SHAPE, PAIRS, COLUMNS_CHAPTER, CONFLICTS, SUSPECT_ROWS, COPIES)


COPIED_CHAPTERS = (CONFLICTS,)  # what holds with copies as well


def geometry_verdicts(
    report: SeparabilityReport, chapters: tuple[tuple[GeometryRule, ...], ...] = GEOMETRY_CHAPTERS
) -> tuple[Verdict, ...]:
    """The sentences that hold, one per chapter at most."""
    case = GeometryCase(report)
    words = case.words()
    spoken = (next((rule for rule in chapter if rule.holds(case)), None) for chapter in chapters)
    return tuple(Verdict(rule.code, rule.text.format(**words)) for rule in spoken if rule is not None)
