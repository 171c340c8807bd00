"""The native trees against loops: every split is the best one, leaves hold their rows, missed rows vote."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import sepal._native as native
from sepal.auto._forest import TREE_ARRAYS, grow_forest
from sepal.data import as_table
from sepal.estimators._views import fit_view
from tests.drawn import drawn
from tests.oracles import forest as oracle

BINS = drawn(5, lambda rng: rng.integers(0, 7, (4, 40)).astype(np.uint8))  # columns x rows
CODES = ((BINS[0] > 3).astype(int) + (BINS[2] % 2)).astype(np.int32)
NONE, NO_CLASSES = np.empty(0), np.empty(0, dtype=np.int32)


@pytest.fixture
def rng():
    return np.random.RandomState(5)


def _grow(classes=CODES, numbers=NONE, n_outputs=3, trees=6, sample=40, tries=4, least=1, seed=1, threads=1):
    grown = native.grow_forest(
        bins=BINS,
        classes=classes,
        numbers=numbers,
        n_outputs=n_outputs,
        n_trees=trees,
        sample=sample,
        tries=tries,
        least=least,
        seed=seed,
        threads=threads,
        progress=None,
    )
    return *(getattr(grown, name) for name in TREE_ARRAYS), grown.left_out_sums, grown.left_out_counts


def _means(arrays):
    return native.forest_means(bins=BINS, **dict(zip(TREE_ARRAYS, arrays, strict=True)), n_outputs=3, threads=1)


def _trees(arrays):
    """Each tree as lists with children numbered within it, and the leaf values of each node."""
    start, column, cut, child, leaf_start, leaf_output, leaf_value, *_ = arrays
    for first, last in pairwise(start.tolist()):
        own = column[first:last].tolist(), cut[first:last].tolist(), [c - first for c in child[first:last].tolist()]
        leaves = {}
        for node in range(first, last):
            if column[node] < 0:
                part = slice(leaf_start[child[node]], leaf_start[child[node] + 1])
                leaves[node - first] = dict(zip(leaf_output[part].tolist(), leaf_value[part].tolist(), strict=True))
        yield own, leaves


def _ends(tree):
    return [oracle.walk(tree, row) for row in BINS.T.tolist()]


def test_the_missed_rows_vote_as_in_the_loops():
    arrays = _grow()
    sums, counts = arrays[-2].reshape(40, 3), arrays[-1]
    assert 0.2 < counts.mean() / 6 < 0.55  # about 1/e of the trees miss a row
    everybody = np.zeros((40, 3))
    for tree, leaves in _trees(arrays):
        for row, end in enumerate(_ends(tree)):
            for code, share in leaves[end].items():
                everybody[row, code] += share
    means = _means(arrays[:7]).reshape(40, 3)
    np.testing.assert_allclose(means, everybody / 6)
    np.testing.assert_allclose(sums.sum(axis=1), counts)  # shares add up to one per voting tree
    assert np.all(sums <= everybody + 1e-12)


def test_a_row_that_no_tree_missed_is_decided_as_by_all_that_saw_it():
    one = _grow(trees=1)
    seen = one[-1] == 0
    tree, leaves = next(iter(_trees(one)))
    for row, end in enumerate(_ends(tree)):
        if not seen[row]:
            expected = [leaves[end].get(code, 0.0) for code in range(3)]
            np.testing.assert_allclose(one[-2].reshape(40, 3)[row], expected)


@pytest.mark.parametrize("least", [1, 4])
def test_every_split_is_the_best_of_all_cuts(rng, least):
    """Copies drawn by a tree are not told, so a tree over distinct draws is found: leaves tell the drawn rows."""
    numbers = rng.randn(40)
    for arrays, answers, gain in (
        (_grow(least=least, trees=3), CODES.tolist(), oracle.gini_gain),
        (_grow(NO_CLASSES, numbers, 1, least=least, trees=3), numbers.tolist(), oracle.variance_gain),
    ):
        weights = _drawn(arrays)
        for k, (tree, _) in enumerate(_trees(arrays)):
            draws = [row for row in range(40) for _ in range(weights[k][row])]
            _check_node(tree, 0, draws, answers, least, gain)


def _drawn(arrays, trees=3, sample=40, seed=1):
    """The generator of the native code in Python: splitmix64, one stream per tree."""
    mask = (1 << 64) - 1
    out = []
    for t in range(trees):
        state = (seed * 0x2545F4914F6CDD1D + t * 0x9E3779B9 + 1) & mask
        counts = [0] * 40
        for _ in range(sample):
            state = (state + 0x9E3779B97F4A7C15) & mask
            z = state
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
            z ^= z >> 31
            counts[((z >> 32) * 40) >> 32] += 1
        out.append(counts)
    return out


def _check_node(tree, node, draws, answers, least, gain):
    column, cut, child = tree
    rows = [BINS[:, row].tolist() for row in draws]
    own = [answers[row] for row in draws]
    best = oracle.best_gain(rows, own, least, gain) if len(draws) >= 2 * least else None
    if column[node] < 0:
        assert best is None or len(set(own)) == 1
        return
    left = [row for row in draws if BINS[column[node], row] <= cut[node]]
    right = [row for row in draws if BINS[column[node], row] > cut[node]]
    assert min(len(left), len(right)) >= least
    found = gain([answers[row] for row in left], [answers[row] for row in right])
    assert found == pytest.approx(best, rel=1e-12)
    _check_node(tree, child[node], left, answers, least, gain)
    _check_node(tree, child[node] + 1, right, answers, least, gain)


def test_threads_change_nothing():
    for one, other in zip(_grow(trees=20), _grow(trees=20, threads=3), strict=True):
        np.testing.assert_array_equal(one, other)


def test_strange_arrays_are_refused():
    arrays = list(_grow())
    for place, wrong in ((1, 9), (3, 10**6), (5, 3)):
        bad = [a.copy() for a in arrays[:7]]
        bad[place][0 if place != 3 else -1] = wrong
        with pytest.raises(ValueError, match="not those of a forest"):
            _means(bad)
    looped = [a.copy() for a in arrays[:7]]
    looped[3][0] = 0  # a node that is its own child would never end
    with pytest.raises(ValueError, match="not those of a forest"):
        _means(looped)
    with pytest.raises(ValueError, match="out of range"):
        _grow(classes=CODES + 5)


def test_thresholds_are_found_in_tables_of_all_kinds(rng):
    numbers = rng.randn(300)
    table = as_table(
        [[float(x) if i % 10 else None, "ab"[i % 2]] for i, x in enumerate(numbers)],
    )
    codes = ((numbers > 0.3) ^ (np.arange(300) % 2 == 0)).astype(np.int32)
    member, left_out = grow_forest(fit_view(table, "rank"), table, codes, 2, n_trees=50, seed=0, threads=1)
    known = np.arange(300) % 10 != 0
    assert np.mean(left_out.argmax(axis=1)[known] == codes[known]) > 0.97
    assert np.mean(member.decisions(table).argmax(axis=1)[known] == codes[known]) > 0.99


@pytest.mark.parametrize("least", [1, 3])
def test_rare_indicators_are_cut_like_any_other_column(rng, least):
    """Columns of bins 0 and 2 are sorted in every node; of 0 and 1, where 1 is rare, only its rows are asked."""
    levels = rng.randint(0, 40, 120)
    rare = (levels == np.arange(40)[:, None]).astype(np.uint8)
    others = rng.randint(0, 7, (3, 120)).astype(np.uint8)
    codes = ((levels % 3 == 0) ^ (others[0] > 3)).astype(np.int32) + (others[1] == 2)
    grown = [
        native.grow_forest(
            bins=np.concatenate([factor * rare, others]),
            classes=codes.astype(np.int32),
            numbers=NONE,
            n_outputs=3,
            n_trees=8,
            sample=120,
            tries=9,
            least=least,
            seed=3,
            threads=1,
            progress=None,
        )
        for factor in (1, 2)
    ]
    assert (grown[0].column < 40).any()
    for name in (*TREE_ARRAYS, "left_out_sums", "left_out_counts"):
        np.testing.assert_array_equal(getattr(grown[0], name), getattr(grown[1], name))
