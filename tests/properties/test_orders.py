"""Neither the order of the rows nor that of named columns decides anything."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sepal.data import as_table
from sepal.evaluation import evaluate
from sepal.learners import KNNClassifier
from sepal.measures import complexity, expected_accuracy, informative_projections, suspects, thornton_score
from sepal.prototypes import condense_curve
from sepal.report import separability
from sepal.selection import nested_score, rank_features, search_subsets, selection_test, stability, subset_sweep
from tests.drawn import drawn
from tests.properties.surface import ask, estimators, target

NAMES = ["width", "height", "weight", "age"]
ROWS = drawn(5, lambda rng: rng.permutation(40))
# Of a stream the order is part of the data; the two without a choice have tests of their own, of minutes.
CHOSEN = sorted(estimators().keys() - {"WindowKNNClassifier", "SepalClassifier", "SepalRegressor", "PrototypeSelector"})


def cases() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(1)
    normal, codes = np.r_[rng.normal(size=(20, 4)), rng.normal(size=(20, 4)) + 1], np.repeat([0, 1], 20)
    copied = normal.copy()
    copied[:, 3] = copied[:, 2]
    return {
        "normal": (normal, codes),
        "tied": (np.round(normal), codes),
        "grid": (rng.integers(0, 3, (40, 4)).astype(float), rng.integers(0, 3, 40)),
        "repeated": (np.repeat(normal[::2], 2, axis=0), codes),
        "column twice": (copied, codes),
    }


CASES = cases()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", CHOSEN)
def test_no_estimator_sees_an_order(name: str, case: str) -> None:
    """Feature vectors, the paper chain and support vector machines saw the order of named columns."""
    thing, (X, codes) = estimators()[name], CASES[case]
    y = target(thing, codes)
    frame = pd.DataFrame(X, columns=NAMES)
    new = pd.DataFrame(np.random.default_rng(9).normal(size=(30, 4)) + 0.5, columns=NAMES)
    turned = ["weight", "width", "age", "height"]
    usual = ask(thing, frame, y, new)
    shuffled = ask(thing, frame.iloc[ROWS].reset_index(drop=True), y[ROWS], new)
    elsewhere = ask(thing, frame[turned], y, new[turned])
    for found in (shuffled, elsewhere):
        _same(name, usual, found)


def _by_content(values: object) -> dict[str, np.ndarray]:
    """What a transformer gives, its columns sorted by what they hold: kept columns stay where they stood."""
    columns = np.asarray(values, dtype=float)
    return {"transform": columns[:, np.lexsort(columns[::-1])]}


def _same(name: str, usual: object, found: object) -> None:
    if not isinstance(usual, dict):
        usual, found = _by_content(usual), _by_content(found)
    for key, value in usual.items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(found[key], value, rtol=1e-4, atol=1e-6, err_msg=name)
        else:
            np.testing.assert_array_equal(found[key], value, err_msg=name)


@pytest.mark.parametrize("case", CASES)
def test_no_draw_sees_the_order_of_the_rows(case: str) -> None:
    """Folds, halves, labelings and samples were drawn by where rows stood."""
    X, codes = CASES[case]
    y = np.array(list("abc"))[codes]
    asked = {
        "nested": lambda X, y: nested_score(X, y, cv=4).honest,
        "stability": lambda X, y: list(stability(X, y, n_samples=6).frequency.values()),
        "null": lambda X, y: selection_test(X, y, n_permutations=9).null,
        "condensed": lambda X, y: condense_curve(X, y, methods=["hart", "icf"], cv=3, random_state=0).accuracy,
        "sampled": lambda X, y: thornton_score(X, y, n_queries=15, random_state=0),
        "spread": lambda X, y: expected_accuracy(X, y, return_std=True)[1],
        "made up": lambda X, y: [complexity(X, y)[key] for key in ("N4", "L3")],
        "folds": lambda X, y: evaluate(KNNClassifier(3), X, y, cv=4, groups="rows").accuracy,
        "informed": lambda X, y: rank_features(X, y).columns["mutual_information"],
        # Of equal rows either may ask: by what they hold.
        "suspected": lambda X, y: sorted(X[each.row].tolist() for each in suspects(X, y, n_queries=20).rows),
    }
    for name, ask_of in asked.items():
        np.testing.assert_allclose(ask_of(X[ROWS], y[ROWS]), ask_of(X, y), rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("turned", [(3, 1, 4, 0, 2), (4, 3, 2, 1, 0)], ids=str)
def test_equal_columns_are_told_apart_by_name(turned: tuple[int, ...]) -> None:
    """Places of columns decided between equally good subsets, so that another order gave another answer."""
    # Every column stands there twice, so that each subset has others as good.
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    X[:, 1] += 1.5 * y
    X[:, 3], X[:, 4] = X[:, 1], X[:, 0]
    given = as_table(X, y, names=("zeta", "x10", "mu", "x9", "alpha"))
    other = given.select([given.names[j] for j in turned])

    found, wanted = subset_sweep(other), subset_sweep(given)
    assert [set(s.features) for s in found.top(31)] == [set(s.features) for s in wanted.top(31)]
    assert {other.names[c] for c in found.best.columns} == {given.names[c] for c in wanted.best.columns}
    assert set(found.smallest_near_best().features) == set(wanted.smallest_near_best().features)
    by_size = [{k: set(s.features) for k, s in each.best_by_size().items()} for each in (found, wanted)]
    assert by_size[0] == by_size[1]
    for strategy in ("forward", "backward", "floating", "plus_l_take_r", "genetic", "annealing", "swarm", "random"):
        asked = {"strategy": strategy, "max_evaluations": 25}
        found, wanted = search_subsets(other, **asked), search_subsets(given, **asked)
        assert [set(s.features) for s in found.top(25)] == [set(s.features) for s in wanted.top(25)], strategy
        for one, two in zip(found.history, wanted.history, strict=True):
            assert one.evaluations == two.evaluations, strategy
            assert set(found.problem.feature_names(one.mask)) == set(wanted.problem.feature_names(two.mask)), strategy
    bounded = {"strategy": "branch_and_bound", "criterion": "mahalanobis", "n_features": 2}
    apart = [given.select(columns) for columns in (["zeta", "x10", "mu"], ["mu", "zeta", "x10"])]
    first, second = (set(search_subsets(table, **bounded).best.features) for table in apart)
    assert first == second
    ranked = [list(rank_features(table).frame()["feature"]) for table in (given, other)]
    assert ranked[0] == ranked[1]
    planes = [informative_projections(table) for table in (given, other)]
    assert planes[0].planes == planes[1].planes
    spoken = [separability(table) for table in (given, other)]
    assert [v.text for v in spoken[0].verdict] == [v.text for v in spoken[1].verdict]
    assert set(spoken[0].features.best) == set(spoken[1].features.best)
    assert set(spoken[0].features.smallest) == set(spoken[1].features.smallest)
    assert spoken[0].features.inclusion == spoken[1].features.inclusion


def test_the_name_that_comes_first_wins() -> None:
    """x9 and x10 are the same column: as numbers 9 comes before 10. Without names it is the place."""
    column, y = np.array([0.0, 1.0, 5.0, 6.0]), np.array([0, 0, 1, 1])
    X = np.column_stack([column, column, column])
    assert subset_sweep(as_table(X, y, names=("x10", "x9", "y"))).best.features == ("x9",)
    assert search_subsets(as_table(X, y, names=("x10", "x9", "y")), strategy="backward").best.features == ("x9",)
    assert subset_sweep(X, y).best.columns == (0,)


def test_samples_for_planes_do_not_see_the_order_of_rows() -> None:
    """The sample for planes was drawn by where rows stood."""
    rng = np.random.default_rng(2)
    X, y, order = rng.normal(size=(60, 3)), np.arange(60) % 2, rng.permutation(60)
    found = [informative_projections(X[o], y[o], most_rows=30).single for o in (np.arange(60), order)]
    assert found[0] == pytest.approx(found[1])


def test_tied_columns_of_collective_efficiency() -> None:
    """Which of several equally good columns F4 takes first went by their places, and changes the rest."""
    rng = np.random.default_rng(11)
    for _ in range(20):
        X, y = rng.integers(0, 4, size=(14, 4)).astype(float), np.arange(14) % 2
        assert complexity(X, y)["F4"] == complexity(X[:, ::-1], y)["F4"]
