"""The C of least error on groups of rows that are held out together."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split

from sepal.data import Table
from sepal.exceptions import SepalWarning
from sepal.machines._dual._c_search import C_GRID, PATIENCE, CSearch

if TYPE_CHECKING:
    from sepal.machines._dual._svm import SVMClassifier

Floats = NDArray[np.float64]
MOST_FOLDS = 10


def search_c_by_groups(machine: SVMClassifier, X: Any, y: Any, sample_weight: Any, groups: NDArray[np.intp]) -> CSearch:
    """Try the grid from the smallest C up, as :func:`search_c` does, with up to ten folds of whole groups.

    The width is chosen and columns are scaled anew in every fold.
    """
    labels, weight, folds = group_folds(X, y, sample_weight, groups)
    found: list[tuple[float, float]] = []
    for C in C_GRID:
        model = clone(machine).set_params(C=float(C), probability=False)
        wrong = np.zeros(len(labels))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SepalWarning)  # of a C that is only tried
            for train, test in folds:
                seen, asked = group_parts(model, X, labels, train, test)
                wrong[test] = model.fit(seen, labels[train], weight[train]).predict(asked) != labels[test]
        error = float(wrong @ weight / weight.sum())
        off = np.bincount(groups, weights=weight * (wrong - error))
        found.append((error, float(np.linalg.norm(off) / weight.sum())))
        if len(found) > int(np.argmin([each[0] for each in found])) + PATIENCE:
            break
    error, spread = np.array(found).T
    return CSearch(C_GRID[: len(found)].copy(), error, error.copy(), error.copy(), spread)


def group_folds(
    X: Any, y: Any, sample_weight: Any, groups: NDArray[np.intp]
) -> tuple[NDArray[Any], Floats, list[tuple[NDArray[np.intp], NDArray[np.intp]]]]:
    """The classes and weights of the rows, and up to ten folds of whole groups: training rows, held-out rows."""
    labels = np.asarray(X.y if y is None else y)
    weight = np.ones(len(labels)) if sample_weight is None else np.maximum(np.asarray(sample_weight, dtype=float), 0.0)
    from sklearn.model_selection import StratifiedGroupKFold  # late: slow to import

    splitter = StratifiedGroupKFold(min(MOST_FOLDS, int(groups.max()) + 1))
    return labels, weight, [fold for fold in splitter.split(labels, labels, groups) if len(fold[1])]


def group_parts(
    model: Any, X: Any, labels: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[Any, Any]:
    """Rows to learn from and rows to ask about; of a kernel matrix the columns of the former."""
    if isinstance(X, Table):
        return X.take(train), X.take(test)
    return _safe_split(model, X, labels, train)[0], _safe_split(model, X, labels, test, train)[0]
