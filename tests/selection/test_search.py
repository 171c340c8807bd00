from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import sepal.datasets
from sepal.exceptions import ParameterError
from sepal.selection import STRATEGIES, SubsetSearch, SubsetSweep, search_subsets, subset_sweep
from tests.interrupting import work_after_ctrl_c
from tests.oracles.selection import all_subsets, backward, forward, mahalanobis, subset_score

CHANCE = ["genetic", "annealing", "swarm", "random"]


@pytest.fixture(scope="module")
def breast_cancer() -> SubsetSweep:
    return subset_sweep(sepal.datasets.load("breast-cancer").drop_missing())


def points(n: int = 40, p: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, p)) + 0.5 * y[:, None], y


@pytest.mark.parametrize("strategy", ["forward", "backward"])
def test_greedy_path_is_the_oracles(strategy: str) -> None:
    X, y = points()
    path = {"forward": forward, "backward": backward}[strategy](lambda c: float(subset_score(X, y, c)), 6)
    search = search_subsets(X, y, strategy=strategy, scale=None)
    assert search.n_evaluations == 21
    for columns in path:
        assert search.scores[sum(1 << f for f in columns)] == pytest.approx(
            float(subset_score(X, y, columns)), abs=1e-14
        )
    best = max(path, key=lambda c: (round(float(subset_score(X, y, c)), 12), -len(c)))
    assert search.best.score == pytest.approx(float(subset_score(X, y, best)))


@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - {"branch_and_bound"}))
def test_scores_and_best_agree_with_the_sweep(strategy: str, breast_cancer: SubsetSweep) -> None:
    table = breast_cancer.problem.table
    search = search_subsets(table, strategy=strategy, random_state=0, max_evaluations=400)
    for mask, score in search.scores.items():
        assert score == pytest.approx(breast_cancer.scores[mask], abs=1e-14)
    assert search.best.score == pytest.approx(max(search.scores.values()))
    assert search.best.score >= 0.9685  # the second best of all: tests/selection/test_subset_sweep.py
    assert search.n_evaluations == len(search.scores) <= 400


@pytest.mark.parametrize("strategy", ["floating", "plus_l_take_r", *CHANCE])
def test_wanted_size(strategy: str, breast_cancer: SubsetSweep) -> None:
    """mlxtend's exhaustive selector ignored `max_features` (#495)."""
    search = search_subsets(
        breast_cancer.problem.table, strategy=strategy, n_features=4, random_state=1, max_evaluations=120
    )
    assert search.best.size == 4
    assert search.best.score <= breast_cancer.best_by_size()[4].score + 1e-12
    assert all(s.size == 4 for s in search.near_best())


def test_floating_is_at_least_as_good_as_forward_at_every_size() -> None:
    table = sepal.datasets.load("sonar")
    table = table.select(range(12))
    floating = search_subsets(table, strategy="floating").best_by_size()
    step = search_subsets(table, strategy="forward").best_by_size()
    assert all(floating[size].score >= step[size].score - 1e-12 for size in step)


def test_chance_is_reproducible() -> None:
    X, y = points(p=10)
    for strategy in CHANCE:
        one, two = (search_subsets(X, y, strategy=strategy, random_state=7, max_evaluations=150) for _ in range(2))
        assert list(one.scores) == list(two.scores)


def test_a_converged_search_ends() -> None:
    X, y = points(p=3)
    for strategy in CHANCE:
        search = search_subsets(X, y, strategy=strategy, random_state=0)
        # Annealing cools for far more steps than there are subsets; the others know when all have been met.
        assert search.stopped == ("converged" if strategy == "annealing" else "finished")
        assert search.best.score == pytest.approx(max(float(subset_score_scaled(X, y, c)) for c in all_subsets(3)))


def subset_score_scaled(X: np.ndarray, y: np.ndarray, columns: tuple[int, ...]) -> float:
    low, high = X.min(axis=0), X.max(axis=0)
    return float(subset_score((X - low) / (high - low), y, columns))


def test_branch_and_bound_finds_the_best_of_its_size() -> None:
    X, y = points(n=80, p=8, seed=3)
    search = search_subsets(X, y, strategy="branch_and_bound", criterion="mahalanobis", n_features=3, scale=None)
    expected = max((c for c in all_subsets(8) if len(c) == 3), key=lambda c: mahalanobis(X[:, c], y.tolist()))
    assert search.best.columns == expected
    assert search.best.score == pytest.approx(mahalanobis(X[:, expected], y.tolist()))


def test_branch_and_bound_is_refused_where_it_is_not_valid() -> None:
    X, y = points()
    with pytest.raises(ParameterError, match="can fall"):
        search_subsets(X, y, strategy="branch_and_bound", n_features=2)
    with pytest.raises(ParameterError, match="needs n_features"):
        search_subsets(X, y, strategy="branch_and_bound", criterion="mahalanobis")


def test_time_and_patience() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((400, 120)), rng.integers(0, 2, 400)
    search = search_subsets(X, y, strategy="backward", time_limit=0.3)
    assert search.stopped == "time_limit"
    assert search.n_evaluations < 120 * 121 / 2  # all of them
    assert search_subsets(X, y, strategy="forward", patience=2).stopped == "patience"
    assert search_subsets(X, y, strategy="forward", max_evaluations=10).n_evaluations == 10


def test_two_thousand_features() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.random((60, 2000))
    X[:, 1234] += 3 * y
    forward_search = search_subsets(X, y, strategy="forward", n_features=2)
    assert 1234 in forward_search.best.columns
    backward_search = search_subsets(X, y, strategy="backward", max_evaluations=2001)
    expected = sepal.thornton_score(X, y)
    assert backward_search.scores[(1 << 2000) - 1] == pytest.approx(expected)
    without_0 = backward_search.scores[(1 << 2000) - 2]
    assert without_0 == pytest.approx(sepal.thornton_score(X[:, 1:], y))


@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - {"branch_and_bound"}))
def test_every_strategy_with_two_thousand_features(strategy: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 2000)), rng.integers(0, 2, 40)
    most = 64 if strategy in CHANCE else 2_010  # one step of a greedy search and a bit
    search = search_subsets(X, y, strategy=strategy, max_evaluations=most, random_state=0, keep=[7], blocks=[[0, 1]])
    assert (search.stopped, search.n_evaluations) == ("max_evaluations", most)
    assert search.best.score == max(search.scores.values())
    assert 7 in search.best.columns
    assert (0 in search.best.columns) == (1 in search.best.columns)
    assert search.best.score == pytest.approx(sepal.thornton_score(X[:, search.best.columns], y))


@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - {"branch_and_bound"}))
def test_every_strategy_keeps_to_the_time(strategy: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 1000)), rng.integers(0, 2, 300)
    search = search_subsets(X, y, strategy=strategy, time_limit=0.2, max_evaluations=10**7, random_state=0)
    assert search.stopped == "time_limit"
    assert search.best.score == max(search.scores.values())


A_DAY_OF_SUBSETS = """
import numpy as np
from sepal.selection import search_subsets, subset_sweep
rng = np.random.default_rng(0)
X, y = rng.random((3000, 22)), rng.integers(0, 2, 3000)
"""


@pytest.mark.parametrize(
    "work", ["subset_sweep(X, y)", "search_subsets(X, y, strategy='random', max_evaluations=10**6)"]
)
def test_the_interrupt_key_ends_long_work(work: str) -> None:
    assert work_after_ctrl_c(A_DAY_OF_SUBSETS, work) < 2.0


def test_blocks_and_kept_columns() -> None:
    X, y = points()
    search = search_subsets(X, y, strategy="forward", blocks=[[0, 1]], keep=[5])
    assert search.best.columns[-1] == 5
    assert search.n_evaluations == 10  # 4 + 3 + 2 + 1
    assert all((0 in s.columns) == (1 in s.columns) for s in search.near_best(2))


def test_history_grows_and_shows(breast_cancer: SubsetSweep) -> None:
    seen: list[tuple[str, float]] = []
    search = search_subsets(
        breast_cancer.problem.table,
        strategy="forward",
        max_evaluations=90,
        progress=lambda text, share: seen.append((text, share)),
    )
    scores = [step.score for step in search.history]
    assert scores == sorted(scores)
    text, share = seen[-1]
    assert re.fullmatch(rf"45 of 90 subsets, [\d,]+ per second, best so far {search.best.score:.4f}", text)
    assert share == 0.5
    assert search.history_frame()["thornton"].iloc[-1] == search.best.score
    assert "45 subsets" in search._repr_html_()


def test_search_and_sweep_have_the_same_face(breast_cancer: SubsetSweep) -> None:
    """``frame`` was the history of the one and the subsets of the other, and only one knew ``near_best(size=)``."""
    search = search_subsets(breast_cancer.problem.table, strategy="backward")
    rows = search.frame(7)
    assert list(rows) == ["mask", "size", "thornton", "features"] == list(breast_cancer.frame(7))
    assert len(rows) == 7
    assert len(search.frame()) == search.n_evaluations
    assert [rows["mask"][0], rows["thornton"][0]] == [search.best.mask, search.best.score]
    for row in range(7):  # all rows stand in the table of the sweep, too
        assert breast_cancer.scores[rows["mask"][row]] == rows["thornton"][row]
    of_eight = search.near_best(size=8)
    assert of_eight == tuple(each for each in breast_cancer.near_best(size=8) if each.mask in search.scores)
    assert of_eight[0] == search.best_by_size()[8]


def test_whatever_one_can_be_asked_the_other_can(breast_cancer: SubsetSweep) -> None:
    """``plot()`` drew the history of the one and the sizes of the other, and a sweep had no history."""
    search = search_subsets(breast_cancer.problem.table, strategy="backward")
    faces = {type(each): {name for name in dir(each) if not name.startswith("_")} for each in (search, breast_cancer)}
    assert faces[SubsetSearch] == faces[SubsetSweep]
    for name in faces[SubsetSearch]:
        ours, theirs = getattr(SubsetSearch, name, None), getattr(SubsetSweep, name, None)
        if inspect.isfunction(ours):
            assert inspect.signature(ours) == inspect.signature(theirs), name
    for mask, score in search.scores.items():
        assert (score, search.sizes[mask]) == (breast_cancer.scores[mask], breast_cancer.sizes[mask])
    for each in (search, breast_cancer):
        assert each.scores is each.all_scores[each.criterion]
        assert each.correlation().tolist() == [[1.0]]
        assert each.history[-1].mask == each.best.mask
        assert each.history[-1].evaluations <= each.n_evaluations
        assert each.history_frame()["thornton"].iloc[-1] == each.best.score
        assert each.near_best(size=77) == ()
        assert re.search(r"<br>\d+ subsets are near the best", each._repr_html_())
    assert breast_cancer.history[-1].evaluations == breast_cancer.n_evaluations == 2**9 - 1
    assert (breast_cancer.strategy, breast_cancer.stopped) == ("sweep", "finished")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "hill"}, "strategy must be 'forward', 'backward'"),
        ({"n_features": 7}, "n_features must be from 1 to 6"),
        ({"time_limit": 0}, "time_limit must be None or a number above 0"),
        ({"options": {"population": 3}}, "not known to strategy 'floating'"),
        ({"strategy": "plus_l_take_r", "options": {"plus": 2, "take": 2}}, "plus and take must differ"),
        ({"strategy": "backward", "n_features": 1, "max_evaluations": 3}, "before it met a subset of 1 features"),
    ],
)
def test_refusals(options: dict, message: str) -> None:
    X, y = points()
    with pytest.raises(ParameterError, match=message):
        search_subsets(X, y, **options)
