"""The paper's chain: every step against its formula, the tree against all splits, and what must not matter."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

import sepal.datasets
from sepal.auto import PaperChainClassifier
from sepal.auto._paper_chain_link import CHAIN_RIDGES
from sepal.auto._paper_chain_tree import best_split, class_flow
from sepal.data import as_table
from sepal.estimators import load_model, save_model
from sepal.exceptions import DataError, ParameterError
from sepal.machines import FeatureVectorClassifier
from tests.machines.contract import contract
from tests.oracles import alignment as alignment_oracle
from tests.oracles import feature_vectors as vectors_oracle
from tests.oracles import selection as selection_oracle


def three_columns(n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """The first column separates two classes, the others are noise."""
    rng = np.random.default_rng(3)
    y = np.arange(n) % 2
    return np.c_[y * 2.0 + rng.uniform(0, 0.9, n), rng.uniform(0, 5, n), rng.uniform(0, 9, n)], y


def minmax(X: np.ndarray) -> np.ndarray:
    return (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))


@pytest.fixture(scope="module")
def liver_part() -> tuple[np.ndarray, np.ndarray]:
    table = sepal.datasets.load("liver")
    return table.values[:90], np.asarray(table.y)[:90]


def test_the_subset_is_the_best_of_all(liver_part):
    X, y = liver_part
    chain = PaperChainClassifier().fit(X, y)
    scores = {
        columns: selection_oracle.subset_score(minmax(X), y.tolist(), columns)
        for columns in selection_oracle.all_subsets(X.shape[1])
    }
    best = max(scores.values())
    assert Fraction(chain.subset_.score).limit_denominator(10**6) == best
    assert scores[chain.subset_.columns] == best
    assert chain.subset_.size == min(len(columns) for columns, score in scores.items() if score == best)


def test_noise_is_left_out():
    X, y = three_columns()
    chain = PaperChainClassifier().fit(X, y)
    assert chain.subset_.columns == (0,)
    assert chain.scaling_.offset.tolist() == [X[:, 0].min()]
    assert PaperChainClassifier(subset=None).fit(X, y).subset_ is None


def test_the_width_is_where_centred_alignment_peaks(liver_part):
    X, y = liver_part
    chain = PaperChainClassifier(subset=None).fit(X, y)
    D = alignment_oracle.distances(minmax(X))
    T = alignment_oracle.target_matrix(y.tolist(), "one_hot")

    def aligned(width: float) -> float:
        return alignment_oracle.alignment(np.exp(-D / (2 * width**2)), T, centered=True)

    assert chain.alignment_.best_score == pytest.approx(aligned(chain.width_), abs=1e-9)
    assert all(aligned(chain.width_) >= aligned(width) - 1e-9 for width in np.geomspace(0.02, 20, 60))


def test_vectors_and_ridge_by_leaving_rows_out(liver_part):
    X, y = liver_part
    chain = PaperChainClassifier(subset=None, max_vectors=12).fit(X, y)
    D = alignment_oracle.distances(minmax(X))
    K = np.exp(-D / (2 * chain.width_**2))
    machine = FeatureVectorClassifier(12, criterion="local", width=chain.width_, scale=None).fit(minmax(X), y)
    selected = machine.vector_rows_.tolist()
    assert selected[0] == vectors_oracle.select(K, 1)[0][0]
    for size in range(1, 12):  # each next one is represented worst; of equally bad ones the content decides
        S = selected[:size]
        left = np.diag(K) - np.einsum("ij,ij->j", K[S], np.linalg.solve(K[np.ix_(S, S)], K[S]))
        assert left[selected[size]] >= left.max() - 1e-10
    count = len(chain.feature_vectors_)
    assert chain.feature_vectors_.tolist() == selected[:count]
    assert chain.machine_.fitness_ == pytest.approx(machine.fitness_path_[count - 1], abs=1e-8)
    # Coordinates in the span of the first vectors: any orthonormal ones have the same ridge.
    factor = np.linalg.cholesky(K[np.ix_(selected, selected)])
    Z = np.linalg.solve(factor, K[selected]).T
    targets, ones = np.eye(2)[(y == np.unique(y)[1]).astype(int)], np.ones(len(y))
    errors = {}
    for ridge in CHAIN_RIDGES:
        for size in range(1, 13):
            left = vectors_oracle.left_out(Z[:, :size], targets, ridge, ones, ones)
            errors[ridge, size] = float(np.mean(np.sum((left - targets) ** 2, axis=1)))
    assert (chain.machine_.alpha, count) == min(errors, key=errors.__getitem__)


def test_the_answer_is_the_machines(liver_part):
    X, y = liver_part
    chain = PaperChainClassifier().fit(X, y)
    points = minmax(X)[:, list(chain.subset_.columns)]
    np.testing.assert_allclose(chain.predict_proba(X), chain.machine_.predict_proba(points), atol=1e-12)
    assert chain.machine_.n_features_in_ == chain.subset_.size


def every_split(flow: np.ndarray) -> dict[frozenset[int], float]:
    """The flow that each split cuts; a split by the side that has not got class 0."""
    C = len(flow)
    return {
        frozenset(side): sum(flow[a, b] + flow[b, a] for a in side for b in range(C) if b not in side)
        for size in range(1, C)
        for side in combinations(range(1, C), size)
    }


@pytest.mark.parametrize("seed", range(25))
def test_the_split_cuts_least_of_all(seed):
    rng = np.random.default_rng(seed)
    C = int(rng.integers(2, 8))
    flow = rng.integers(0, 4, (C, C)).astype(np.float64) * rng.integers(0, 2, (C, C))
    side = best_split(flow, np.full(C, 10))
    assert 0 < side.sum() < C
    found = frozenset(np.flatnonzero(~side if side[0] else side).tolist())
    splits = every_split(flow)
    assert splits[found] == min(splits.values())


def test_of_equal_cuts_the_more_even_one():
    # No flow at all: the algorithm meets {2} (18 of 58 rows), merges 2 into 1, and meets {1, 2} (48 of 58).
    assert np.flatnonzero(best_split(np.zeros((3, 3)), np.array([10, 30, 18]))).tolist() == [2]
    # With 1 larger than the rest {1, 2} is the more even: 24 of 58.
    assert np.flatnonzero(best_split(np.zeros((3, 3)), np.array([34, 20, 4]))).tolist() == [1, 2]


def test_flow_of_nearest_neighbours_by_hand():
    # 0 and 1 are nearest to each other; 3 is as near to 2 as to 4; 2 and 4 are nearest to 1 and 3.
    table = as_table(np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]))
    flow = class_flow(table, np.array([0, 0, 1, 2, 2], dtype=np.int32), 3, None)
    # row 0 -> 1; row 1 -> half 0, half 2; row 2 -> half 1, half 3; row 3 -> half 2, half 4; row 4 -> 3
    np.testing.assert_allclose(flow, [[1.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 1.5]])


def test_the_tree_asks_for_the_far_class_first():
    X, y = load_iris(return_X_y=True)
    tree = PaperChainClassifier(multiclass="tree").fit(X, np.array(["setosa", "versicolor", "virginica"])[y])
    assert [(q.first, q.second) for q in tree.tree_] == [((0,), (1, 2)), ((1,), (2,))]
    p = tree.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    first, second = (question.link.probabilities(as_table(X)) for question in tree.tree_)
    np.testing.assert_allclose(p, np.c_[first[:, 0], first[:, 1] * second[:, 0], first[:, 1] * second[:, 1]])
    assert tree.subset_ is tree.tree_[0].link.subset
    assert tree.score(X, np.array(["setosa", "versicolor", "virginica"])[y]) > 0.94


def test_every_class_is_reached_by_questions():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(26), 4)
    X = np.c_[y % 6, y // 6] + rng.uniform(-0.2, 0.2, size=(len(y), 2))
    tree = PaperChainClassifier(multiclass="tree", n_jobs=1).fit(X, y)
    assert len(tree.tree_) == 25
    assert sorted(tree.tree_[0].first + tree.tree_[0].second) == list(range(26))
    assert tree.score(X, y) > 0.9


def test_two_classes_need_no_tree():
    X, y = three_columns()
    direct, tree = (PaperChainClassifier(multiclass=how).fit(X, y) for how in ("direct", "tree"))
    assert tree.tree_ is None
    np.testing.assert_array_equal(direct.predict_proba(X), tree.predict_proba(X))


def test_levels_gaps_and_unknown_levels():
    voting = sepal.datasets.load("voting")
    assert voting.has_missing
    chain = PaperChainClassifier().fit(voting)
    assert chain.score(voting, voting.y) > 0.95
    frame = pd.DataFrame({"size": [1.0, 2.0, np.nan, 8.0, 9.0, 9.5], "hue": ["r", "r", "g", "b", None, "b"]})
    mixed = PaperChainClassifier(subset=None).fit(frame, list("aaabbb"))
    assert mixed.predict(pd.DataFrame({"size": [1.5, np.nan], "hue": ["violet", "b"]})).tolist() == ["a", "b"]


def test_columns_without_content():
    X = np.c_[np.ones(12), np.full(12, 7.0)]
    chain = PaperChainClassifier().fit(X, ["a"] * 7 + ["b"] * 5)
    assert (chain.alignment_, chain.width_) == (None, 1.0)
    assert chain.predict(X[:2]).tolist() == ["a", "a"]


@pytest.mark.parametrize("multiclass", ["direct", "tree"])
def test_what_must_not_matter(multiclass):
    X, y = load_wine(return_X_y=True)
    X, y = X[::2, :6], y[::2]
    chain = PaperChainClassifier(multiclass=multiclass, max_vectors=40).fit(X, y)
    p = chain.predict_proba(X)
    order = np.random.default_rng(0).permutation(len(y))
    again = PaperChainClassifier(multiclass=multiclass, max_vectors=40, n_jobs=1).fit(X[order], y[order])
    np.testing.assert_allclose(again.predict_proba(X), p, atol=1e-7)
    renamed = PaperChainClassifier(multiclass=multiclass, max_vectors=40).fit(X, np.array(list("zxy"))[y])
    np.testing.assert_allclose(renamed.predict_proba(X)[:, [2, 0, 1]], p, atol=1e-7)


def test_many_rows_are_sampled_for_the_search_only():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(3000, 2))
    y = (X[:, 0] > 0.5).astype(int)
    chain = PaperChainClassifier(max_vectors=25).fit(X, y)
    assert (chain.subset_.columns, chain.alignment_.n_rows) == ((0,), 2000)
    assert chain.score(X, y) > 0.97


def test_a_saved_chain_answers_alike(tmp_path):
    heart = sepal.datasets.load("heart")
    wine = load_wine(return_X_y=True)
    for chain, rows in (
        (PaperChainClassifier(max_vectors=40).fit(heart), heart),
        (PaperChainClassifier(max_vectors=40, multiclass="tree").fit(*wine), wine[0]),
    ):
        again = load_model(save_model(chain, tmp_path / "chain.sepal"))
        np.testing.assert_array_equal(again.predict_proba(rows), chain.predict_proba(rows))


def test_what_it_says():
    X, y = three_columns()
    text = PaperChainClassifier().fit(pd.DataFrame(X, columns=["length", "noise", "more"]), y).explain()
    assert "1 of 3, Thornton's index 1.0000: length" in text
    assert "fixed, and not chosen by the data" in text
    tree = PaperChainClassifier(multiclass="tree", subset=None, max_vectors=20).fit(*load_iris(return_X_y=True))
    assert "question 1: 0  or  1, 2?" in tree.explain()
    assert "all 4" in tree.explain()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"subset": "best"}, "subset must be"),
        ({"multiclass": "pairs"}, "multiclass must be"),
        ({"max_vectors": 0}, "max_vectors"),
        ({"max_vectors": True}, "max_vectors"),
    ],
)
def test_wrong_words(parameters, words):
    with pytest.raises(ParameterError, match=words):
        PaperChainClassifier(**parameters).fit(*three_columns())


def test_one_class_is_refused():
    X, y = three_columns()
    with pytest.raises(DataError, match="one class"):
        PaperChainClassifier().fit(X, np.zeros_like(y))


@pytest.mark.parametrize(
    ("estimator", "check"),
    contract(
        [PaperChainClassifier(max_vectors=20), PaperChainClassifier(subset=None, multiclass="tree", max_vectors=9)]
    ),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("multiclass", ["direct", "tree"])
def test_people_are_left_out_together(multiclass):
    """Thirty people of four nearly equal rows, whose classes are chance."""
    rng = np.random.default_rng(9)
    of = np.arange(120) // 4
    X, y = rng.normal(size=(30, 2))[of] + 0.001 * rng.normal(size=(120, 2)), of % 3
    fooled = PaperChainClassifier(multiclass=multiclass).fit(X, y)
    honest = PaperChainClassifier(multiclass=multiclass).fit(X, y, groups=of)
    assert fooled.subset_.score > 0.9 > 0.8 > honest.subset_.score
    assert honest.machine_.loo_error_ > 0.2 > fooled.machine_.loo_error_
    copies = PaperChainClassifier(multiclass=multiclass).fit(np.repeat(X[::4], 2, axis=0), np.repeat(y[::4], 2))
    assert copies.subset_.score == pytest.approx(
        PaperChainClassifier(multiclass=multiclass).fit(X[::4], y[::4]).subset_.score
    )


def test_the_flow_between_classes_without_ones_own_group():
    table = as_table([[0.0], [1.0], [3.0], [7.0], [8.0]])
    codes, groups = np.array([0, 0, 1, 2, 2], dtype=np.int32), np.array([0, 0, 1, 2, 2])
    flow = class_flow(table, codes, 3, None, groups)
    np.testing.assert_array_equal(flow, [[0, 2, 0], [1, 0, 0], [0, 2, 0]])
