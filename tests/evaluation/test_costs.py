"""Decisions by cost: by hand, and against loops over every threshold."""

from __future__ import annotations

import numpy as np
import pytest

import sepal
from sepal.evaluation import (
    bayes_threshold,
    best_threshold,
    cost_curve,
    cost_matrix,
    expected_costs,
    least_cost,
    matrix_threshold,
)
from sepal.exceptions import DataError, ParameterError
from tests.oracles import costs as oracle


def _scores(seed: int, n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    positive[:2] = [True, False]
    return rng.integers(0, 9, n) / 4.0 + positive * rng.integers(0, 3, n), positive


def test_costs_of_classes_pairs_and_matrices():
    labels = ["a", "b", "c"]
    assert cost_matrix({"b": 5}, labels).tolist() == [[0, 1, 1], [5, 0, 5], [1, 1, 0]]
    both = {("b", "c"): 2, "b": 5}  # the pair counts, whatever the order
    assert cost_matrix(both, labels).tolist() == [[0, 1, 1], [5, 0, 2], [1, 1, 0]]
    assert cost_matrix([[0, 2], [3, 0]], ["x", "y"]).tolist() == [[0, 2], [3, 0]]


@pytest.mark.parametrize(
    "costs", [{"d": 1}, {"a": -1}, {"a": float("nan")}, {("a", "b", "c"): 1}, [[0, 1]], [[0, -1], [1, 0]], "ab"]
)
def test_wrong_costs_are_refused(costs):
    with pytest.raises(ParameterError, match="cost"):
        cost_matrix(costs, ["a", "b"])


def test_bayes_threshold_is_where_both_answers_cost_the_same():
    for false_alarm, miss in ((9, 1), (1, 1), (1, 999), (0, 3)):
        p = bayes_threshold(false_alarm, miss)
        assert p * miss == pytest.approx((1 - p) * false_alarm)
    with pytest.raises(ParameterError, match="both 0"):
        bayes_threshold(0, 0)


@pytest.mark.parametrize("costs", [[[0, 9], [1, 0]], [[1, 4], [6, 2]], [[0, 0], [3, 0]], [[2, 2], [7, 3]]])
def test_the_threshold_of_a_matrix_is_where_the_cheapest_answer_changes(costs):
    threshold = matrix_threshold(costs)
    for p in np.linspace(0.005, 0.995, 199):
        if abs(p - threshold) > 1e-9:
            assert oracle.cheapest([1 - p, p], costs) == ({1} if p > threshold else {0})


@pytest.mark.parametrize("costs", [[[5, 1], [1, 0]], [[0, 1], [0, 3]], [[2, 2], [1, 1]]])
def test_a_matrix_without_a_threshold(costs):
    assert matrix_threshold(costs) is None


def test_the_least_expected_cost_as_loops():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([0.5, 1.0, 2.0], 200)
    costs = rng.integers(0, 10, (3, 3)).astype(float)
    for share, answer in zip(shares, least_cost(shares, costs), strict=True):
        assert answer in oracle.cheapest(share.tolist(), costs.tolist())


def test_of_equal_costs_the_more_probable_class():
    assert least_cost([[0.9, 0.1]], [[0, 1], [9, 0]]).tolist() == [0]
    assert least_cost([[0.1, 0.9]], [[0, 9], [1, 0]]).tolist() == [1]


def test_probabilities_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="do not fit"):
        expected_costs([[0.5, 0.5]], np.zeros((3, 3)))
    with pytest.raises(DataError, match="missing"):
        expected_costs([[np.nan, 0.5]], np.zeros((2, 2)))


@pytest.mark.parametrize("seed", range(8))
def test_the_best_threshold_as_loops(seed):
    scores, positive = _scores(seed)
    for false_alarm, miss in ((1, 1), (9, 1), (1, 7)):
        threshold, cost = oracle.best_threshold(scores.tolist(), positive.tolist(), false_alarm, miss)
        found = best_threshold(scores, positive, false_alarm=false_alarm, miss=miss)
        assert found.threshold == threshold
        assert found.cost * len(scores) == pytest.approx(cost)
        assert (found.false_alarms, found.misses) == oracle.errors_above(scores, positive, threshold)
        shuffled = np.random.default_rng(seed).permutation(len(scores))
        again = best_threshold(scores[shuffled], positive[shuffled], false_alarm=false_alarm, miss=miss)
        assert again == found


@pytest.mark.parametrize("seed", range(8))
def test_the_cost_curve_as_loops(seed):
    scores, positive = _scores(seed, 25)
    curve = cost_curve(scores, positive)
    fine = np.linspace(0, 1, 2001)
    by_loops = [oracle.least_cost_at(scores.tolist(), positive.tolist(), w) for w in curve.weight.tolist()]
    np.testing.assert_allclose(curve.cost, by_loops, atol=1e-12)
    assert curve.area == pytest.approx(
        np.trapezoid([oracle.least_cost_at(scores.tolist(), positive.tolist(), w) for w in fine.tolist()], fine),
        abs=1e-6,
    )
    _, total = oracle.best_threshold(scores.tolist(), positive.tolist(), 9, 1)
    assert curve.at(9, 1) == pytest.approx(total / len(scores))
    for w, threshold, cost in zip(curve.weight, curve.threshold, curve.cost, strict=True):
        alarms, misses = oracle.errors_above(scores, positive, threshold)
        assert w * misses / positive.sum() + (1 - w) * alarms / (~positive).sum() == pytest.approx(cost)


def test_a_perfect_and_a_useless_classifier():
    perfect = cost_curve([1, 2, 3, 4], [False, False, True, True])
    assert perfect.area == 0.0
    useless = cost_curve([1, 1, 1, 1], [False, False, True, True])
    assert useless.area == pytest.approx(0.25)
    np.testing.assert_allclose(useless.cost, useless.trivial, atol=1e-12)


def test_what_is_no_score_is_refused():
    for scores, positive in (([1.0], [1]), ([np.nan], [True]), ([1.0, 2.0], [True]), ([], []), (["x"], [True])):
        with pytest.raises(DataError):
            best_threshold(scores, np.asarray(positive) if positive else np.zeros(0, dtype=bool))
    with pytest.raises(DataError, match="both kinds"):
        cost_curve([1.0, 2.0], [True, True])


@pytest.mark.parametrize("model", [sepal.KNNClassifier(5), sepal.SVMClassifier(probability=True)])
def test_an_evaluation_decided_by_costs(model):
    found = sepal.evaluate(model, sepal.datasets.load("sonar"), cv=2)
    weighed = found.with_costs({"M": 8})
    costs = [[0, 8], [1, 0]]
    assert found.classes.tolist() == ["M", "R"]
    for share, answer in zip(found.share.tolist(), weighed.predicted.tolist(), strict=True):
        assert answer in oracle.cheapest(share, costs)
    wrong = weighed.confusion
    assert weighed.mean_cost() == pytest.approx((8 * wrong[0, 1] + wrong[1, 0]) / found.n_rows)
    assert weighed.mean_cost() < found.mean_cost({"M": 8})
    assert weighed.majority.mean_cost() == pytest.approx(np.mean(found.actual == 1))
    assert weighed.to_dict()["mean_cost"] == weighed.mean_cost()
    assert "M costs 8 as R" in weighed.summary()


def test_without_probabilities_there_is_an_error():
    found = sepal.evaluate(sepal.SVMClassifier(), sepal.datasets.load("athletes"), cv=2)
    with pytest.raises(DataError, match="no probabilities"):
        found.with_costs({"no": 2})
    with pytest.raises(ParameterError, match="there are none"):
        found.mean_cost()
