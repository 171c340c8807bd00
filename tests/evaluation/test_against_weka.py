"""The k-NN learner beside Weka's IBk on Weka's own folds: what agrees, and what differs by design.

The counts were printed by Weka 3.9.7 for the bundled tables written as ARFF files, classes in alphabetical order:
``weka.classifiers.lazy.IBk -K k -t FILE -x 10 -s 1``.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import sepal.datasets
from sepal.data import Table, class_codes
from sepal.evaluation import evaluate
from sepal.learners import KNNClassifier
from tests.oracles.weka_folds import weka_folds
from tests.oracles.weka_ibk import answers

# Rows that Weka gets right with K = 1, 3, 5, 10.
RIGHT = {
    "diabetes": (539, 558, 562, 546),
    "liver": (218, 217, 200, 211),
    "sonar": (180, 179, 176, 151),
    "voting": (402, 403, 403, 404),
    "heart": (230, 240, 246, 249),
    "hepatitis": (125, 126, 133, 128),
    "ripley-train": (216, 212, 204, 212),
}
KS = (1, 3, 5, 10)


@cache
def ibk(name: str, moving: bool) -> tuple[Table, np.ndarray, list[list[int]], dict[int, np.ndarray]]:
    """The table, its codes, Weka's folds and the oracle's shares for each k."""
    table = sepal.datasets.load(name)
    codes = class_codes(table)[0]
    folds = weka_folds(table.y.tolist())
    nominal = [kind == "nominal" for kind in table.kinds]
    found = answers(table.values.tolist(), codes.tolist(), nominal, folds, KS, moving=moving)
    return table, codes, folds, {k: np.array([rows[i] for i in range(table.n_rows)]) for k, rows in found.items()}


@pytest.mark.parametrize("name", RIGHT)
def test_the_oracle_counts_as_weka_does(name):
    _, codes, _, shares = ibk(name, True)
    assert tuple(int((shares[k].argmax(axis=1) == codes).sum()) for k in KS) == RIGHT[name]


@pytest.mark.parametrize("name", ["diabetes", "liver", "sonar", "ripley-train"])
@pytest.mark.parametrize("k", KS)
def test_every_row_is_answered_as_by_clean_ibk_unless_a_tie_decides(name, k):
    """Tables of numbers. Where more than k rows are within reach, or two classes are even, the rules differ."""
    table, _, folds, shares = ibk(name, False)
    found = evaluate(KNNClassifier(k), table, cv=folds)
    sizes = np.concatenate([np.full(len(fold), table.n_rows - len(fold)) for fold in folds])
    n_training = np.empty(table.n_rows)
    n_training[np.concatenate(folds)] = sizes
    expected = shares[k][found.rows]
    # A class starts with 1 / n: two classes and v voters share v + 2 / n votes, and one vote moves a share by the
    # inverse of that.
    votes = expected * (k + 2.0 / n_training[found.rows])[:, None] - 1.0 / n_training[found.rows][:, None]
    plain = np.all(np.abs(votes - np.round(votes)) < 1e-9, axis=1) & (expected[:, 0] != expected[:, 1])
    assert plain.mean() > 0.8
    np.testing.assert_array_equal(found.predicted[plain], expected[plain].argmax(axis=1))


@pytest.mark.parametrize(("name", "k", "right"), [("diabetes", 5, 567), ("sonar", 1, 180), ("voting", 1, 402)])
def test_clean_ranges_count_more_or_the_same(name, k, right):
    """Weka gets 562, 180 and 402: on diabetes the test rows that move its ranges cost it five."""
    table, codes, folds, shares = ibk(name, False)
    assert int((shares[k].argmax(axis=1) == codes).sum()) == right
    assert evaluate(KNNClassifier(k), table, cv=folds).n_right == right
