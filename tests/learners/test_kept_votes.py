"""Kept neighbours answer as the classifier does, for every k and every weight, ties included."""

from __future__ import annotations

import numpy as np
import pytest

import sepal
from sepal.exceptions import ParameterError
from sepal.learners import KeptVotes, KNNClassifier
from sepal.learners import _kept_votes as module


@pytest.mark.parametrize("cells", [10**9, 0])
@pytest.mark.parametrize("weights", ["uniform", "distance", "rank", "gaussian"])
def test_answers_are_those_of_the_classifier(weights, cells, rng, monkeypatch):
    monkeypatch.setattr(module, "_KEPT_CELLS", cells)
    rows, y = rng.integers(0, 4, (60, 2)).astype(float), rng.choice(["a", "b", "c"], 60)
    asked = rng.integers(0, 4, (30, 2)).astype(float)
    kept = KeptVotes(KNNClassifier(1).fit(rows, y), asked, k_max=40)
    for k in (1, 2, 5, 17, 40):
        model = KNNClassifier(k, weights=weights).fit(rows, y)
        shares, codes = kept.answers(k, weights)
        np.testing.assert_array_equal(model.classes_[codes], model.predict(asked))
        np.testing.assert_array_equal(shares, model.predict_proba(asked))
    with pytest.raises(ParameterError, match="k must be"):
        kept.answers(41)


def test_k_goes_no_further_than_there_are_rows():
    table = sepal.datasets.load("athletes")
    assert KeptVotes(KNNClassifier(1).fit(table), table, k_max=50).k_max == 20
