from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import norm

import sepal.datasets
from sepal.data import content_order
from sepal.exceptions import DataError, ParameterError
from sepal.selection import nested_score, nogueira_stability, select_facts, selection_test, stability, subset_sweep
from tests.oracles.selection import all_subsets, nogueira, subset_score


def noise(n: int = 40, p: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 6, size=(n, p)).astype(float), rng.integers(0, 2, n)


def test_null_of_the_maximum_is_the_maximum_over_subsets() -> None:
    X, y = noise(24, 3)
    result = selection_test(X, y, n_permutations=5, random_state=1, scale=None)
    rng = np.random.default_rng(1)
    order = content_order(X, y)  # labels are dealt to rows by what is in them
    for found in result.null:
        labels = np.empty(len(y), dtype=int)
        labels[order] = rng.permutation(y[order])
        assert found == pytest.approx(max(float(subset_score(X, labels, c)) for c in all_subsets(3)), abs=1e-14)
    assert result.score == pytest.approx(max(float(subset_score(X, y, c)) for c in all_subsets(3)), abs=1e-14)


def test_one_walk_for_all_labelings_equals_one_sweep_each() -> None:
    X, y = noise()
    fast = selection_test(X, y, n_permutations=9)
    slow = selection_test(
        X, y, n_permutations=9, criterion=lambda values, labels: sepal.thornton_score(values, labels, scale=None)
    )
    np.testing.assert_allclose(fast.null, slow.null, atol=1e-12)


def test_selection_from_noise_is_biased_and_not_significant() -> None:
    X, y = noise(60, 6, seed=4)
    result = selection_test(X, y, n_permutations=99)
    assert result.bias > 0.05
    assert result.p_value > 0.05


def test_real_structure_is_significant() -> None:
    result = selection_test(sepal.datasets.load("athletes"), n_permutations=99)
    assert result.p_value <= 0.02


def test_nogueira_against_the_oracle() -> None:
    Z = np.random.default_rng(0).random((12, 7)) < 0.4
    value, low, high = nogueira_stability(Z)
    expected, variance = nogueira(Z.astype(int).tolist())
    assert value == pytest.approx(expected, abs=1e-14)
    assert high - value == pytest.approx(norm.ppf(0.975) * np.sqrt(variance), abs=1e-14)
    assert value - low == pytest.approx(high - value)


def test_nogueira_of_equal_and_of_random_sets() -> None:
    assert nogueira_stability(np.tile([True, False, True, False], (5, 1)))[0] == 1.0
    rng = np.random.default_rng(0)
    value, low, high = nogueira_stability([rng.permutation([1] * 5 + [0] * 15) for _ in range(100)])
    assert low < 0 < high
    assert abs(value) < 0.05
    with pytest.raises(DataError, match="not defined"):
        nogueira_stability(np.ones((3, 4)))
    with pytest.raises(ParameterError, match="at least 2 runs"):
        nogueira_stability([[1, 0]])


def test_stability_finds_the_one_feature_that_matters() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    X = rng.random((80, 5))
    X[:, 2] = y * 10 + rng.random(80)
    result = stability(X, y, n_samples=8)
    assert result.frequency[list(result.frequency)[2]] == 1.0
    assert len(result.subsets) == 8
    assert -1 <= result.value <= 1
    assert all(s.score == 1.0 for s in result.subsets)


def test_nested_score_of_noise_is_chance_though_the_optimistic_one_is_not() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.random((120, 8)), np.repeat([0, 1], 60)
    result = nested_score(X, y, cv=5)
    assert result.optimistic > 0.6
    assert abs(result.honest - 0.5) < 3 * result.standard_error
    assert len(result.folds) == len(result.frame()) == 5


def test_nested_score_looks_at_training_rows_only() -> None:
    # The label of a held-out row must not matter: a perfect copy of the label as feature 0 gives 1.0 in every fold,
    # and with one row per fold the accuracy without selection is the leave-one-out accuracy.
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 9, size=(30, 2)).astype(float), rng.integers(0, 2, 30)
    result = nested_score(X, y, cv=30, scale=None)
    assert result.all_features == pytest.approx(sepal.thornton_score(X, y, scale=None), abs=1e-12)


def test_folds_are_checked() -> None:
    X, y = noise(10)
    with pytest.raises(ParameterError, match="cv must be from 2 to 10"):
        nested_score(X, y, cv=11)
    with pytest.raises(DataError, match="there are 2 groups only: while one is held out the other rows are all in one"):
        nested_score(X, y, cv=2, groups=np.arange(10) % 2)
    with pytest.raises(ParameterError, match="cv=2: a fold holds out 2 of 3 groups") as refused:
        nested_score(X, y, cv=2, groups=np.arange(10) % 3)
    assert refused.value.hint == "cv=3, --cv 3"
    with pytest.raises(ParameterError, match="n_samples must be an integer from 2"):
        stability(X, y, n_samples=1)
    with pytest.raises(ParameterError, match="n_permutations must be at least 1"):
        selection_test(X, y, n_permutations=0)


def test_facts_of_breast_cancer() -> None:
    facts = select_facts(sepal.datasets.load("breast-cancer").drop_missing(), cv=3)
    assert facts.best.columns == (0, 1, 4, 5, 7)
    assert facts.strategy == "sweep"
    assert facts.n_evaluations == 511
    assert facts.sentence.startswith(f"683 rows cannot tell {len(facts.near_best)} of 511 subsets apart")
    assert facts.smallest.size == min(s.size for s in facts.near_best)
    plain = json.loads(json.dumps(facts.to_dict()))
    assert plain["best"]["columns"] == [0, 1, 4, 5, 7]
    assert plain["honest"]["accuracy"] < plain["honest"]["optimistic"]


def test_facts_without_rows_to_compare() -> None:
    facts = select_facts(sepal.datasets.load("liver"), criterion="mahalanobis", strategy="forward", honest=False)
    assert "no mean over rows" in facts.sentence
    assert facts.to_dict()["honest"] is None


def test_a_known_result_is_not_searched_again() -> None:
    table = sepal.datasets.load("liver")
    plain = nested_score(table, cv=3)
    given = nested_score(table, cv=3, result=subset_sweep(table))
    assert (given.honest, given.optimistic, given.subset) == (plain.honest, plain.optimistic, plain.subset)


def test_copies_of_noise_are_held_out_together() -> None:
    """Copies of held-out rows stayed in training, and a selection from noise looked good."""
    rng = np.random.default_rng(3)
    X, y = np.repeat(rng.normal(size=(60, 3)), 2, axis=0), np.repeat(np.arange(60) % 2, 2)
    fooled = nested_score(X, y, cv=5, groups="rows")
    for groups in (None, "copies", np.arange(120) // 2):
        honest = nested_score(X, y, cv=5, groups=groups)
        assert honest.honest < 0.7 < 0.85 < fooled.honest
        # Sixty pairs that are right or wrong together: about the error of sixty rows, not of 120, and twice the errors
        # of a coin's sixty as doubt, for which the variance is up to three times that of independent rows.
        p, doubt = honest.honest, min(1.0, 2.0 * (1.0 - honest.honest))
        together = 120 * (p * (1 - p) * 120 + 4) / (2 * p * (1 - p) * 120 + 8)
        trials, z = together / (1 + 2 * doubt), 1.959963984540054
        lean = z * np.sqrt(p * (1 - p) / trials + z * z / (4 * trials**2))
        centre = p + z * z / (2 * trials)
        ends = [(centre - lean) / (1 + z * z / trials), (centre + lean) / (1 + z * z / trials)]
        assert honest.standard_error == pytest.approx(max(p - ends[0], ends[1] - p) / z, rel=1e-9)
        assert honest.interval == pytest.approx((p - 1.96 * honest.standard_error, p + 1.96 * honest.standard_error))


def test_noise_does_not_tell_whether_selecting_helps() -> None:
    """`select` said that selecting helps or harms where the rows could not tell."""
    said = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        facts = select_facts(rng.normal(size=(40, 3)), np.arange(40) % 2, cv=5)
        said.append("These rows do not tell whether selecting features helps or harms" in facts.sentence)
    assert sum(said) >= 10  # one in twenty may


def test_a_clear_gain_is_said() -> None:
    X = 2.0 * np.random.default_rng(1).random((150, 6))
    y = np.floor(X[:, :2]).sum(axis=1) % 2  # four squares of a chequered board, and four columns of noise
    assert "Selecting features helps the nearest neighbour here." in select_facts(X, y, cv=5).sentence


def test_the_interval_of_the_honest_score_covers() -> None:
    """The interval took rows for independent and covered 77 %."""
    # 40 samples of noise, whose accuracy on further rows is a half.
    covered = []
    for seed in range(40):
        rng = np.random.default_rng([7, seed])
        low, high = nested_score(rng.normal(size=(40, 3)), np.arange(40) % 2, cv=5).interval
        covered.append(low <= 0.5 <= high)
    assert sum(covered) >= 35


def test_groups_are_halved_whole() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    twice = stability(np.repeat(X, 2, axis=0), np.repeat(y, 2), n_samples=4, groups=np.arange(80) // 2)
    # A half of the pairs holds both rows of each, and a row is judged without its copy: as if there were none.
    assert [s.score for s in twice.subsets] == pytest.approx([s.score for s in stability(X, y, n_samples=4).subsets])


def test_groups_with_dropped_rows_and_of_the_wrong_length() -> None:
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    X[7, 1] = np.nan
    labels = np.arange(40) // 2
    assert nested_score(X, y, cv=4, groups=labels, missing="drop").folds
    for missing in ("drop", "distance"):
        with pytest.raises(DataError, match="groups: expected one label"):
            nested_score(X, y, cv=4, groups=labels[:30], missing=missing)
    with pytest.raises(ParameterError, match="from 2 to 20, the number of groups"):
        nested_score(X, y, cv=21, groups=labels)
