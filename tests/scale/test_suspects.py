"""Suspects among rows of a sample are those that the plain function finds where the same rows ask."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sepal
from sepal.measures import suspects
from sepal.report import partitions_report
from sepal.scale import ask_partitions, fit_parts, partitioned, suspects_asked
from tests.scale.frames import frame

HOW = {"distance": "auto", "scale": "minmax", "missing": "distance", "random_state": 0, "n_jobs": 1}


@pytest.mark.parametrize(("kind", "k"), [("real", 5), ("mixed", 5), ("whole", 5), ("real", 2)])
def test_they_are_those_of_one_table(kind, k, cut, here):
    table = frame(kind)
    whole = sepal.prepare(table.drop(columns="class"), table["class"])
    fitted = fit_parts(partitioned(cut(table, [200, 450, 250]), "class"), here)
    _, asked = ask_partitions(fitted, 200, 0.95, 3, None, depth=k)
    told = suspects_asked(fitted.schema, here, asked, k, ())
    found, wanted = told.found, suspects(replace(whole, asking=asked.drawn.rows), n_neighbors=k)
    assert len(wanted.rows) > 10
    assert {each.row for each in found.rows} == {each.row for each in wanted.rows}
    by_row = {each.row: each for each in wanted.rows}
    for each in found.rows:
        other = by_row[each.row]
        assert (each.label, each.voted, each.mutual) == (other.label, other.voted, other.mutual)
        assert (each.own_share, each.voted_share) == pytest.approx((other.own_share, other.voted_share), abs=1e-12)
        assert each.margin == pytest.approx(other.margin, abs=1e-12, nan_ok=True)
        if kind != "whole":  # equal rows of one class are one entry
            assert each.neighbors == other.neighbors
            assert each.neighbor_labels == other.neighbor_labels
            assert each.neighbor_distances == pytest.approx(other.neighbor_distances, rel=1e-12)
    if kind != "whole":
        assert [each.row for each in found.rows] == [each.row for each in wanted.rows]
        assert [each.rows for each in found.near_duplicates] == [each.rows for each in wanted.near_duplicates]
        assert found.usual_distance == pytest.approx(wanted.usual_distance, rel=1e-12)
    cells = table.drop(columns="class").iloc[told.rows]["x0"].to_numpy()
    assert np.array_equal(told.cells.values[:, 0], cells)


@pytest.mark.parametrize("exact", [True, False])
def test_the_report_lists_rows_that_asked_all(exact, cut, monkeypatch):
    """Suspects of the report were judged within its sample, not by all rows."""
    monkeypatch.setattr("sepal.report._partitions.TOGETHER", 100)
    monkeypatch.setattr("sepal.report._partitions.ASKED_OF_ALL", 60)
    table = frame("real", 400)
    source = partitioned(cut(table, [150, 250]), "class")
    found = partitions_report(
        source, **HOW, exact=exact or None, n_queries=None if exact else 80, time_limit=None, progress=None
    )
    n_asked = 60 if exact else 80
    assert (found.suspects.n_checked, found.suspects.n_rows) == (n_asked, 400)
    whole = sepal.prepare(table.drop(columns="class"), table["class"])
    wanted = {each.row: each for each in suspects(whole).rows}
    assert len(found.suspects.rows) > 5
    for each in found.suspects.rows:
        assert each.neighbors == wanted[each.row].neighbors
    assert f"the suspects (of {n_asked} rows that asked all)" in " ".join(found.to_text(200).split())
    assert [each.row for each in found.beside] == [each.row for each in found.suspects.rows[:20]]
    row, column = found.suspects.rows[0].row, found.beside[0].columns[0]
    assert column.own == table[column.name].iloc[row]
