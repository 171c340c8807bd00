"""Samples of rows that keep the shares of the classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data._content_order import rows_by_content
from sepal.data._convert import as_table
from sepal.data._summary import coded_target
from sepal.data._table import Table
from sepal.parameters import Parameter, RandomState, checked, generator


def draw_by_class(
    order: NDArray[np.intp],
    codes: NDArray[Any],
    wanted: Callable[[int], int],
    rng: np.random.Generator | np.random.RandomState,
) -> NDArray[np.intp]:
    """Of the rows in ``order`` so many of each class as ``wanted`` says of its number of rows; sorted.

    Give an order by content (:func:`rows_by_content`): then a seed draws the same rows however they were shuffled.

    Examples
    --------
    >>> codes = np.array([0] * 8 + [1] * 2)
    >>> np.bincount(codes[draw_by_class(np.arange(10), codes, lambda n: n // 2, np.random.default_rng(0))]).tolist()
    [4, 1]
    """
    inside = [order[codes[order] == code] for code in np.unique(codes[order])]
    return np.sort(np.concatenate([rng.choice(rows, size=wanted(len(rows)), replace=False) for rows in inside]))


def sample_by_class(
    order: NDArray[np.intp],
    codes: NDArray[Any],
    n_rows: int,
    rng: np.random.Generator | np.random.RandomState,
) -> NDArray[np.intp]:
    """Rows of each class by its share, at least two where there are two; drawn by their place in ``order``, sorted.

    Examples
    --------
    >>> codes = np.array([0] * 8 + [1] * 2)
    >>> sample_by_class(np.arange(10), codes, 5, np.random.default_rng(0)).tolist()[-2:]
    [8, 9]
    """
    return draw_by_class(order, codes, lambda n: min(n, max(2, round(n * n_rows / len(codes)))), rng)


@checked(Parameter("n_rows", "whole", "how many rows", at_least=2))
def sampled(table: Any, n_rows: int, *, random_state: RandomState = 0) -> Table:
    """A random sample of the rows, in their order, each class by its share; the table itself if it has no more rows.

    Parameters
    ----------
    table : Table, ndarray, data frame, or what :func:`sepal.prepare` made of them
        The rows, with or without classes.
    n_rows : int
        How many rows; of a class with few rows two stay where there are two, so that there may be some more.
    random_state : int, Generator or None
        Another one draws other rows. Rows are drawn by what is in them: shuffling the table changes nothing.

    Returns
    -------
    Table
        With a note of how many rows there were.

    Examples
    --------
    >>> import sepal.datasets
    >>> some = sampled(sepal.datasets.load("iris"), 30)
    >>> some.n_rows, some.notes[-1]
    (30, 'a random sample of 30 of 150 rows')
    """
    whole = as_table(table)
    if n_rows >= whole.n_rows:
        return whole
    codes = coded_target(whole)[1]
    rows = sample_by_class(rows_by_content(whole, codes), codes, int(n_rows), generator(random_state))
    note = f"a random sample of {len(rows):,} of {whole.n_rows:,} rows"
    return replace(whole.take(rows), notes=(*whole.notes, note))
