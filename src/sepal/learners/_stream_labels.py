"""Labels and times of a stream, as they come."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from sepal.data import label_array
from sepal.estimators import as_data_errors
from sepal.exceptions import DataError


def stream_labels(y: Any, first: bool) -> NDArray[Any]:
    """Checked labels; quick for arrays of whole numbers or texts, as long as they are not the first."""
    plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iubU"
    if plain and not first:
        return np.asarray(y)
    with as_data_errors():
        if getattr(y, "ndim", 1) == 2:
            y = column_or_1d(y, warn=True)
        labels = label_array(y).y
        check_classification_targets(labels)
    return labels


def checked_times(times: ArrayLike | None, n: int, n_seen: int, latest: float) -> NDArray[np.float64]:
    """When each of n rows came: row numbers where no times are given, and never before the latest row."""
    if times is None:
        return np.arange(n_seen, n_seen + n, dtype=np.float64)
    when = np.array(times, dtype=np.float64)
    if when.shape != (n,) or not np.all(np.isfinite(when)):
        raise DataError(f"times must hold one finite number per row, {n} in all; got shape {when.shape}")
    if np.any(np.diff(when) < 0) or (n and when[0] < latest):
        raise DataError("times must not go back", hint="sort the rows by time before they are learnt")
    return when


def merged_classes(known: NDArray[Any], offered: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32] | None]:
    """The known classes with new ones put in their sorted places, and where the known ones stand now.

    None instead of places if nothing is new.
    """
    at = np.searchsorted(known, offered) if len(known) else np.zeros(len(offered), dtype=np.intp)
    if np.all(at < len(known)) and np.array_equal(known[at], offered):
        return known, None
    merged = np.unique(np.concatenate([known, offered]))
    return merged, np.searchsorted(merged, known).astype(np.int32)
