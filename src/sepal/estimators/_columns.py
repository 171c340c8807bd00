"""What an estimator says of the names and number of columns, and rows with their columns in another order."""

from __future__ import annotations

import warnings
from typing import Any

from sepal.data import Table, named_by_nobody
from sepal.exceptions import DataError


def check_column_count(n_given: int, n_wanted: int, estimator: Any) -> None:
    """Refuse rows with more or fewer columns than in training."""
    if n_given != n_wanted:
        own = type(estimator).__name__
        raise DataError(f"X has {n_given} features, but {own} is expecting {n_wanted} features as input.")


def warn_of_names(
    estimator: Any, names: tuple[str, ...] | None, wanted: tuple[str, ...] | None, is_table: bool
) -> None:
    """What scikit-learn says when only one side has names."""
    own = type(estimator).__name__
    if names is None and hasattr(estimator, "feature_names_in_"):
        warnings.warn(
            f"X does not have valid feature names, but {own} was fitted with feature names", UserWarning, stacklevel=4
        )
    elif names is not None and wanted is None and not is_table and not named_by_nobody(names):
        warnings.warn(f"X has feature names, but {own} was fitted without feature names", UserWarning, stacklevel=4)


def rearranged(X: Any, places: list[int]) -> Any:
    """The same container with its columns in this order."""
    if isinstance(X, Table):
        return X.select(places)
    import narwhals as nw

    return nw.from_native(X, eager_only=True)[:, places].to_native()
