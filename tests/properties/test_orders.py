"""Neither the order of the rows nor that of named columns decides anything."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sepal.evaluation import evaluate
from sepal.learners import KNNClassifier
from sepal.measures import complexity, expected_accuracy, suspects, thornton_score
from sepal.prototypes import condense_curve
from sepal.selection import nested_score, rank_features, selection_test, stability
from tests.properties.surface import ask, estimators, target

NAMES = ["width", "height", "weight", "age"]
ROWS = np.random.default_rng(5).permutation(40)
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


def _same(name: str, usual: object, found: object) -> None:
    if not isinstance(usual, dict):
        return  # which rows or columns are kept has names of its own
    for key, value in usual.items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(found[key], value, rtol=1e-4, atol=1e-6, err_msg=name)
        else:
            np.testing.assert_array_equal(found[key], value, err_msg=name)


@pytest.mark.parametrize("case", CASES)
def test_no_draw_sees_the_order_of_the_rows(case: str) -> None:
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
        "suspected": lambda X, y: sorted(each.row for each in suspects(X, y, n_queries=20, random_state=0).rows),
    }
    for name, ask_of in asked.items():
        usual, found = ask_of(X, y), ask_of(X[ROWS], y[ROWS])
        if name == "suspected" and case not in ("repeated",):
            found = sorted(ROWS[row] for row in found)
            assert set(usual) == set(found), name
        elif name != "suspected":
            np.testing.assert_allclose(found, usual, rtol=1e-9, err_msg=name)
