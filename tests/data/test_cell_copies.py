"""Cells as float64, row by row: whatever the type and the layout, as numpy copies them."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.data import as_table
from sepal.data._cell_copies import float_cells
from sepal.data._threads import threads_by_default

TYPES = ("f8", "f4", "f2", "i8", "i4", "i2", "u1", "u8", ">f8", ">i4", "g")
LAYOUTS = {
    "rows": lambda a: a,
    "columns": np.asfortranarray,
    "every second row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "every second column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "backwards": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "part of columns": lambda a: np.asfortranarray(np.pad(a, 3))[3:-3, 3:-3],
    "no step": lambda a: np.broadcast_to(a[:1], a.shape),
    "not aligned": lambda a: _shifted(a),
}


def _shifted(a: np.ndarray) -> np.ndarray:
    """The same cells, one byte after where they should lie."""
    room = np.zeros(a.nbytes + 1, dtype=np.uint8)
    room[1:] = np.frombuffer(np.ascontiguousarray(a).tobytes(), dtype=np.uint8)
    return np.frombuffer(room.data, dtype=a.dtype, count=a.size, offset=1).reshape(a.shape)


def _whole(n: int, p: int) -> np.ndarray:
    return np.random.default_rng(n * p).integers(0, 120, size=(n, p))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (67, 8), (70, 9), (5000, 3)])
def test_every_type_and_layout_as_numpy_copies_it(kind, layout, shape):
    given = LAYOUTS[layout](_whole(*shape).astype(kind))
    cells, finite, _ = float_cells(given)
    assert cells.flags.c_contiguous
    assert cells.dtype == np.float64
    assert not np.shares_memory(cells, given)
    np.testing.assert_array_equal(cells, given.astype(np.float64))
    assert finite


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_large_tables_are_the_same_on_any_number_of_threads(order, n_jobs):
    given = np.array(np.random.default_rng(5).normal(size=(1201, 333)), order=order)
    with threads_by_default(n_jobs):
        cells, finite, exact = float_cells(given)
    np.testing.assert_array_equal(cells, given)
    assert finite
    assert exact


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["f8", "f4"])
@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf])
def test_one_cell_that_is_not_finite_is_seen_wherever_it_stands(order, kind, bad):
    for n, p in ((1, 1), (5, 9), (19, 16)):
        for at in np.ndindex(n, p):
            given = np.full((n, p), np.finfo(kind).max, dtype=kind, order=order)
            given[at] = bad
            assert float_cells(given)[1] is False
        assert float_cells(np.full((n, p), np.finfo(kind).max, dtype=kind, order=order))[1] is True


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("number", "exact"),
    [(2**53, True), (2**53 + 1, False), (-(2**53), True), (-(2**53) - 1, False), (2**63 - 1, False), (-(2**63), False)],
)
def test_whole_numbers_that_float64_rounds_are_seen(order, number, exact):
    for n, p in ((1, 1), (5, 9), (19, 16)):
        for at in np.ndindex(n, p):
            given = np.zeros((n, p), dtype=np.int64, order=order)
            given[at] = number
            cells, finite, found = float_cells(given)
            assert (found, finite, cells[at]) == (exact, True, float(number))


@pytest.mark.parametrize("kind", ["i8", "u8"])
def test_a_table_notes_what_was_rounded(kind):
    given = np.array([[1, 2], [3, 2**53 + 1]], dtype=kind)
    assert any("2^53" in note for note in as_table(given).notes)
    assert not any("2^53" in note for note in as_table(given - given // 2).notes)
