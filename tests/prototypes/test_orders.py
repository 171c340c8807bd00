"""The orders in which cases are met, and the two ways to find a nearest value, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

import sepal.prototypes._condense as condense
from sepal.data._content_order import columns_by_values, lexical_order
from sepal.prototypes._cases import as_cases, label_rows
from sepal.prototypes._condense import CaseMetric, tied_order
from tests.prototypes.sets import geometric, smooth


def plain_tied_order(values, tie, descending):
    groups, left = [], sorted(range(len(values)), key=lambda i: (values[i], i))
    while left:
        group = [i for i in left if values[i] <= values[left[0]] * (1 + tie)]
        left = [i for i in left if i not in group]
        groups.append(sorted(group))
    return [i for group in (groups[::-1] if descending else groups) for i in group]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_tied_order(seed, descending):
    rng = np.random.default_rng(seed)
    tie = 0.01
    values = rng.choice([0.0, 1.0, 1.005, 1.009, 1.012, 1.02, 1.03, 2.0, 3.0, np.inf], size=30)
    assert tied_order(values, tie, descending=descending).tolist() == plain_tied_order(values, tie, descending)


def test_tied_order_of_nothing_and_of_a_long_chain():
    assert tied_order(np.zeros(0), 0.1).tolist() == []
    chain = 1.0 * 1.009 ** np.arange(50)  # each within the tolerance of the one before, the ends far apart
    order = np.random.default_rng(0).permutation(50)
    assert tied_order(chain[order], 0.01).tolist() == plain_tied_order(chain[order], 0.01, False)


@pytest.mark.parametrize("seed", range(5))
def test_lexical_order_reads_as_many_keys_as_it_takes(seed):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 2, size=(20, 40)).astype(float)
    keys[:15] = keys[:15, :1]  # the first fifteen keys tell nothing apart
    keys[rng.random(keys.shape) < 0.1] = np.nan
    expected = sorted(range(40), key=lambda j: [(np.isnan(v), 0.0 if np.isnan(v) else v) for v in keys[:, j]])
    assert lexical_order(keys).tolist() == expected


@pytest.mark.parametrize("levels", [1, 2, 3, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_columns_stand_by_their_sorted_values(seed, levels):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, levels, size=(6, 9)).astype(float)
    values[rng.random(values.shape) < 0.3] = np.nan
    values[:, 4] = np.nan
    expected = sorted(range(9), key=lambda j: [(np.isnan(v), 0.0 if np.isnan(v) else v) for v in np.sort(values[:, j])])
    assert columns_by_values(values).tolist() == expected


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("ties", ["expected", "index"])
def test_cases_stand_by_their_coordinates_or_as_they_were_given(ties, copied):
    """Rows without copies are cases as they are; the last row has one in the other half of the tests."""
    X, y = smooth(4, n=30)
    rows = [*range(30), 29] if copied else list(range(30))
    cases = as_cases(label_rows(X[rows], y[rows], scale=None), ties)
    order = geometric(X, y) if ties == "expected" else np.arange(30)
    assert cases.first_rows.tolist() == order.tolist()
    assert cases.points.tolist() == X[order].tolist()
    assert cases.codes.tolist() == y[order].tolist()
    assert [order[pos] for pos in cases.case_of] == rows
    assert cases.mass.tolist() == [2.0 if copied and row == 29 else 1.0 for row in order]
    assert cases.may_keep.all()
    assert not cases.is_conflict.any()
    assert sorted(cases.point_of.tolist()) == list(range(30))


@pytest.mark.parametrize("n_classes", [2, 5])
def test_both_ways_to_a_nearest_value_agree_to_the_last_bit(n_classes, monkeypatch):
    rng = np.random.default_rng(n_classes)
    X, y = rng.normal(size=(300, 7)).round(1), rng.integers(0, n_classes, size=300)
    cases = as_cases(label_rows(X, y, distance="euclidean", n_jobs=1))
    kept = np.flatnonzero(rng.random(cases.n_cases) < 0.2)
    by_search = CaseMetric.of(cases)
    monkeypatch.setattr(condense, "_FEW_CLASSES", 0)
    by_blocks = CaseMetric.of(cases)
    np.testing.assert_array_equal(by_search.enemy_values(), by_blocks.enemy_values())
    np.testing.assert_array_equal(by_search.is_right(kept), by_blocks.is_right(kept))
    square = ((cases.points[:, None] - cases.points[None]) ** 2).sum(axis=2)
    enemy = np.where(cases.codes[:, None] != cases.codes[None], square, np.inf).min(axis=1)
    np.testing.assert_allclose(by_search.enemy_values(), enemy, rtol=1e-12)
