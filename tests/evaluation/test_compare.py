from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_rel

import sepal.datasets
from sepal.evaluation import compare, evaluate
from sepal.evaluation._compare import corrected_t
from sepal.exceptions import ParameterError
from sepal.learners import KNNClassifier, KNNRegressor


def test_corrected_t_by_hand():
    """Differences 1, 2, 3: mean 2, variance 1; ten-fold sizes 90 and 10."""
    statistic, p = corrected_t(np.array([1.0, 2.0, 3.0]), 90, 10)
    assert statistic == pytest.approx(2 / np.sqrt(1 / 3 + 1 / 9))
    assert p == pytest.approx(2 * (1 - student.cdf(3.0, 2)))
    assert corrected_t(np.zeros(5), 80, 20) == (0.0, 1.0)
    assert corrected_t(np.array([1.0]), 80, 20) is None


def test_mcnemar_of_discordant_rows():
    """Tails of the binomial distribution (scipy's binomtest): p = 0.377 for 19 against 13 rows, 0.648 for 11 to 8."""
    table = sepal.datasets.load("ripley-test")
    base = evaluate(KNNClassifier(33), table, cv=10)
    for a, b, p in ((19, 13, 0.38), (11, 8, 0.65)):
        first = replace(base, predicted=np.where(np.arange(1000) < b, 1 - base.actual, base.actual))
        second = replace(base, predicted=np.where((np.arange(1000) >= 500) & (np.arange(1000) < 500 + a),
                                                  1 - base.actual, base.actual))  # fmt: skip
        pair = compare({"a": first, "b": second}).pairs[0]
        assert (pair.only_first, pair.only_second) == (a, b)
        assert pair.mcnemar_p == pytest.approx(p, abs=0.005)
        assert pair.difference == pytest.approx((a - b) / 1000)


def test_all_pairs_and_names():
    table = sepal.datasets.load("athletes")
    found = compare([evaluate(KNNClassifier(k), table, cv=4) for k in (1, 1, 9)])
    assert len(found.pairs) == 3
    assert len(set(found.names)) == 3
    same = found.pairs[0]
    assert (same.difference, same.t_p, same.mcnemar_p) == (0.0, 1.0, 1.0)
    assert found.frame().shape == (3, 8)
    assert "accuracy" in str(found)


def test_regressions_compare_by_squared_error():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = X[:, 0]
    each = {"one": KNNRegressor(1), "all": KNNRegressor("all")}
    found = compare({name: evaluate(model, X, y, random_state=1) for name, model in each.items()})
    assert found.pairs[0].difference > 0
    assert found.pairs[0].t_p < 0.01
    assert found.pairs[0].mcnemar_p is None


def test_different_folds_are_refused():
    table = sepal.datasets.load("athletes")
    one = evaluate(KNNClassifier(1), table, cv=4)
    with pytest.raises(ParameterError, match="same folds"):
        compare([one, evaluate(KNNClassifier(1), table, cv=4, random_state=5)])
    with pytest.raises(ParameterError, match="at least two"):
        compare([one])


def test_answers_by_costs_are_compared_by_what_they_cost():
    """The difference was that of the accuracies, though every answer had been chosen for the least cost."""
    table = sepal.datasets.load("heart")
    runs = {str(k): evaluate(KNNClassifier(k), table, cv=5).with_costs({"disease": 5}) for k in (5, 25)}
    found = compare(runs)
    (pair,) = found.pairs
    assert found.measure == "minus mean cost"
    assert found.scores == pytest.approx([-run.mean_cost() for run in runs.values()])
    assert pair.difference == pytest.approx(runs["25"].mean_cost() - runs["5"].mean_cost())
    cost = {name: run.costs[run.actual, run.predicted] for name, run in runs.items()}
    less = np.array([np.mean((cost["25"] - cost["5"])[runs["5"].fold == f]) for f in range(5)])
    n = len(cost["5"])
    spread = np.sqrt(less.var(ddof=1) * (1 / 5 + 1 / 4))  # a fold is a quarter of the others
    assert pair.t == pytest.approx(less.mean() / spread, rel=0.02)
    assert pair.mcnemar_p is None
    assert n == table.n_rows


def test_one_test_set_at_costs_is_a_paired_t_test():
    table = sepal.datasets.load("heart")
    one, other = (evaluate(KNNClassifier(k), table, cv=0.5).with_costs({"disease": 5}) for k in (5, 25))
    (pair,) = compare([one, other]).pairs
    a, b = (run.costs[run.actual, run.predicted] for run in (one, other))
    expected = ttest_rel(b, a)
    assert (pair.t, pair.t_p) == pytest.approx((expected.statistic, expected.pvalue))


def test_answers_by_different_costs_are_compared_by_accuracy():
    table = sepal.datasets.load("heart")
    plain = evaluate(KNNClassifier(5), table, cv=3)
    found = compare({"plain": plain, "dear": plain.with_costs({"disease": 5})})
    assert found.measure == "accuracy"
    assert found.pairs[0].difference == pytest.approx(plain.accuracy - plain.with_costs({"disease": 5}).accuracy)
