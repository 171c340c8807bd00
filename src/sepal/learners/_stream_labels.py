"""Labels and times of a stream, as they come."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from sepal.data import check_class_labels, label_array
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
        check_class_labels(y)
        return label_array(y).y


def checked_times(times: ArrayLike | None, n: int, n_seen: int, latest: float) -> NDArray[np.float64]:
    """When each of n rows came: row numbers where no times are given, and never before the latest row."""
    if times is None:
        if n and n_seen < latest:
            raise DataError(
                f"times must not go back: rows without times come at their number, {n_seen} here, and the latest row "
                f"came at {latest:g}",
                hint="give times for all rows, or for none",
            )
        return np.arange(n_seen, n_seen + n, dtype=np.float64)
    try:
        when = np.array(times, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"times must hold one finite number per row: {error}") from error
    if when.shape != (n,) or not np.all(np.isfinite(when)):
        raise DataError(f"times must hold one finite number per row, {n} in all; got shape {when.shape}")
    if np.any(np.diff(when) < 0) or (n and when[0] < latest):
        raise DataError("times must not go back", hint="sort the rows by time before they are learnt")
    return when


def joined_labels(
    known: NDArray[Any] | None, labels: NDArray[Any], classes: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """All classes, sorted: those known, those of the labels and those that may come; and the codes of the labels.

    Examples
    --------
    >>> joined_labels(np.array(["b"]), np.array(["c", "b"]), ["a"])
    (array(['a', 'b', 'c'], dtype='<U1'), array([2, 1]))
    """
    offered = labels if classes is None else label_array(classes, "classes").y
    parts = [each for each in (known, offered, labels) if each is not None and len(each)]
    for each in parts[1:]:
        if (each.dtype.kind in "biuf") != (parts[0].dtype.kind in "biuf"):
            raise DataError(
                f"y holds {each.tolist()[0]!r}, and earlier labels are such as {parts[0].tolist()[0]!r}: numbers and "
                "texts do not name the same classes"
            )
    if classes is not None:
        offered = np.concatenate([offered, labels])
    if known is not None and len(known):
        at = np.minimum(np.searchsorted(known, offered), len(known) - 1)
        if np.array_equal(known[at], offered):  # nothing is new, as with most rows of a stream
            return known, np.searchsorted(known, labels)
    merged = np.unique(offered if known is None else np.concatenate([known, offered]))
    return merged, np.searchsorted(merged, labels)
