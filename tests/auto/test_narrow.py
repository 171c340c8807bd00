"""Few of many columns: found where they are all that matters, not claimed where nothing does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f_oneway, rankdata

from sepal.auto import SepalClassifier
from sepal.auto._narrow import chosen_columns, explained, has_many_columns
from sepal.data import as_table


@pytest.fixture
def wide(rng):
    X = rng.normal(size=(120, 600))
    return X, np.where(X[:, 17] + X[:, 99] > 0, "a", "b")


def test_two_of_many_columns_are_found_and_offered(wide):
    X, y = wide
    told = SepalClassifier().fit(X, y).explain(time_limit=2.0)
    (found,) = (finding for finding in told.findings if finding.code == "few_columns_win")
    assert {"x18", "x100"} <= set(found.facts["columns"])
    assert found.facts["score"] > told.score + 0.1
    assert not {"not_linear", "linear_is_enough", "no_better_than_majority"} & set(told.codes)


def test_nothing_is_offered_from_noise(rng):
    X, y = rng.normal(size=(60, 100)), np.array(["a", "b"] * 30)
    assert "few_columns_win" not in SepalClassifier().fit(X, y).explain(time_limit=2.0).codes


def test_columns_are_ranked_as_by_analysis_of_variance_of_ranks(rng):
    """Adjusted eta squared grows with F, which scipy computes."""
    X = rng.normal(size=(50, 6)) + np.arange(50)[:, None] % 3 * np.linspace(0, 1, 6)
    codes = (np.arange(50) % 3).astype(np.int32)
    told = explained(as_table(X, codes), codes)
    F = np.array([f_oneway(*(rankdata(column)[codes == c] for c in range(3))).statistic for column in X.T])
    eta = F * 2 / (F * 2 + 47)
    np.testing.assert_allclose(told, 1 - (1 - eta) * 49 / 47)


def test_levels_gaps_and_constants(rng):
    import pandas as pd

    y = np.array(["a", "b"] * 20)
    gaps = np.where(np.arange(40) < 4, np.nan, (y == "a") * 1.0)
    frame = pd.DataFrame(
        {"same": np.ones(40), "level": np.where(y == "a", "u", "v"), "gaps": gaps, "noise": ["s", "t", "t", "s"] * 10}
    )
    told = explained(as_table(frame, y), (y == "b").astype(np.int32))
    # By hand: nothing; all; all but the tenth that is missing; nothing, less one degree of freedom of 39.
    np.testing.assert_allclose(told, [0.0, 1.0, 0.9, 1 - 39 / 38], atol=1e-12)


def test_the_choice_does_not_depend_on_the_order_of_columns(wide):
    X, y = wide
    table = as_table(X[:, :120], y)
    order = np.random.default_rng(1).permutation(120)
    other = table.select(order.tolist())
    first = {table.names[j] for j in chosen_columns(table)}
    assert first == {other.names[j] for j in chosen_columns(other)}


@pytest.mark.parametrize(("n", "p", "wide"), [(200, 5000, True), (400, 50, False), (60, 19, False), (208, 60, True)])
def test_which_tables_are_wide(n, p, wide):
    assert has_many_columns(as_table(np.zeros((n, p)))) is wide
