"""Answers of partitions are those of one table, to the last bit, here and on a cluster."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import sepal
from sepal.exceptions import DataError, ParameterError
from sepal.measures import angle_of_separability, hypothesis_margin, suspects
from sepal.neighbors import PartLists, Turn
from sepal.scale import fit_parts, partitioned, partitions_loo_curve, prepare_blocks, prepare_partitions
from sepal.scale._blocks import meet
from sepal.scale._meetings import Cut
from tests.scale.frames import frame

KINDS = ("real", "whole", "mixed")


def equal(found, wanted) -> None:
    """All but by which path neighbours were found, and the plan, which one table has none of."""
    for each in fields(wanted):
        if each.name in ("method", "plan"):
            continue
        a, b = getattr(found, each.name), getattr(wanted, each.name)
        same = np.array_equal(a, b, equal_nan=True) if isinstance(b, np.ndarray) else a == b
        assert same, (each.name, a, b)


@pytest.fixture(params=[Cut(3), Cut(0, 3), None], ids=str)
def way(request, monkeypatch):
    """Whether rows ask each other in tasks of several pieces, by turns, or blocks ask blocks."""
    monkeypatch.setattr("sepal.scale._search.best_cut", lambda *_: request.param)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [[900], [300, 10, 590], [1] * 20 + [440] * 2])
def test_rankings_do_not_depend_on_partitions(kind, sizes, cut, here, way):
    table = frame(kind)
    whole = sepal.prepare(table.drop(columns="class"), table["class"])
    ready = prepare_blocks(fit_parts(partitioned(cut(table, sizes)), here), rows_in_block=250)
    for k in (1, 2, 7, 60):
        found, wanted = ready.ranking(k), whole.ranking(k)
        assert np.array_equal(found.start, wanted.start)
        assert np.array_equal(found.entries.number, wanted.entries.number)
        assert np.array_equal(found.distances, wanted.distances)


def test_workers_that_share_rows_out_differently_lose_no_pair(cut, here, monkeypatch):
    """One that arranges rows in another way may leave out what its turn is to others: the line is done again, whole."""

    def differently(search, pieces, k, threads, turn, progress):
        lists, arrangement = meet(search, pieces, k, threads, turn, progress)
        odd = turn == Turn(1, 2)
        return (PartLists.empty(len(lists.start) - 1), arrangement + 1) if odd else (lists, arrangement)

    monkeypatch.setattr("sepal.scale._search.best_cut", lambda *_: Cut(2, 2))
    monkeypatch.setattr("sepal.scale._search.meet", differently)
    table = frame("real")
    whole = sepal.prepare(table.drop(columns="class"), table["class"])
    ready = prepare_blocks(fit_parts(partitioned(cut(table, [900])), here))
    found, wanted = ready.ranking(3), whole.ranking(3)
    assert np.array_equal(found.entries.number, wanted.entries.number)
    assert np.array_equal(found.distances, wanted.distances)


@pytest.mark.parametrize("kind", KINDS)
def test_measures_are_those_of_one_table(kind, cut, there, way):
    table = frame(kind)
    whole = sepal.prepare(table.drop(columns="class"), table["class"])
    ready = prepare_blocks(fit_parts(partitioned(cut(table, [200, 450, 250], "parquet")), there), rows_in_block=300)
    equal(sepal.thornton_test(ready, n_permutations=50), sepal.thornton_test(whole, n_permutations=50))
    equal(suspects(ready), suspects(whole))
    assert sepal.expected_accuracy(ready, train_size=0.5) == sepal.expected_accuracy(whole, train_size=0.5)
    assert np.array_equal(hypothesis_margin(ready), hypothesis_margin(whole), equal_nan=True)
    curve, wanted = partitions_loo_curve(ready, 30), sepal.leave_one_out_curve(whole, k_max=30, groups="rows")
    equal(curve, wanted)


def test_votes_that_nothing_else_decides_go_by_where_classes_lie(tmp_path, here):
    tmp_path.joinpath("a.csv").write_text("x,class\n0,a\n1,a\n")
    tmp_path.joinpath("b.csv").write_text("x,class\n1,b\n2,b\n")
    table = sepal.read_table(_joined(tmp_path))
    ready = prepare_blocks(fit_parts(partitioned(f"{tmp_path}/?.csv"), here), rows_in_block=2)
    equal(partitions_loo_curve(ready, 3), sepal.leave_one_out_curve(table, k_max=3, groups="rows"))


def _joined(folder):
    lines = [path.read_text().splitlines() for path in sorted(folder.glob("?.csv"))]
    path = folder / "all.txt"
    path.write_text("\n".join([lines[0][0], *(line for each in lines for line in each[1:])]))
    return path


@pytest.mark.parametrize("distance", ["manhattan", "cosine", "gower", "hamming", "chebyshev"])
def test_distances_are_fitted_to_all_partitions(distance, cut, here):
    table = frame("mixed" if distance in ("gower", "hamming") else "real", 300)
    whole = sepal.prepare(table.drop(columns="class"), table["class"], distance=distance)
    source = partitioned(cut(table, [100, 200]))
    ready = prepare_blocks(fit_parts(source, here, distance=distance), rows_in_block=100)
    assert np.array_equal(ready.ranking(3).distances, whole.ranking(3).distances)


def test_standard_scaling_is_that_of_all_rows(cut, here):
    table = frame("real", 400)
    table["x0"] += 1e6
    whole = sepal.prepare(table.drop(columns="class"), table["class"], scale="standard")
    found = []
    for sizes in ([400], [150, 250]):
        fitted = fit_parts(partitioned(cut(table, sizes)), here, scale="standard").distance.scaling
        np.testing.assert_allclose(fitted.offset, whole.search.fitted.scaling.offset, rtol=1e-12)
        np.testing.assert_allclose(fitted.divisor, whole.search.fitted.scaling.divisor, rtol=1e-9)
        found.append(fitted)
    assert np.array_equal(found[0].offset, found[1].offset)
    assert np.array_equal(found[0].divisor, found[1].divisor)


def test_incomplete_rows_are_dropped_everywhere(cut, here):
    table = frame("mixed", 300)
    whole = sepal.prepare(table.drop(columns="class"), table["class"], missing="drop")
    given = fit_parts(partitioned(cut(table, [100, 200])), here, missing="drop")
    ready = prepare_blocks(given, rows_in_block=100)
    assert sepal.thornton_score(ready) == sepal.thornton_score(whole)
    assert ready.notes[0] == whole.notes[0]
    label, row = given.schema.place(86)
    assert label.endswith("part-001.csv")
    assert row == whole.rows[86] - 100


def test_what_needs_all_rows_is_refused(cut, here):
    source = cut(frame("real", 100), [50, 50])
    ready = prepare_partitions(source, n_jobs=1)
    with pytest.raises(DataError, match="partitions"):
        angle_of_separability(ready)
    with pytest.raises(ParameterError, match="hvdm"):
        prepare_partitions(source, distance="hvdm")
