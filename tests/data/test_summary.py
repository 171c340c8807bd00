"""Summaries, pages of rows and planes against plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sepal
from sepal.data import as_table, plane, row_page, summarize
from sepal.exceptions import DataError, ParameterError


def histogram(cells, labels, classes, bins):
    """Counts by bin and class, as loops: a number on an edge belongs to the bin above, the highest to the last."""
    present = [(cell, label) for cell, label in zip(cells, labels, strict=True) if not math.isnan(cell)]
    low, high = min(c for c, _ in present), max(c for c, _ in present)
    edges = [low + (high - low) * i / bins for i in range(bins)] + [high]
    counts = [[0] * len(classes) for _ in range(bins)]
    for cell, label in present:
        at = max(i for i in range(bins) if edges[i] <= cell)
        counts[at][classes.index(label)] += 1
    return counts


@pytest.mark.parametrize("bins", [1, 2, 7, 20])
def test_histograms_by_class(rng, bins):
    values = rng.normal(size=(60, 2))
    values[3, 0] = np.nan
    y = rng.choice(["a", "b", "c"], 60)
    found = summarize(as_table(values, y), bins)
    for j, column in enumerate(found.columns):
        assert column.counts.tolist() == histogram(values[:, j].tolist(), y.tolist(), ["a", "b", "c"], bins)
        assert len(column.edges) == bins + 1
    assert [column.n_missing for column in found.columns] == [1, 0]
    assert found.class_counts.tolist() == [int(np.sum(y == c)) for c in "abc"]


def test_levels_by_class_and_columns_without_numbers():
    table = as_table([["u", None, 1.0], ["v", None, 1.0], ["u", None, 1.0]], ["n", "y", "y"])
    first, empty, constant = summarize(table).columns
    assert (first.levels, first.counts.tolist(), first.mean) == (("u", "v"), [[1, 1], [0, 1]], None)
    assert (empty.n_missing, empty.counts.shape[0] * empty.counts.size) == (3, 0)
    assert (constant.edges.tolist(), constant.counts.tolist()) == ([1.0, 1.0], [[1, 2]])
    target = summarize(as_table([[1.0], [2.0]], [0.5, 1.5]))
    assert (target.classes, target.columns[0].counts.sum()) == (None, 2)
    with pytest.raises(ParameterError, match="bins"):
        summarize(table, 0)


def test_rows_are_sorted_stably_with_missing_cells_last(rng):
    cells = rng.integers(0, 4, 50).astype(float)
    cells[[4, 30]] = np.nan
    table = as_table(cells[:, None], [str(i % 2) for i in range(50)], names=["a"])
    for descending in (False, True):
        present = sorted(
            (i for i in range(50) if not math.isnan(cells[i])), key=lambda i: (-cells[i] if descending else cells[i], i)
        )
        order = [*present, 4, 30]
        assert row_page(table, sort="a", descending=descending).row.tolist() == order
        part = row_page(table, 40, 20, sort="a", descending=descending)
        assert (part.row.tolist(), part.n_rows, part.start) == (order[40:], 50, 40)
    assert row_page(table, sort="target", rows=[3, 2, 1]).row.tolist() == [2, 3, 1]
    assert row_page(table, rows=[]).cells == ()


def test_principal_axes_are_those_of_the_covariance(rng):
    values = rng.normal(size=(80, 3)) @ np.diag([3.0, 2.0, 0.5]) @ rng.normal(size=(3, 3))
    found = plane(as_table(values, rng.choice(["a", "b"], 80)), scale=None)
    centered = values - values.mean(axis=0)
    lengths, axes = np.linalg.eigh(centered.T @ centered)
    for at in (0, 1):
        axis = axes[:, -1 - at]
        axis = axis * np.sign(axis[np.abs(axis).argmax()])
        np.testing.assert_allclose(found.points[:, at], centered @ axis, atol=1e-9)
    np.testing.assert_allclose(found.shares, lengths[::-1][:2] / lengths.sum())


def test_places_of_coincident_rows():
    found = plane(as_table([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [np.nan, 1.0]], ["a", "b", "a", "b"]), (0, 1))
    assert (found.rows.tolist(), found.group.tolist(), found.group_size.tolist()) == ([0, 1, 2], [0, 1, 0], [2, 1])
    np.testing.assert_allclose([found.low, found.high], [[-0.06, -0.12], [1.06, 2.12]])
    xs, ys, grid = found.grid(3)
    assert grid.values[1].tolist() == [xs[1], ys[0]]
    for wrong in ((0,), (0, 0), "ab", (0, 9)):
        with pytest.raises(ParameterError):
            plane(found.table, wrong)
    with pytest.raises(DataError, match="no row has a cell"):
        plane(as_table([[1.0, np.nan], [np.nan, 1.0]]), (0, 1))
    one = plane(as_table([[1.0], [2.0], [4.0]], ["a", "b", "a"]))
    assert one.points[:, 1].tolist() == [0.0, 0.0, 0.0]


def test_another_target_and_task():
    table = sepal.datasets.load("iris").with_target("petal_width")
    assert (table.names[-1], table.y.dtype.kind, table.n_columns) == ("class", "f", 4)
    assert table.with_target("class").y.tolist() == sepal.datasets.load("iris").y.tolist()
    whole = as_table([[1.0], [2.0]], [1, 2])
    assert whole.with_task("classify").y.tolist() == ["1", "2"]
    assert whole.with_task("regress").y.tolist() == [1.0, 2.0]
    with pytest.raises(DataError, match="no number"):
        sepal.datasets.load("iris").with_task("regress")
    with pytest.raises(ParameterError, match="task"):
        whole.with_task("guess")
    with pytest.raises(ParameterError, match="nothing"):
        whole.with_target("nothing")
