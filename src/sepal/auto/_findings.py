"""What follows from a fitted classifier, as data: a stable code, a sentence, and the facts behind it.

Each rule is a function from the facts to a finding or None. Conditions compare leave-one-out scores in units of their
standard error; two scores on the same rows are compared with the larger of their errors, which is cautious since the
error of the difference is smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sepal.auto._baselines import Baseline
from sepal.auto._trace import Trace


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


@dataclass(frozen=True, eq=False)
class Facts:
    """What the rules look at."""

    trace: Trace
    baselines: dict[str, Baseline]
    class_counts: dict[Any, int]
    balanced: bool
    n_rows: int
    n_searched: int
    n_features: int
    subset: tuple[str, ...] | None
    subset_score: float | None


ARBITRARY = (
    "the three scalings (spread, range, ranks) and how far apart two levels of a name are",
    "the grid: widths by factors of two of the median distance, ridges by half decades",
    "equal weights for the views, eleven shares for the forest, 200 trees, half of the columns per split",
    "ties: the first class in sorted order wins",
)


def _no_better_than_majority(f: Facts) -> Finding | None:
    base = f.baselines["majority"]
    if f.trace.score > base.score + 2.0 * f.trace.standard_error:
        return None
    text = (
        f"The classifier ({_percent(f.trace.score)}) is not measurably better than always answering the largest class "
        f"({_percent(base.score)}): these columns may say nothing about the classes."
    )
    return Finding("no-better-than-majority", text, {"score": f.trace.score, "majority": base.score})


def _enough(f: Facts, name: str, code: str, what: str) -> Finding | None:
    base = f.baselines[name]
    if base.score < f.trace.score - max(f.trace.standard_error, base.standard_error):
        return None
    text = (
        f"{what} reaches {_percent(base.score)}, within one standard error of {_percent(f.trace.score)}: "
        "the simpler rule does as well here."
    )
    return Finding(code, text, {"score": f.trace.score, name: base.score, "standard_error": f.trace.standard_error})


def _nearest_is_enough(f: Facts) -> Finding | None:
    return _enough(f, "1-NN", "nearest-is-enough", "The nearest neighbour alone")


def _linear_is_enough(f: Facts) -> Finding | None:
    return _enough(f, "linear", "linear-is-enough", "A linear rule")


def _curved(f: Facts) -> Finding | None:
    base = f.baselines["linear"]
    gap = f.trace.score - base.score
    if gap <= 2.0 * max(f.trace.standard_error, base.standard_error):
        return None
    text = f"A linear rule loses {_percent(gap)}: the classes are separated by curved boundaries, or by thresholds."
    return Finding("not-linear", text, {"gap": gap})


def _thresholds(f: Facts) -> Finding | None:
    share = _share(f, "forest")
    if share is None or share < 0.5:
        return None
    text = f"Trees carry {share:.0%} of the decision: thresholds on single columns say more here than distances."
    return Finding("thresholds", text, {"forest_weight": share})


def _distances(f: Facts) -> Finding | None:
    share = _share(f, "forest")
    if share is None or share > 0.0:
        return None
    text = "Trees would not have helped: distances over all columns say what there is to say."
    return Finding("distances", text, {"forest_weight": 0.0})


def _scaling(f: Facts) -> Finding | None:
    scores = {m.name: m.score for m in f.trace.members if m.name.startswith("kernel-")}
    if len(scores) < 2:
        return None
    spread = max(scores.values()) - min(scores.values())
    if spread <= f.trace.standard_error:
        text = (
            f"The scaling hardly matters: the scores of the views differ by {_percent(spread)}, less than their error."
        )
        return Finding("scaling-hardly-matters", text, {"spread": spread, "scores": scores})
    if spread <= 2.0 * f.trace.standard_error:
        return None
    best = max(scores, key=lambda name: scores[name])
    text = f"The scaling matters: the views differ by {_percent(spread)}, and {best} does best alone."
    return Finding("scaling-matters", text, {"spread": spread, "scores": scores})


def _small_class(f: Facts) -> Finding | None:
    label, count = min(f.class_counts.items(), key=lambda pair: pair[1])
    if count >= 10:
        return None
    text = f"The class {label} has only {count} row{'s' if count > 1 else ''}: what is said about it is uncertain."
    return Finding("few-rows-of-a-class", text, {"class": label, "rows": count})


def _imbalanced(f: Facts) -> Finding | None:
    ratio = max(f.class_counts.values()) / min(f.class_counts.values())
    if ratio < 5.0 or f.balanced:
        return None
    text = (
        f"The largest class has {ratio:.1f} times as many rows as the smallest, and every error counts alike. "
        "If the rare class matters as much as the frequent one, use balanced=True."
    )
    return Finding("imbalanced", text, {"ratio": ratio})


def _cut_short(f: Facts) -> Finding | None:
    if not f.trace.notes:
        return None
    return Finding("time-limit", "There was not enough time for everything: " + "; ".join(f.trace.notes) + ".", {})


def _sampled(f: Facts) -> Finding | None:
    if f.n_rows <= f.n_searched:
        return None
    text = (
        f"Widths, ridges and the number of feature vectors were chosen on {f.n_searched} of {f.n_rows} rows; "
        "the fit and the score use all."
    )
    return Finding("chosen-on-a-sample", text, {"rows": f.n_rows, "searched": f.n_searched})


def _subset(f: Facts) -> Finding | None:
    if f.subset is None or f.subset_score is None or len(f.subset) == f.n_features:
        return None
    text = (
        f"Advice, not used: by separability {len(f.subset)} of {f.n_features} columns are enough for the nearest "
        f"neighbour ({_percent(f.subset_score)}): {', '.join(f.subset[:12])}{', ...' if len(f.subset) > 12 else ''}. "
        "As a filter such subsets have cost accuracy."
    )
    return Finding("subset-advice", text, {"columns": f.subset, "thornton": f.subset_score})


def _arbitrary(f: Facts) -> Finding | None:
    picked = [trial.score for trial in f.trace.trials if trial.picked_by and not trial.member.startswith("forest")]
    spread = max(picked) - min(picked)
    text = (
        f"Choices that remain arbitrary: {'; '.join(ARBITRARY)}. Among the {len(picked)} picks of scaling, width and "
        f"ridge the scores differ by {_percent(spread)} (standard error {_percent(f.trace.standard_error)})."
    )
    return Finding("arbitrary-choices", text, {"spread": spread, "picks": len(picked), "choices": ARBITRARY})


RULES: tuple[Callable[[Facts], Finding | None], ...] = (
    _no_better_than_majority,
    _nearest_is_enough,
    _linear_is_enough,
    _curved,
    _thresholds,
    _distances,
    _scaling,
    _small_class,
    _imbalanced,
    _cut_short,
    _sampled,
    _subset,
    _arbitrary,
)


def find(facts: Facts) -> tuple[Finding, ...]:
    """All findings that hold, in the order of the rules."""
    found = (rule(facts) for rule in RULES)
    return tuple(finding for finding in found if finding is not None)


def _share(f: Facts, name: str) -> float | None:
    return next((member.weight for member in f.trace.members if member.name == name), None)


def _percent(value: float) -> str:
    return f"{100.0 * value:.1f} %"
