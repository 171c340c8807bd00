"""Thornton's index without the rows of one's own group, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from sepal.exceptions import DataError, ParameterError
from sepal.measures import expected_accuracy_curve, prepare, thornton_samples, thornton_score, thornton_test
from tests.oracles import selection as oracle
from tests.oracles.thornton import thornton_samples as expected_samples


@pytest.mark.parametrize("ties", ["expected", "index", "pessimistic", "optimistic"])
@pytest.mark.parametrize("most", [12, 3])
def test_against_the_oracle(ties, most):
    rng = np.random.default_rng(most)
    X, y = rng.integers(0, 4, size=(40, 2)).astype(float), rng.choice(list("abc"), size=40)
    groups = rng.integers(0, most, size=40)
    D = oracle.squared_distances(X, range(2))
    D[groups[:, None] == groups[None, :]] = np.inf
    expected = [float(share) for share in expected_samples(D, y, ties)]
    assert thornton_samples(X, y, scale=None, ties=ties, groups=groups).tolist() == pytest.approx(expected)
    sparse = thornton_samples(csr_array(X), y, distance="euclidean", scale=None, ties=ties, groups=groups)
    assert sparse.tolist() == pytest.approx(expected)


def test_copies_of_noise():
    rng = np.random.default_rng(2)
    once, codes = rng.normal(size=(100, 3)), np.arange(100) % 2
    X, y = np.repeat(once, 2, axis=0), np.repeat(codes, 2)
    assert thornton_score(X, y) == 1.0
    assert thornton_score(X, y, groups="copies") == thornton_score(once, codes)
    (note,) = (note for note in thornton_test(X, y).notes if "copies" in note)
    assert note.startswith("copies: 100.0% of the rows have a copy, which is their nearest row")
    assert not any("copies" in note for note in thornton_test(once, codes).notes)
    coarse = rng.integers(0, 3, size=(300, 2)).astype(float)  # copies come about by chance there
    assert not any("copies" in note for note in thornton_test(coarse, np.arange(300) % 2).notes)


def test_dropped_rows_and_wrong_groups():
    X = np.array([[0.0], [1.0], [np.nan], [5.0], [6.0], [9.0]])
    y, groups = list("aabbba"), [1, 1, 2, 3, 4, 4]
    # Nearest of another group: 5 (b) for the two a, 6 (b) for 5, 5 (b) for 6 and for 9.
    assert thornton_samples(X, y, scale=None, missing="drop", groups=groups).tolist() == [0, 0, 1, 1, 0]
    ready = prepare(X, y, scale=None, missing="drop")
    assert thornton_samples(ready, groups=[1, 1, 3, 4, 4]).tolist() == [0, 0, 1, 1, 0]
    with pytest.raises(DataError, match="one label for each of 6 rows"):
        thornton_samples(X, y, missing="drop", groups=groups[:5])
    with pytest.raises(ParameterError, match="'rows', 'copies' or None"):
        thornton_score(X, y, missing="drop", groups="people")


def test_the_learning_curve_says_that_records_were_repeated():
    rng = np.random.default_rng(2)
    once, codes = rng.normal(size=(50, 3)), np.arange(50) % 2
    (note,) = expected_accuracy_curve(np.repeat(once, 2, axis=0), np.repeat(codes, 2), (0.5,)).notes
    assert note.startswith("copies: 100.0% of the rows have a copy")
    assert expected_accuracy_curve(once, codes, (0.5,)).notes == ()
