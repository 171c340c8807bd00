"""A self join shared by turns: the lists of all turns joined are those of all pairs at once."""

from __future__ import annotations

import numpy as np
import pytest

import sepal._native as _native
from sepal.data import as_table
from sepal.distances import fit_distance
from sepal.neighbors import PartLists, PartSearch, Turn, extent_of
from tests.oracles.asserts import assert_ranking

N = 520  # three blocks of tiles, seventeen leaves of a tree


def rows(p: int) -> np.ndarray:
    X = np.random.default_rng(p).normal(size=(N, p))
    return X.round(1) if p == 3 else X  # with ties


def all_values(X: np.ndarray, distance: str) -> np.ndarray:
    found = np.zeros((N, N))
    for column in X.T:
        apart = np.abs(column[:, None] - column)
        found += apart if distance == "manhattan" else apart * apart
    return found


def told(lists: PartLists) -> list[list[int]]:
    return [lists.number[begin:end].tolist() for begin, end in zip(lists.start[:-1], lists.start[1:], strict=True)]


@pytest.mark.parametrize("turns", [1, 2, 3, 7, 300])  # more turns than there are tiles or leaves
@pytest.mark.parametrize("k", [1, 6])
@pytest.mark.parametrize(
    ("p", "distance", "method"),
    [(3, "euclidean", "tree"), (6, "euclidean", "tree"), (3, "euclidean", "brute"), (13, "euclidean", "brute"),
     (4, "manhattan", "brute"), (70, "euclidean", "brute")],
)  # fmt: skip
def test_all_turns_together_find_whom_the_oracle_finds(p, distance, method, k, turns):
    X = rows(p)
    search = PartSearch.of(fit_distance(as_table(X), distance), extent_of(X), method)
    shares, arranged = zip(*(search.turn(X, k, 0, Turn(at, turns)) for at in range(turns)), strict=True)
    assert len(set(arranged)) == 1
    found = search.settled(search.joined(shares, k), k)
    distances = np.split(search.distances(found), found.start[1:-1])
    squared = distance == "euclidean"
    assert_ranking(told(found), distances, all_values(X, distance), k, exclude_self=True, ties="all", squared=squared)


def test_a_turn_looks_at_its_share_only():
    X = rows(3)
    by_leaves, by_tiles = (
        PartSearch.of(fit_distance(as_table(X)), extent_of(X), method) for method in ("tree", "brute")
    )
    answered = [np.count_nonzero(np.diff(by_leaves.turn(X, 1, 0, Turn(at, 4))[0].start)) for at in range(4)]
    assert 0 < max(answered) < N
    whole = by_tiles.settled(by_tiles.lists(None, X, 1, 0), 1)
    share = by_tiles.settled(by_tiles.turn(X, 1, 0, Turn(0, 4))[0], 1)
    assert not np.array_equal(whole.number, share.number)


def test_who_is_arranged_otherwise_is_told_apart():
    X = rows(13)
    paths = [PartSearch.of(fit_distance(as_table(X)), extent_of(X), method) for method in ("tree", "brute")]
    others = [X, X[::-1], X[:500]]
    arranged = {search.turn(each, 1, 0, Turn(0, 2))[1] for search in paths for each in others}
    assert len(arranged) == 6


@pytest.mark.parametrize(("n_points", "n_queries"), [(N, 70), (70, N)])
@pytest.mark.parametrize("p", [3, 13, 70])
def test_queries_may_lie_in_memory_where_the_points_do(p, n_points, n_queries):
    """Queries that begin where the points do were taken for the same rows, and memory beyond their end was read."""
    X = rows(p)
    search = PartSearch.of(fit_distance(as_table(X)), extent_of(X), "brute")
    found = search.settled(search.lists(X[:n_queries], X[:n_points], 5, 0), 5)
    distances = np.split(search.distances(found), found.start[1:-1])
    wanted = all_values(X, "euclidean")[:n_queries, :n_points]
    assert_ranking(told(found), distances, wanted, 5, exclude_self=False, ties="all", squared=True)


@pytest.mark.parametrize(("turn", "turns"), [(2, 2), (-1, 2), (0, 0)])
def test_turns_that_are_none(turn, turns):
    how = {"metric": "l2", "p": 2.0, "n_numeric": 0, "weights": np.ones(3), "tie": 0.0, "zero": 0.0}
    asked = {"points": rows(3), "k": 1, "method": "tiles", "threads": 1, "progress": None}
    with pytest.raises(ValueError, match="no such turn"):
        _native.search_turn(**asked, **how, turn=turn, turns=turns)


def test_lists_of_very_different_lengths_are_sorted_as_those_of_one_length():
    """A table of them would be mostly empty: they take another way, to the same answer."""
    rng = np.random.default_rng(0)
    search = PartSearch.of(fit_distance(as_table(rows(3))), extent_of(rows(3)))

    def lists(lengths: list[int], first: int) -> PartLists:
        start = np.concatenate([[0], np.cumsum(lengths)])
        values = [np.sort(rng.integers(0, 4, length).astype(float)) for length in lengths]
        return PartLists(start, first + np.arange(start[-1]), np.concatenate(values))

    for lengths in ([400] + [1] * 99, [5] * 100):
        one, other = lists(lengths, 0), lists(lengths, 10_000)
        found = search.joined([one, other], 10**6)
        for at in range(100):
            both = [
                (float(value), int(number))
                for each in (one.of(at, at + 1), other.of(at, at + 1))
                for number, value in zip(each.number, each.value, strict=True)
            ]
            mine = found.of(at, at + 1)
            assert list(zip(mine.value.tolist(), mine.number.tolist(), strict=True)) == sorted(both)
