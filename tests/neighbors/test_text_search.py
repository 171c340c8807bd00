"""Neighbours of rows with texts, alone and beside other columns, against loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sepal.data import Table, TextOptions, as_table
from sepal.distances import fit_text_distance
from sepal.exceptions import ParameterError
from sepal.neighbors import MixedSearch, TextSearch, prepare_search
from tests.oracles import text as oracle

WORDS = ["win", "prize", "now", "call", "free", "river", "day", "quiet", "home", "soon", "the", "a"]
OPTIONS = TextOptions()


def drawn(n: int, seed: int = 0) -> tuple[list[str | None], list[str | None], list[float], list[str]]:
    """Texts of few words, with copies, empty and missing ones; numbers with gaps; names."""
    random = np.random.default_rng(seed)
    first: list[str | None] = [" ".join(random.choice(WORDS, random.integers(0, 6))) for _ in range(n)]
    first[3], first[4], first[5] = first[2], None, None
    second: list[str | None] = [" ".join(random.choice(WORDS[:4], 2)) for _ in range(n)]
    numbers = random.integers(0, 5, n).astype(float)
    numbers[[1, 6]] = np.nan
    numbers[3] = numbers[2]
    colours = random.choice(["red", "green"], n).tolist()
    second[3], colours[3] = second[2], colours[2]
    return first, second, numbers.tolist(), colours


def tables(kind: str, n: int = 30, seed: int = 0) -> Table:
    first, second, numbers, colours = drawn(n, seed)
    cells = {"text": [first], "texts": [first, second], "mixed": [first, numbers, colours, second]}[kind]
    kinds = {"text": ["text"], "texts": ["text", "text"], "mixed": ["text", "numeric", "nominal", "text"]}[kind]
    return as_table([list(row) for row in zip(*cells, strict=True)], kinds=kinds)


def expected(kind: str, table: Table, n_training: int, weights: Any = None) -> NDArray[np.float64]:
    """All distances from every row of a table to its first ``n_training`` rows, which were the training rows."""
    texts = [j for j, each in enumerate(table.kinds) if each == "text"]
    cells = [[_cell(table, i, j) for j in range(table.n_columns)] for i in range(table.n_rows)]
    rows = {}
    for j in texts:
        units = [oracle.words(row[j] or "") for row in cells]
        rows[j] = [oracle.weighed(each, units[:n_training], "log", True) for each in units]
    others = [j for j in range(table.n_columns) if j not in texts]
    w = np.ones(table.n_columns) if weights is None else np.asarray(weights)
    found = np.zeros((table.n_rows, n_training))
    for i in range(table.n_rows):
        for k in range(n_training):
            if kind == "text":
                found[i, k] = oracle.cosine(rows[0][i], rows[0][k])
                continue
            pairs = [(rows[j][i], rows[j][k]) for j in texts]
            plain = [(table.values[i, j], table.values[k, j]) for j in others]
            reach = [
                np.nanmax(table.values[:n_training, j]) - np.nanmin(table.values[:n_training, j])
                if table.kinds[j] == "numeric"
                else None
                for j in others
            ]
            found[i, k] = oracle.mixed(pairs, plain, reach, [*w[texts], *w[others]])
    return found


def _cell(table: Table, i: int, j: int) -> Any:
    code = table.values[i, j]
    return None if np.isnan(code) else (table.levels[j] or {}).__getitem__(int(code)) if table.levels[j] else code


@pytest.mark.parametrize("kind", ["text", "texts", "mixed"])
@pytest.mark.parametrize("k", [1, 4])
def test_neighbours_of_training_rows(kind: str, k: int) -> None:
    table = tables(kind)
    search = prepare_search(table, distance="auto", scale="minmax")
    assert isinstance(search, TextSearch if kind == "text" else MixedSearch)
    wanted = expected(kind, table, table.n_rows)
    np.fill_diagonal(wanted, np.inf)
    ranking = search.distinct_ranking(k)
    number = search.copies.of_row.number
    for row in range(table.n_rows):
        begin, end = ranking.start[number[row]], ranking.start[number[row] + 1]
        entries, distances = ranking.entries.number[begin:end], ranking.distances[begin:end]
        listed = {int(e): d for e, d in zip(entries, distances, strict=True)}
        near = {}
        for other in range(table.n_rows):
            if other != row:
                near[int(number[other])] = wanted[row, other]
        own = {e: d for e, d in near.items() if e == number[row]}
        others = sorted(d for e, d in near.items() if e != number[row])
        limit = others[min(k, len(others)) - 1]
        for entry, distance in near.items():
            if entry in listed:
                assert listed[entry] == pytest.approx(distance, abs=1e-12)
            else:
                assert distance > limit - 1e-9
        assert set(own) <= set(listed)


@pytest.mark.parametrize("kind", ["text", "texts", "mixed"])
def test_neighbours_of_new_rows(kind: str) -> None:
    table = tables(kind, 40, seed=1)
    search = prepare_search(table.take(np.arange(25)), distance="auto", scale="minmax")
    wanted = expected(kind, table, 25)[25:]
    ranking = search.query_ranking(table.take(np.arange(25, 40)), 25)
    first = search.copies.first
    for query in range(15):
        at = slice(ranking.start[query], ranking.start[query + 1])
        rows = first[ranking.entries.number[at]]
        assert ranking.distances[at] == pytest.approx(wanted[query, rows], abs=1e-12)
        assert len(rows) == search.copies.n_distinct
    radius = np.full(15, 0.8)
    within = search.within(radius, table.take(np.arange(25, 40)))
    counts = (wanted[:, first] <= 0.8 + 1e-12).sum(axis=1)
    assert np.diff(within.start).tolist() == counts.tolist()


@pytest.mark.parametrize("weights", [[2.0, 0.5, 1.0, 0.25], [1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 2.0, 0.0]])
def test_a_part_of_the_rows_and_weights(weights: list[float]) -> None:
    """Where all columns beside the texts had weight 0, each counted once."""
    table = tables("mixed")
    search = prepare_search(table, distance="heom", distance_params={"weights": weights}, scale="minmax")
    wanted = expected("mixed", table, table.n_rows, weights)
    among, asking = np.arange(0, 20), np.arange(20, 30)
    found = search.nearest_distance(among, asking)
    assert found == pytest.approx(wanted[asking][:, among].min(axis=1), abs=1e-12)
    alone = wanted[:20, :20].copy()
    np.fill_diagonal(alone, np.inf)
    assert search.nearest_distance(among, among) == pytest.approx(alone.min(axis=1), abs=1e-12)


def test_parts_add_up_and_words_are_named() -> None:
    table = as_table(
        [["red wine tonight", 1.0], ["white wine tonight", 3.0], ["no beer", 2.0]], kinds=["text", "numeric"]
    )
    fitted = fit_text_distance(table, scale="minmax")
    wanted = expected("mixed", table, 3)
    parts = fitted.parts(table.take([0, 0]), table.take([1, 2]))
    assert np.sqrt(parts.sum(axis=1)) == pytest.approx(wanted[0, 1:], abs=1e-12)
    shared, none = fitted.shared_words(table.take([0, 0]), table.take([1, 2]))
    assert none == []
    assert [(column, word) for column, word, _ in shared] == [("x1", "tonight"), ("x1", "wine")]
    assert sum(share for *_, share in shared) == pytest.approx(1.0 - parts[0, 0], abs=1e-12)


def test_other_distances_know_no_texts() -> None:
    with pytest.raises(ParameterError, match=r"distance must be auto or heom where column 'x1' holds texts"):
        prepare_search(tables("mixed"), distance="manhattan")
    with pytest.raises(ParameterError, match="cannot search texts"):
        prepare_search(tables("text"), distance="auto", method="tree")
