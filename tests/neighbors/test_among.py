"""A search over some of the rows: copies of which the first is not among them, in any order, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from sepal.data import as_rows, as_table
from sepal.neighbors import Copies, DistinctRows, prepare_search
from tests.oracles.neighbors import ranking, squared_euclidean_by_column


def some_rows(rng, n):
    """Some of n rows, in any order."""
    return rng.permutation(n)[: int(rng.integers(3, n))]


def searched(X, sparse):
    rows = as_rows(csr_array(X)) if sparse else as_table(X)
    return prepare_search(rows, distance="euclidean", scale=None, n_jobs=1)


def split(lists):
    ends = lists["start"][1:-1]
    return [each.tolist() for each in np.split(lists["flat_rows"], ends)]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("ties", ["index", "expected"])
def test_neighbours_among_some_rows(sparse, ties, rng):
    """Where the first copy of a row was not among them, numbers of distinct rows were mistaken for rows."""
    for _ in range(40):
        n = int(rng.integers(5, 14))
        X = rng.integers(0, 3, size=(n, int(rng.integers(1, 3)))).astype(float)
        kept = some_rows(rng, n)
        if rng.random() < 0.3:  # a part of a part
            search = searched(X, sparse).among(kept)
            again = some_rows(rng, len(kept)) if len(kept) > 3 else np.arange(len(kept))
            search, kept = search.among(again), kept[again]
        else:
            search = searched(X, sparse).among(kept)
        queries = rng.integers(0, 3, size=(4, X.shape[1])).astype(float)
        k = int(rng.integers(1, len(kept)))
        options = {"ties": {"index": "index", "expected": "all"}[ties], "tolerance": 0.0, "squared": True}
        for asked, exclude in ((X[kept], True), (queries, False)):
            D = squared_euclidean_by_column(asked, X[kept])
            wanted = [[each.row for each in one] for one in ranking(D, k, exclude_self=exclude, **options)]
            if exclude:
                found = search.distinct_ranking(k).per_row(k, ties, np.arange(len(kept)))
            else:
                new = as_rows(csr_array(asked)) if sparse else as_table(asked)
                found = search.query_ranking(new, k).per_row(k, ties, None)
            assert split(found) == wanted
        asking = some_rows(rng, len(kept)) if len(kept) > 3 else np.arange(len(kept))
        found = split(search.distinct_ranking(k, rows=asking).per_row(k, ties, asking))
        wanted = ranking(squared_euclidean_by_column(X[kept], X[kept]), k, exclude_self=True, **options)
        assert found == [[each.row for each in wanted[i]] for i in asking]


def test_distinct_rows_are_numbered_by_their_lowest_row(rng):
    for _ in range(50):
        key = rng.integers(0, 6, size=int(rng.integers(1, 15)))
        copies = Copies.by_key(key)
        seen: list[int] = []
        for value in key.tolist():
            if value not in seen:
                seen.append(value)
        assert copies.of_row.number.tolist() == [seen.index(value) for value in key.tolist()]
        assert copies.first.tolist() == [key.tolist().index(value) for value in seen]
        assert copies.count.tolist() == [key.tolist().count(value) for value in seen]
        assert copies.fits_together()
        rows = rng.permutation(len(key))[: int(rng.integers(1, len(key) + 1))]
        left, part = copies.among(rows)
        assert part.fits_together()
        assert key[copies.first_rows(left)].tolist() == key[rows][part.first].tolist()


def test_numbers_of_distinct_rows_index_no_rows():
    """They were plain integers, with which rows were indexed by mistake."""
    codes = np.array([0, 1, 1])
    with pytest.raises(IndexError):
        codes[DistinctRows(np.array([0, 1], dtype=np.int32))]  # type: ignore[call-overload]
    number = DistinctRows(np.array([1, 0], dtype=np.int32))  # not by their lowest rows
    assert not Copies(number, np.array([1, 0], dtype=np.int32), np.array([1, 1])).fits_together()
