"""Which of several evaluations is better, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import binomtest, t

from sepal.data import data_frame, far_unit, frame_html, p_phrase
from sepal.evaluation._evaluation import Evaluation
from sepal.exceptions import ParameterError


@dataclass(frozen=True)
class PairTest:
    """Two evaluations on the same rows and folds.

    ``difference`` is the score of ``first`` minus that of ``second``; ``t_p`` comes from the corrected resampled t test
    over the folds, ``mcnemar_p`` from the rows only one of them has right (``only_first`` and ``only_second``). None
    where a test does not apply. Where costs decided the answers of both the score is minus the mean cost, so that
    ``difference`` is what a row costs less with ``first``; McNemar's test, which counts all errors alike, then does not
    apply, and of one test set ``t_p`` is that of the paired t test over its rows.
    """

    first: str
    second: str
    difference: float
    t: float | None
    t_p: float | None
    only_first: int | None
    only_second: int | None
    mcnemar_p: float | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """All pairs of some evaluations.

    Attributes
    ----------
    names : tuple of str
        What was compared.
    scores : tuple of float
        The score of each.
    measure : str
        What the scores are: accuracy, minus the mean cost where all were answered by the same costs
        (:meth:`Evaluation.with_costs`), or an error of numbers.
    pairs : tuple of PairTest
        The difference of every two of them, and the tests of it.
    recalls : dict of str to float
        Of those that search neighbours approximately, which share they find.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> found = sepal.compare({f"{k}-NN": sepal.evaluate(sepal.KNNClassifier(k), table, cv=4) for k in (1, 3)})
    >>> [(pair.first, pair.second, pair.difference) for pair in found.pairs]
    [('1-NN', '3-NN', 0.0)]
    """

    names: tuple[str, ...]
    scores: tuple[float, ...]
    measure: str
    pairs: tuple[PairTest, ...]
    recalls: Mapping[str, float] = field(default_factory=dict)

    def frame(self) -> Any:
        """One line per pair; with the recall of both where neighbours are approximate."""
        return data_frame([{**vars(pair), **self._recalls_of(pair)} for pair in self.pairs])

    def _recalls_of(self, pair: PairTest) -> dict[str, float | None]:
        if not self.recalls:
            return {}
        return {"first_recall": self.recalls.get(pair.first), "second_recall": self.recalls.get(pair.second)}

    def __str__(self) -> str:
        best = int(np.argmax(self.scores))
        lines = [f"{name}: {self.measure} {score:.4f}" for name, score in zip(self.names, self.scores, strict=True)]
        lines += [
            f"{name}: approximate neighbours, {recall:.1%} of the 10 nearest are found (recall, the least of all folds)"
            for name, recall in self.recalls.items()
        ]
        for pair in self.pairs:
            if self.names[best] not in (pair.first, pair.second):
                continue
            tests = []
            if pair.t_p is not None:
                tests.append(f"corrected t over folds {p_phrase(pair.t_p)}")
            if pair.mcnemar_p is not None:
                tests.append(f"McNemar {pair.only_first}:{pair.only_second}, {p_phrase(pair.mcnemar_p)}")
            lines.append(
                f"{pair.first} - {pair.second}: {pair.difference:+.4f}; {'; '.join(tests) or 'no test applies'}"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return frame_html(self)


def corrected_t(differences: np.ndarray, n_train: float, n_test: float) -> tuple[float, float] | None:
    """T and two-sided p for the mean of fold differences; None for fewer than two folds.

    The training sets of the folds overlap, so the variance is taken (1/folds + n_test/n_train) times instead of
    1/folds times. No difference in any fold gives t = 0 and p = 1.

    References
    ----------
    C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.
    """
    folds = len(differences)
    if folds < 2:
        return None
    mean, variance = float(differences.mean()), float(differences.var(ddof=1))
    if variance <= 1e-24:
        return (0.0, 1.0) if abs(mean) < 1e-12 else (float(np.sign(mean) * np.inf), 0.0)
    statistic = mean / float(np.sqrt(variance * (1.0 / folds + n_test / n_train)))
    return statistic, float(2.0 * t.sf(abs(statistic), folds - 1))


def compare(evaluations: Mapping[str, Evaluation] | Sequence[Evaluation]) -> Comparison:
    """Compare evaluations of several estimators on the same rows and folds, pair by pair.

    Parameters
    ----------
    evaluations : mapping from name to Evaluation, or sequence
        At least two, made with the same table, ``cv`` and ``random_state``.

    Returns
    -------
    Comparison

    Raises
    ------
    ParameterError
        If they did not answer the same rows in the same folds.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> found = compare({f"{k}-NN": sepal.evaluate(sepal.KNNClassifier(k), table, cv=4) for k in (1, 9)})
    >>> round(found.pairs[0].difference, 2), round(found.pairs[0].mcnemar_p, 3)
    (0.1, 0.625)
    """
    given = evaluations.values() if isinstance(evaluations, Mapping) else evaluations
    if not isinstance(given, Iterable) or not all(isinstance(each, Evaluation) for each in given):
        raise ParameterError(f"evaluations must be a list or a mapping of what evaluate gives; got {evaluations!r}")
    if not isinstance(evaluations, Mapping):
        evaluations = _named(evaluations)
    if len(evaluations) < 2:
        raise ParameterError("evaluations: at least two are needed to compare")
    first = next(iter(evaluations.values()))
    for name, other in evaluations.items():
        same = other.task == first.task and np.array_equal(other.rows, first.rows)
        if not same or not np.array_equal(other.fold, first.fold) or not np.array_equal(other.actual, first.actual):
            raise ParameterError(
                f"evaluations: {name!r} did not answer the same rows in the same folds",
                hint="evaluate with the same table, cv and random_state",
            )
    by_cost = all(_same_costs(first, each) for each in evaluations.values())
    pairs = tuple(_pair(a, b, evaluations[a], evaluations[b], by_cost) for a, b in combinations(evaluations, 2))
    unit = _unit_of(*evaluations.values())
    scores = tuple(float(_row_scores(each, by_cost, unit).mean()) / unit / unit for each in evaluations.values())
    measure = "accuracy" if first.task == "classification" else "minus mean squared error"
    measure = "minus mean cost" if by_cost else measure
    recalls = {name: each.recall for name, each in evaluations.items() if each.recall is not None}
    return Comparison(tuple(evaluations), scores, measure, pairs, recalls)


def _named(evaluations: Sequence[Evaluation]) -> dict[str, Evaluation]:
    named: dict[str, Evaluation] = {}
    for evaluation in evaluations:
        name, number = evaluation.scheme, 2
        while name in named:
            name, number = f"{evaluation.scheme} ({number})", number + 1
        named[name] = evaluation
    return named


def _same_costs(first: Evaluation, other: Evaluation) -> bool:
    """Whether both were answered by the same costs."""
    return first.costs is not None and other.costs is not None and np.array_equal(first.costs, other.costs)


def _unit_of(*evaluations: Evaluation) -> float:
    """The unit in which errors of numbers can be squared; 1 for classes, and for all numbers but far ones."""
    if evaluations[0].task == "classification":
        return 1.0
    return far_unit(np.concatenate([part for each in evaluations for part in (each.actual, each.predicted)]))


def _row_scores(evaluation: Evaluation, by_cost: bool, unit: float) -> np.ndarray:
    """How good the answer to each row is: right or wrong, minus what it costs, or minus the squared error."""
    if by_cost and evaluation.costs is not None:
        return np.asarray(-evaluation.costs[evaluation.actual, evaluation.predicted])
    if evaluation.task == "classification":
        return np.asarray(evaluation.actual == evaluation.predicted, dtype=np.float64)
    return np.asarray(-((evaluation.actual * unit - evaluation.predicted * unit) ** 2))


def _pair(name_a: str, name_b: str, a: Evaluation, b: Evaluation, by_cost: bool) -> PairTest:
    n_train, n_test = (float(size) for size in a.fold_sizes.mean(axis=0))
    unit = _unit_of(a, b)
    score_a, score_b = _row_scores(a, by_cost, unit), _row_scores(b, by_cost, unit)
    if by_cost and len(a.fold_sizes) == 1:
        found = corrected_t(score_a - score_b, 1.0, 0.0)  # of rows, which overlap with nothing
    elif n_test < 2 and not by_cost:  # one row per fold has no spread of its own: McNemar is the test there
        found = None
    else:
        of_fold = np.bincount(a.fold, weights=score_a) - np.bincount(b.fold, weights=score_b)
        found = corrected_t(of_fold / np.bincount(a.fold), n_train, n_test)
    only_a = only_b = mcnemar = None
    if a.task == "classification":
        right_a, right_b = a.actual == a.predicted, b.actual == b.predicted
        only_a, only_b = int(np.sum(right_a & ~right_b)), int(np.sum(right_b & ~right_a))
        if not by_cost:
            mcnemar = float(binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0
    statistic, p_value = (None, None) if found is None else found
    difference = float(score_a.mean() - score_b.mean()) / unit / unit
    return PairTest(name_a, name_b, difference, statistic, p_value, only_a, only_b, mcnemar)
