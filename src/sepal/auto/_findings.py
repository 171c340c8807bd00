"""What follows from a fitted classifier or regressor, as data: a stable code, a sentence, and the facts behind it.

Each rule is a function from the facts to a finding or None, and says for which answers it holds: classes, numbers or
both. Conditions compare leave-one-out scores in units of their
standard error; two scores on the same rows are compared with the larger of their errors, which is cautious since the
error of the difference is smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from sepal.auto._baselines import Baseline
from sepal.auto._narrow import NarrowModel
from sepal.auto._trace import Trace
from sepal.data import name_key, plural
from sepal.evaluation import Reliability

Task = Literal["classes", "numbers"]


@dataclass(frozen=True)
class Finding:
    """One sentence.

    Attributes
    ----------
    code : str
        Stable: programs may look for it.
    text : str
    facts : dict
        The numbers in the sentence.
    """

    code: str
    text: str
    facts: dict[str, Any]


@dataclass(frozen=True)
class CopyScores:
    """What copies do to the score.

    ``share`` of the rows have a copy. ``alone`` is the score with each row left out alone, ``together`` with all its
    copies, both on ``rows`` rows; ``left_out`` says which of them the headline is.
    """

    share: float
    left_out: str
    alone: float
    together: float
    rows: int


@dataclass(frozen=True, eq=False)
class Facts:
    """What the rules look at.

    Classes have counts, ``balanced`` and the reliability of their probabilities; numbers have the share of the squared
    error that is in the worst twentieth of the rows.
    """

    trace: Trace
    baselines: dict[str, Baseline]
    n_rows: int
    n_searched: int
    n_features: int
    class_counts: dict[Any, int] | None = None
    balanced: bool = False
    reliability: Reliability | None = None
    worst_share: float | None = None
    subset: tuple[str, ...] | None = None
    subset_score: float | None = None
    inclusion: Mapping[str, float] = field(default_factory=dict)
    n_ties: int = 0
    copies: CopyScores | None = None
    narrow: NarrowModel | None = None

    @property
    def narrow_gain(self) -> float | None:
        """By how much a model of few columns is better on rows that took no part; None if that is not beyond doubt."""
        if self.narrow is None:
            return None
        low, high = self.narrow.interval
        gain = self.narrow.score - self.trace.score
        doubt = 1.96 * float(np.hypot((high - low) / 3.92, self.trace.standard_error))
        return gain if gain > doubt else None

    @property
    def task(self) -> Task:
        """What is predicted."""
        return "numbers" if self.class_counts is None else "classes"

    def said(self, score: float) -> str:
        """A score in words: percent right, or R squared."""
        return f"{score:.1%}" if self.task == "classes" else f"{score:.3f}"

    def apart(self, gap: float) -> str:
        """A difference of scores: points of a percent, or of R squared."""
        return f"{100.0 * gap:.1f} points" if self.task == "classes" else f"{gap:.3f}"


ARBITRARY = (
    "the three scalings (spread, range, ranks) and how far apart two levels of a name are",
    "the grid: widths by factors of two of the median distance, ridges by half decades",
    "equal weights for the views, 150 trees, half of the columns per split, a flat prior over all mixtures of members",
    "ties: the first class in sorted order wins",
)
# The last one is about classes only.
ARBITRARY_BY_TASK: dict[Task, tuple[str, ...]] = {"classes": ARBITRARY, "numbers": ARBITRARY[:-1]}


def _few_columns_win(f: Facts) -> Finding | None:
    if f.narrow is None or f.narrow_gain is None:
        return None
    low, high = f.narrow.interval
    named = ", ".join(f.narrow.columns[:12]) + (", ..." if len(f.narrow.columns) > 12 else "")
    text = (
        f"Few columns do better: selecting some and fitting to these reaches {f.said(f.narrow.score)} (95 % interval "
        f"{f.said(low)} to {f.said(high)}) on rows that took no part in either, all {f.n_features:,} columns "
        f"{f.said(f.trace.score)}. From all rows these are selected: {named}. Fit the model to them; what is found "
        "about all columns says little here."
    )
    facts = {"columns": f.narrow.columns, "score": f.narrow.score, "interval": f.narrow.interval}
    return Finding("few_columns_win", text, facts)


def _no_better_than_majority(f: Facts) -> Finding | None:
    return _no_better(
        f, "majority", "always answering the largest class", "these columns may say nothing of the classes"
    )


def _no_better_than_mean(f: Facts) -> Finding | None:
    return _no_better(f, "mean", "always answering the mean", "these columns may say nothing of the numbers")


def _no_better(f: Facts, name: str, what: str, so: str) -> Finding | None:
    base = f.baselines[name]
    if f.trace.score > base.score + 2.0 * f.trace.standard_error:
        return None
    text = f"The score ({f.said(f.trace.score)}) is not measurably better than {what} ({f.said(base.score)}): {so}."
    return Finding(f"no_better_than_{name}", text, {"score": f.trace.score, name: base.score})


def _enough(f: Facts, name: str, code: str, what: str) -> Finding | None:
    base = f.baselines.get(name)
    if base is None or base.score < f.trace.score - max(f.trace.standard_error, base.standard_error):
        return None
    text = (
        f"{what} reaches {f.said(base.score)}, and the model {f.said(f.trace.score)}, which is no measurable gain: "
        "the simpler rule does as well here."
    )
    return Finding(code, text, {"score": f.trace.score, name: base.score, "standard_error": f.trace.standard_error})


def _nearest_is_enough(f: Facts) -> Finding | None:
    return _enough(f, "1-NN", "nearest_is_enough", "The nearest neighbour alone")


def _linear_is_enough(f: Facts) -> Finding | None:
    return _enough(f, "linear", "linear_is_enough", "A linear rule")


def _curved(f: Facts) -> Finding | None:
    base = f.baselines["linear"]
    gap = f.trace.score - base.score
    if gap <= 2.0 * max(f.trace.standard_error, base.standard_error):
        return None
    so = {
        "classes": "the classes are separated by curved boundaries, or by thresholds",
        "numbers": "the numbers follow curves, thresholds, or columns acting together",
    }
    text = f"A linear rule loses {f.apart(gap)}: {so[f.task]}."
    return Finding("not_linear", text, {"gap": gap})


def _thresholds(f: Facts) -> Finding | None:
    share = _share(f, "forest")
    if share is None or share < 0.5:
        return None
    text = f"Trees carry {share:.0%} of the decision: thresholds on single columns say more here than distances."
    return Finding("thresholds", text, {"forest_weight": share})


def _distances(f: Facts) -> Finding | None:
    share = _share(f, "forest")
    if share is None or share >= 0.05:
        return None
    text = "Trees would not have helped: distances over all columns say what there is to say."
    return Finding("distances", text, {"forest_weight": share})


def _scaling(f: Facts) -> Finding | None:
    scores = {m.name: m.score for m in f.trace.members if m.name.startswith("kernel-")}
    if len(scores) < 2:
        return None
    spread = max(scores.values()) - min(scores.values())
    if spread <= f.trace.standard_error:
        text = (
            f"The scaling hardly matters: the scores of the views differ by {f.apart(spread)}, less than their error."
        )
        return Finding("scaling_hardly_matters", text, {"spread": spread, "scores": scores})
    if spread <= 2.0 * f.trace.standard_error:
        return None
    best = max(scores, key=lambda name: scores[name])
    text = f"The scaling matters: the views differ by {f.apart(spread)}, and {best} does best alone."
    return Finding("scaling_matters", text, {"spread": spread, "scores": scores})


def _small_class(f: Facts) -> Finding | None:
    label, count = min((f.class_counts or {}).items(), key=lambda pair: pair[1])
    if count >= 10:
        return None
    text = f"The class {label} has only {count} {plural(count, 'row')}: what is said about it is uncertain."
    return Finding("few_rows_of_a_class", text, {"class": label, "rows": count})


def _imbalanced(f: Facts) -> Finding | None:
    counts = (f.class_counts or {}).values()
    ratio = max(counts) / min(counts)
    if ratio < 5.0 or f.balanced:
        return None
    text = (
        f"The largest class has {ratio:.1f} times as many rows as the smallest, and every error counts alike. "
        "If the rare class matters as much as the frequent one, use balanced=True."
    )
    return Finding("imbalanced", text, {"ratio": ratio})


def _calibration(f: Facts) -> Finding | None:
    found = f.reliability
    if found is None:
        return None
    gap, error = found.mean_confidence - found.accuracy, found.expected_calibration_error
    facts = {"gap": gap, "standard_error": found.standard_error, "ece": error, "chance": found.chance}
    measured = f"expected calibration error {error:.3f}, by chance about {found.chance:.3f}"
    if abs(gap) <= 2.0 * found.standard_error:
        text = (
            f"Probabilities mean what they say: on rows left out, mean confidence and share right agree ({measured})."
        )
        return Finding("calibrated", text, facts)
    much = "more" if gap > 0 else "less"
    text = (
        f"Probabilities are {much} certain than they should be: on rows left out the mean confidence is "
        f"{f.said(found.mean_confidence)} and {f.said(found.accuracy)} are right ({measured})."
    )
    return Finding("overconfident" if gap > 0 else "underconfident", text, facts)


def _copies(f: Facts) -> Finding | None:
    if f.copies is None:
        return None
    c = f.copies
    why = {
        "copies": "So many cannot come about if rows are drawn independently: records were repeated, and the score is "
        "that without copies",
        "rows": "If records were repeated (or rows drawn again to balance classes), a new row has no copy, and the "
        'second figure is the honest one: fit(..., groups="copies") chooses by it. If the columns are coarse and rows '
        "coincide by themselves, the first one is",
    }[c.left_out]
    text = (
        f"Copies: {c.share:.1%} of the rows equal another one in all columns. With one row left out at a time "
        f"the score is {f.said(c.alone)}, with all its copies {f.said(c.together)}"
        f"{'' if c.rows >= f.n_rows else f' (on {c.rows} rows)'}. {why}."
    )
    facts = {"share": c.share, "alone": c.alone, "together": c.together, "left_out": c.left_out, "rows": c.rows}
    return Finding("copies", text, facts)


def _few_rows_err(f: Facts) -> Finding | None:
    if f.worst_share is None or f.worst_share < 0.5:
        return None
    text = (
        f"A few rows make the error: the worst twentieth carries {f.worst_share:.0%} of the squared error. Look at "
        "them; R squared says little about the others."
    )
    return Finding("few_rows_make_the_error", text, {"worst_share": f.worst_share})


def _cut_short(f: Facts) -> Finding | None:
    notes = [note for note in f.trace.notes if note.startswith("time_limit")]
    if not notes:
        return None
    return Finding("time_limit", "There was not enough time for everything: " + "; ".join(notes) + ".", {})


def _raised_ridge(f: Facts) -> Finding | None:
    notes = [note for note in f.trace.notes if note.startswith("kernel-")]
    if not notes:
        return None
    text = f"Numbers have no more digits: {'; '.join(notes)}. The scores are those of the model that answers."
    return Finding("raised_ridge", text, {"notes": notes})


def _sampled(f: Facts) -> Finding | None:
    if f.n_rows <= f.n_searched:
        return None
    text = f"Widths and ridges were chosen on {f.n_searched} of {f.n_rows} rows; the fit and the score use all."
    return Finding("chosen_on_a_sample", text, {"rows": f.n_rows, "searched": f.n_searched})


def _subset(f: Facts) -> Finding | None:
    if f.subset is None or f.subset_score is None or len(f.subset) == f.n_features:
        return None
    held_often = ((share, name) for name, share in f.inclusion.items() if share >= 0.5)
    often = sorted(held_often, key=lambda pair: (-pair[0], name_key(pair[1])))
    held = ", ".join(f"{name} {share:.0%}" for share, name in often[:6])
    text = (
        f"Advice, not used: by separability {len(f.subset)} of {f.n_features} columns are enough for the nearest "
        f"neighbour ({f.said(f.subset_score)}): {', '.join(f.subset[:12])}{', ...' if len(f.subset) > 12 else ''}. "
        + (f"Of the subsets near the best so many hold each column: {held}. " if held else "")
        + "As a filter such subsets have cost accuracy."
    )
    facts = {"columns": f.subset, "thornton": f.subset_score, "inclusion": f.inclusion}
    return Finding("subset_advice", text, facts)


def _arbitrary(f: Facts) -> Finding | None:
    by_view: dict[str, list[float]] = {}
    for trial in f.trace.trials:
        if trial.picked_by and trial.member.startswith("kernel-"):
            by_view.setdefault(trial.member, []).append(trial.score)
    views = [member.score for member in f.trace.members if member.name.startswith("kernel-")]
    scaling = max(views) - min(views)
    grid = max(max(scores) - min(scores) for scores in by_view.values())
    choices = ARBITRARY_BY_TASK[f.task]
    ties = "" if f.task == "numbers" else f", {f.n_ties or 'no'} left-out {plural(f.n_ties, 'row')} had tied classes"
    text = (
        f"Choices that remain arbitrary: {'; '.join(choices)}. How little they matter here: the scalings differ by "
        f"{f.apart(scaling)}, the picks on the grid within a scaling by at most {f.apart(grid)}{ties} "
        f"(standard error of the score {f.apart(f.trace.standard_error)})."
    )
    facts = {"scaling": scaling, "grid": grid, "ties": f.n_ties, "choices": choices}
    return Finding("arbitrary_choices", text, facts)


@dataclass(frozen=True)
class FindingRule:
    """When to say something, and about which answers.

    ``learned`` rules are silent where the score is no better than the majority or the mean: what noise looks like says
    nothing, and leaving a row out of two equally large classes makes its own class the smaller one. Those and the
    ``all_columns`` rules are silent where a model of few columns is better: they are about the worse one.
    """

    look: Callable[[Facts], Finding | None]
    tasks: tuple[Task, ...] = ("classes", "numbers")
    learned: bool = False
    all_columns: bool = False

    def speaks(self, learned: bool, few_columns_win: bool) -> bool:
        """Whether there is anything to say about."""
        if few_columns_win and (self.learned or self.all_columns):
            return False
        return learned or not self.learned


RULES = (
    FindingRule(_few_columns_win, ("classes",)),
    FindingRule(_no_better_than_majority, ("classes",), all_columns=True),
    FindingRule(_no_better_than_mean, ("numbers",)),
    FindingRule(_nearest_is_enough, learned=True),
    FindingRule(_linear_is_enough, learned=True),
    FindingRule(_curved, learned=True),
    FindingRule(_thresholds, learned=True),
    FindingRule(_distances, learned=True),
    FindingRule(_scaling, learned=True),
    FindingRule(_small_class, ("classes",)),
    FindingRule(_imbalanced, ("classes",)),
    FindingRule(_calibration, ("classes",), learned=True),
    FindingRule(_few_rows_err, ("numbers",)),
    FindingRule(_copies),
    FindingRule(_cut_short),
    FindingRule(_raised_ridge),
    FindingRule(_sampled),
    FindingRule(_subset, ("classes",), all_columns=True),
    FindingRule(_arbitrary, all_columns=True),
)


def find(facts: Facts) -> tuple[Finding, ...]:
    """All findings that hold, in the order of the rules."""
    learned = (_no_better_than_mean if facts.task == "numbers" else _no_better_than_majority)(facts) is None
    few = facts.narrow_gain is not None
    found = (rule.look(facts) for rule in RULES if facts.task in rule.tasks and rule.speaks(learned, few))
    return tuple(finding for finding in found if finding is not None)


def _share(f: Facts, name: str) -> float | None:
    return next((member.weight for member in f.trace.members if member.name == name), None)
