"""The one rule for columns: by name where both sides have names, in any order; else by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from sepal.data._columns import check_names
from sepal.data._convert import as_table, rows_inside
from sepal.data._foreign_frames import is_frame
from sepal.data._table import Table
from sepal.exceptions import DataError

_SHOWN = 5  # names in one error


@cache
def array_names(n_columns: int) -> tuple[str, ...]:
    """What the columns of an array are called where a name is needed."""
    return tuple(f"x{j + 1}" for j in range(n_columns))


def given_names(X: Any) -> tuple[str, ...] | None:
    """The names of the columns; None for arrays, lists, sparse matrices and sets, which have none."""
    X = rows_inside(X)
    if isinstance(X, Table):
        return X.names
    if not is_frame(X):
        return None
    return tuple(str(name) for name in getattr(X, "column_names", X.columns))


def named_by_nobody(names: Sequence[str]) -> bool:
    """Whether these are default names, given by no user: x1, x2, ... or 0, 1, ..."""
    n = len(names)
    return tuple(names) in (array_names(n), tuple(str(j) for j in range(n)))


def column_places(names: tuple[str, ...] | None, wanted: tuple[str, ...] | None) -> list[int] | None:
    """Where the columns of training stand in new rows; None if they stand as they did, or go by position.

    Parameters
    ----------
    names, wanted : tuple of str or None
        The names of the new and of the training columns; None where there are none.

    Raises
    ------
    DataError
        If a column is missing, unknown or there twice; the text names it.

    Examples
    --------
    >>> column_places(("b", "a"), ("a", "b"))
    [1, 0]
    """
    if names is None or wanted is None or names == wanted:
        return None
    if (named_by_nobody(names) or named_by_nobody(wanted)) and not set(names) & set(wanted):
        return None
    check_names(names, "X: ")
    _refuse_other_names(set(names), set(wanted))
    place = {name: j for j, name in enumerate(names)}
    return [place[name] for name in wanted]


def _refuse_other_names(names: set[str], wanted: set[str]) -> None:
    # In the words of scikit-learn, so that programs that look for them find them.
    text = "The feature names should match those that were passed during fit.\n"
    for title, found in (
        ("Feature names unseen at fit time:\n", sorted(names - wanted)),
        ("Feature names seen at fit time, yet now missing:\n", sorted(wanted - names)),
    ):
        if found:
            text += title + "".join(f"- {name}\n" for name in found[:_SHOWN])
            text += "- ...\n" if len(found) > _SHOWN else ""
    if names != wanted:
        raise DataError(text, hint="columns may come in any order, but each must be there, and no other")


def rows_in_order(X: Any, names: tuple[str, ...]) -> Table:
    """Rows of any kind as a Table, columns as they stand in ``names``; those of an array stay, and get the names.

    Examples
    --------
    >>> rows_in_order([[1.0, 2.0]], ("x2", "x1")).values.tolist()
    [[1.0, 2.0]]
    """
    table = as_table(X)
    if given_names(X) is not None:
        return in_order_of(table, names)
    return replace(table, names=names) if table.n_columns == len(names) else table


def in_order_of(table: Table, names: tuple[str, ...]) -> Table:
    """The table with its columns as they stand in ``names``; by position where one side was named by nobody.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> in_order_of(as_table([[1.0, 2.0]], names=["b", "a"]), ("a", "b")).values.tolist()
    [[2.0, 1.0]]
    """
    places = column_places(table.names, names)
    return table if places is None else table.select(places)
