"""The order in which levels were declared means nothing where a column is nominal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sepal
from sepal.measures import complexity
from sepal.prototypes import fcnn


def forms(levels, x):
    """The same two columns: texts, dictionaries that hold levels as they first appeared, and declared categories."""
    for texts in (pa.array(levels.tolist()), pa.array(levels.tolist()).dictionary_encode()):
        yield pa.table({"c": texts, "x": x})
    for declared in ("abcd", "dbca"):
        yield pd.DataFrame({"c": pd.Categorical(levels, categories=list(declared)), "x": x})


@pytest.mark.parametrize("seed", range(3))
def test_neither_the_first_row_nor_the_source_decides(seed):
    rng = np.random.default_rng(seed)
    y, groups = rng.integers(0, 2, 60), rng.integers(0, 15, 60)
    levels = np.array(list("abcd"))[np.clip(y + rng.integers(0, 3, 60), 0, 3)]
    x = np.round(rng.normal(size=60) + 0.7 * y, 1)
    new = pd.DataFrame({"c": ["a", "b", "d"], "x": [0.0, 1.0, 0.3]})
    found = []
    for rows in (np.arange(60), rng.permutation(60)):
        labels = np.where(y, "p", "q")[rows]
        for X in forms(levels[rows], x[rows]):
            model = sepal.SepalClassifier().fit(X, labels)
            found.append(
                (
                    model.leave_one_out_score_,
                    *model.predict_proba(new).ravel(),
                    sepal.evaluate(sepal.KNNClassifier(3), X, labels).accuracy,
                    sepal.thornton_test(X, labels, groups=groups[rows], n_permutations=99).p_value,
                    *(complexity(X, labels)[name] for name in ("N1", "N4", "T1")),
                    len(fcnn(X, labels).rows),
                )
            )
    for each in found[1:]:
        assert each == pytest.approx(found[0], abs=1e-12)


def test_categories_of_several_types_have_an_order_too():
    X = pd.DataFrame({"k": pd.Categorical([1, "a", 2.5] * 10), "x": range(30)})
    assert sepal.KNNClassifier(1).fit(X, ["p", "q", "r"] * 10).predict(X).tolist() == ["p", "q", "r"] * 10
    assert fcnn(X, ["p", "q", "r"] * 10).consistency == 1
