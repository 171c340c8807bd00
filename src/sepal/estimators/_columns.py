"""The one rule for columns: by name where both sides have names, in any order; else by position."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from sepal.data import Table, array_names, is_frame
from sepal.exceptions import DataError

_SHOWN = 5  # names in one error


def given_names(X: Any) -> tuple[str, ...] | None:
    """The names of the columns; None for arrays, lists, sparse matrices and sets, which have none."""
    if isinstance(X, Table):
        return X.names
    if not is_frame(X):
        return None
    return tuple(str(name) for name in getattr(X, "column_names", X.columns))


def _generated(names: Sequence[str]) -> bool:
    """Whether these are the names of columns that nobody named: x1, x2, ... or 0, 1, ..."""
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
        If a column is missing or unknown; the text names it.
    """
    if names is None or wanted is None or names == wanted:
        return None
    if _generated(names) != _generated(wanted) and not set(names) & set(wanted):
        return None  # the names of one side were given by nobody
    _refuse_other_names(set(names), set(wanted))
    place = {name: j for j, name in enumerate(names)}
    return [place[name] for name in wanted]


def check_column_count(n_given: int, n_wanted: int, estimator: Any) -> None:
    """Refuse rows with more or fewer columns than in training."""
    if n_given != n_wanted:
        own = type(estimator).__name__
        raise DataError(f"X has {n_given} features, but {own} is expecting {n_wanted} features as input.")


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


def warn_of_names(
    estimator: Any, names: tuple[str, ...] | None, wanted: tuple[str, ...] | None, is_table: bool
) -> None:
    """What scikit-learn says when only one side has names."""
    own = type(estimator).__name__
    if names is None and hasattr(estimator, "feature_names_in_"):
        warnings.warn(
            f"X does not have valid feature names, but {own} was fitted with feature names", UserWarning, stacklevel=4
        )
    elif names is not None and wanted is None and not is_table and not _generated(names):
        warnings.warn(f"X has feature names, but {own} was fitted without feature names", UserWarning, stacklevel=4)


def rearranged(X: Any, places: list[int]) -> Any:
    """The same container with its columns in this order."""
    if isinstance(X, Table):
        return X.select(places)
    import narwhals as nw

    return nw.from_native(X, eager_only=True)[:, places].to_native()
