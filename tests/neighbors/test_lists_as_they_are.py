"""Lists of rows of which none has a copy are handed out as the search found them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sepal
import sepal.neighbors._ranking as ranking_module
from sepal.neighbors import neighbor_ranking


@pytest.fixture
def spreads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many lists were made anew, call by call."""
    seen: list[int] = []
    whole = ranking_module.rows_of_lists

    def counted(lists: Any, copies: Any, list_of: Any, *rest: Any, **named: Any) -> Any:
        seen.append(len(list_of))
        return whole(lists, copies, list_of, *rest, **named)

    monkeypatch.setattr(ranking_module, "rows_of_lists", counted)
    return seen


def _by_loop(X: Any, k: int) -> list[list[int]]:
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    return [[j for j in np.lexsort((np.arange(len(X)), line)) if j != i][:k] for i, line in enumerate(squares)]


@pytest.mark.parametrize("ties", ["index", "expected"])
def test_rows_without_copies_and_ties(spreads: list[int], ties: Any) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    found = neighbor_ranking(X, 4, ties=ties)
    assert found.rows.tolist() == _by_loop(X, 4)
    assert found.flat_rows.dtype == np.intp
    asked = neighbor_ranking(X, 4, queries=X[5:9] + 1e-9, ties=ties)
    assert asked.rows[:, 0].tolist() == [5, 6, 7, 8]
    assert spreads == []


def test_copies_and_ties_at_the_last_place_are_spread(spreads: list[int]) -> None:
    rng = np.random.default_rng(1)
    copied = np.repeat(rng.normal(size=(10, 2)), 2, axis=0)
    assert neighbor_ranking(copied, 3).rows.tolist() == _by_loop(copied, 3)
    grid = np.stack(np.meshgrid(np.arange(4.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
    assert neighbor_ranking(grid, 3).rows.tolist() == _by_loop(grid, 3)
    assert spreads == [20, 20]


def test_a_ranking_does_not_share_memory_with_what_a_prepared_table_keeps() -> None:
    X = np.random.default_rng(2).normal(size=(40, 2))
    ready = sepal.prepare(X, np.repeat(["a", "b"], 20))
    kept = ready.ranking(3)
    found = kept.per_row(3, "index", np.arange(40))
    for name in ("start", "flat_rows", "flat_distances"):
        found[name][:] = -1
    again = kept.per_row(3, "index", np.arange(40))
    assert (again["flat_distances"] > 0).all()
    assert again["start"].tolist() == list(range(0, 121, 3))
