"""Cells as float64, row by row: whatever the type and the layout, as numpy copies them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sepal._native as _native
from sepal.data import as_table
from sepal.data._cell_copies import float_cells, float_columns
from sepal.data._threads import threads_by_default

TYPES = ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "u2", "u4", "u8", ">f8", ">i4", "g")
LAYOUTS = {
    "rows": lambda a: a,
    "columns": np.asfortranarray,
    "columns backwards": lambda a: np.asfortranarray(a[::-1, ::-1])[::-1, ::-1],
    "every second row of columns": lambda a: np.asfortranarray(np.repeat(a, 2, axis=0))[::2],
    "part of rows": lambda a: np.pad(a, 3)[3:-3, 3:-3],
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


@pytest.mark.parametrize("layout", ["rows", "columns", "columns backwards", "part of columns", "part of rows"])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 63, 64, 65, 167, 168])
def test_any_number_of_columns_about_that_of_a_cache_line(n, layout):
    for p in (*range(1, 34), 47, 48, 49):
        given = LAYOUTS[layout](_whole(n, p).astype(np.float64))
        np.testing.assert_array_equal(float_cells(given)[0], given)


@pytest.mark.parametrize("shape", [(64, 23), (65, 24), (65, 25), (3, 40), (1, 31), (5500, 193), (44_000, 24)])
@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "u1"])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_copy_may_begin_anywhere_in_a_cache_line_and_nothing_beside_it_is_written(shape, kind, threads):
    """Stores past the caches need whole lines: numpy's memory begins 16 bytes after the beginning of one."""
    given = np.asfortranarray(_whole(*shape).astype(kind))
    for shift in range(9):
        room = np.full(given.size + 17, -1.0)
        place = room[shift : shift + given.size].reshape(shape)
        assert _native.copy_cells(cells=given, to=place, threads=threads) == (True, True)
        np.testing.assert_array_equal(place, given)
        assert (room[:shift] == -1).all()
        assert (room[shift + given.size :] == -1).all()


@pytest.mark.parametrize("shape", [(1100, 1000), (5600, 191), (45_000, 25), (350_000, 3), (3, 400_000)])
@pytest.mark.parametrize("layout", ["rows", "columns", "part of columns", "part of rows", "backwards"])
def test_tables_larger_than_the_caches(shape, layout):
    given = LAYOUTS[layout](np.random.default_rng(6).normal(size=shape))
    cells, finite, exact = float_cells(given)
    assert cells.tobytes() == given.tobytes(order="C")
    assert finite
    assert exact


@pytest.mark.parametrize("shape", [(1100, 1000), (45_000, 25)])
@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "u8"])
def test_one_cell_among_many_is_seen(shape, kind):
    rng = np.random.default_rng(7)
    ends = [(0, 0), (0, shape[1] - 1), (shape[0] - 1, 0), (shape[0] - 1, shape[1] - 1)]
    given = np.zeros(shape, dtype=kind, order="F")
    for at in ends + [tuple(int(rng.integers(size)) for size in shape) for _ in range(12)]:
        given[at] = np.inf if kind[0] == "f" else 2**53 + 1
        assert float_cells(given)[1:] == ((False, True) if kind[0] == "f" else (True, False))
        given[at] = 0
    assert float_cells(given)[1:] == (True, True)


@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "i1", "u8"])
def test_a_frame_that_must_not_be_written_to_is_as_its_array(kind):
    whole = _whole(168, 49).astype(kind)
    block = np.asfortranarray(whole)
    block.setflags(write=False)
    frame = pd.DataFrame(block, copy=False)
    np.testing.assert_array_equal(as_table(frame).values, whole.astype(np.float64))
    np.testing.assert_array_equal(as_table(frame.iloc[::-1, ::-1]).values, whole[::-1, ::-1].astype(np.float64))
    np.testing.assert_array_equal(block, whole)


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
    for n, p in ((1, 1), (5, 9), (19, 16), (9, 25)):
        for at in np.ndindex(n, p):
            given = np.full((n, p), np.finfo(kind).max, dtype=kind, order=order)
            given[at] = bad
            assert float_cells(given)[1] is False
        assert float_cells(np.full((n, p), np.finfo(kind).max, dtype=kind, order=order))[1] is True


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("number", "exact"),
    [
        (2**53, True),
        (2**53 + 1, False),
        (-(2**53), True),
        (-(2**53) - 1, False),
        (2**63 - 1, False),
        (-(2**63), False),
        (2**63, False),
        (2**64 - 2**53, False),
        (2**64 - 1, False),
    ],
)
def test_whole_numbers_that_float64_rounds_are_seen(order, number, exact):
    for n, p in ((1, 1), (5, 9), (19, 16), (3, 25)):
        for at in np.ndindex(n, p):
            given = np.zeros((n, p), dtype=np.uint64 if number >= 2**63 else np.int64, order=order)
            given[at] = number
            cells, finite, found = float_cells(given)
            assert (found, finite, cells[at]) == (exact, True, float(number))


@pytest.mark.parametrize("kind", ["i8", "u8"])
def test_whole_numbers_of_every_size_keep_their_value(kind):
    """Those below 2^51 are converted in another way than the others, a piece of a column at a time."""
    sizes = [each + more for power in range(1, 63) for each in (2**power,) for more in (-1, 0, 1)]
    numbers = np.array(sizes if kind == "u8" else [*sizes, *(-each for each in sizes)], dtype=kind)
    for shift in range(0, len(numbers), 7):
        given = np.asfortranarray(np.stack([np.roll(numbers, shift), np.sort(numbers)] * 14, axis=1))
        cells, finite, _ = float_cells(given)
        assert finite
        np.testing.assert_array_equal(cells, given.astype(np.float64))


@pytest.mark.parametrize("kind", ["i8", "u8"])
def test_a_table_notes_what_was_rounded(kind):
    given = np.array([[1, 2], [3, 2**53 + 1]], dtype=kind)
    assert any("2^53" in note for note in as_table(given).notes)
    assert not any("2^53" in note for note in as_table(given - given // 2).notes)


def _in_turn(n: int, p: int) -> list[np.ndarray]:
    """Columns of every type and layout in turn, each of them by itself."""
    whole, layouts = (
        _whole(n, p),
        [lambda a: a, lambda a: a[::-1].copy()[::-1], lambda a: np.repeat(a, 3)[::3], _shifted],
    )
    return [layouts[j % 5 % 4](whole[:, j].astype(TYPES[j % len(TYPES)])) for j in range(p)]


@pytest.mark.parametrize("n", [0, 1, 7, 8, 63, 64, 65, 200])
@pytest.mark.parametrize("p", [1, 2, 15, 16, 17, 23, 24, 25, 31, 32, 33, 64, 71])
def test_columns_of_every_type_as_numpy_copies_each(n, p):
    columns = _in_turn(n, p)
    cells, finite, _ = float_columns(columns)
    np.testing.assert_array_equal(cells, np.column_stack([column.astype(np.float64) for column in columns]))
    assert cells.flags.c_contiguous
    assert finite


@pytest.mark.parametrize("shape", [(1201, 333), (45_000, 25), (70_000, 16), (9000, 120)])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_many_columns_of_several_types_on_any_number_of_threads(shape, n_jobs):
    columns = _in_turn(*shape)
    with threads_by_default(n_jobs):
        cells = float_columns(columns)[0]
    np.testing.assert_array_equal(cells, np.column_stack([column.astype(np.float64) for column in columns]))


@pytest.mark.parametrize("shape", [(65, 24), (65, 25), (3, 40), (1, 31), (5500, 193)])
def test_a_copy_of_columns_may_begin_anywhere_and_nothing_beside_it_is_written(shape):
    whole = _whole(*shape)
    columns = [whole[:, j].astype(("f8", "i4", "u1")[j % 3]) for j in range(shape[1])]
    for shift in range(9):
        room = np.full(whole.size + 17, -1.0)
        place = room[shift : shift + whole.size].reshape(shape)
        assert _native.copy_columns(columns=columns, to=place, threads=2) == (True, True)
        np.testing.assert_array_equal(place, whole)
        assert (room[:shift] == -1).all()
        assert (room[shift + whole.size :] == -1).all()


@pytest.mark.parametrize("p", [3, 24, 41])
@pytest.mark.parametrize(
    ("kind", "bad", "facts"),
    [("f8", np.nan, (False, True)), ("i8", 2**53 + 1, (True, False)), (">i8", 2**53 + 1, (True, False))],
)
def test_one_cell_of_one_column_is_seen_wherever_it_stands(p, kind, bad, facts):
    for at in np.ndindex(70, p):
        columns = [np.zeros(70, dtype=("f8", "i8", "i2")[j % 3]) for j in range(p)]
        columns[at[1]] = np.zeros(70, dtype=kind)
        columns[at[1]][at[0]] = bad
        assert float_columns(columns)[1:] == facts


@pytest.mark.parametrize("columns", [[np.zeros(3)], [np.zeros(3), np.zeros(2)], [np.zeros(3), np.zeros(3, dtype="f2")]])
def test_columns_that_do_not_fit_the_copy_are_refused(columns):
    with pytest.raises(ValueError, match="column"):
        _native.copy_columns(columns=columns, to=np.empty((3, 2)), threads=1)
