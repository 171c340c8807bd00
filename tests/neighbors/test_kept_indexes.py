"""Indexes of approximate searches are kept for the next who asks: once made, never stale, and no more than fit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sepal.data import as_table
from sepal.distances import fit_distance
from sepal.neighbors import KEPT_INDEXES, PartSearch, extent_of
from sepal.neighbors._cells import CellIndex


@pytest.fixture
def rows():
    return np.random.default_rng(3).normal(size=(2000, 4))


@pytest.fixture
def made(monkeypatch):
    """How many points each index was made of."""
    KEPT_INDEXES.forget()
    sizes, of = [], CellIndex.of.__func__

    def counted(cls, points, threads):
        sizes.append(len(points))
        return of(cls, points, threads)

    monkeypatch.setattr(CellIndex, "of", classmethod(counted))
    yield sizes
    KEPT_INDEXES.forget()


def _asked(points, queries, k=3):
    search = PartSearch.of(fit_distance(as_table(points), scale=None), extent_of(points), "approximate")
    return search.lists(queries, points, k, 0)


def test_who_asks_again_makes_no_other_index(rows, made):
    """Every search of a block indexed it anew, so that approximate searches took longer than exact ones."""
    first = _asked(rows, rows[:7])
    for queries, k in ((rows[:7], 3), (rows[5:90], 3), (rows[:7], 8), (None, 2)):
        _asked(rows.copy(), queries, k)
    assert made == [2000]
    KEPT_INDEXES.forget()
    again = _asked(rows, rows[:7])
    assert made == [2000, 2000]
    np.testing.assert_array_equal(first.number, again.number)
    np.testing.assert_array_equal(first.value, again.value)


def test_other_points_are_never_answered_from_it(rows, made):
    """The same array with another content, the same content in another order, the same bytes in another shape."""
    _asked(rows, rows[:5])
    moved = rows.copy()
    moved[0] = moved[1] = 50.0
    found = _asked(moved, moved[:1], 2)
    assert sorted(found.number[:2].tolist()) == [0, 1]
    np.testing.assert_array_equal(found.value[:2], [0.0, 0.0])
    rows[:] = rows[::-1].copy()  # in place
    nearest = _asked(rows, rows[:1], 1)
    assert nearest.number[0] == 0
    _asked(rows.reshape(4000, 2), rows.reshape(4000, 2)[:1])
    assert made == [2000, 2000, 2000, 4000]


def test_those_used_longest_ago_go_where_they_do_not_fit(rows, made, monkeypatch):
    parts = [rows[at : at + 500] for at in range(0, 2000, 500)]
    one = CellIndex.of(parts[0], 1).nbytes
    monkeypatch.setattr("sepal.neighbors._cells.INDEXES_KEPT", 2 * one)
    made.clear()
    for at in (0, 1, 0, 2, 0, 1):  # when the third comes, the second was used longest ago
        _asked(parts[at], rows[:2])
    assert made == [500] * 4
    monkeypatch.setattr("sepal.neighbors._cells.INDEXES_KEPT", one - 1)
    for _ in range(2):
        _asked(parts[3], rows[:2])
    assert made == [500] * 6


def test_threads_that_ask_at_a_time_wait_for_one_index(rows, made):
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: _asked(rows, rows[:20]), range(8)))
    assert made == [2000]
    for each in found[1:]:
        np.testing.assert_array_equal(each.number, found[0].number)


def test_an_index_that_fails_is_made_again(rows, made, monkeypatch):
    def broken(self, points):
        raise MemoryError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(CellIndex, "chosen", broken)
        with pytest.raises(MemoryError):
            _asked(rows, rows[:2])
    assert _asked(rows, rows[:1], 1).number[0] == 0
    assert made == [2000, 2000]
