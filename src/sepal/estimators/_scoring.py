"""How good the answers are: scikit-learn's scores, where a Table brings the truth itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import r2_score

from sepal.data import SparseRows, Table, as_weights, check_class_labels, far_unit, rows_inside
from sepal.exceptions import DataError


def own_target(X: Any, y: Any) -> Any:
    """The truth about the rows: ``y``; left out, the target of the Table.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> own_target(as_table([[1.0], [2.0]], ["a", "b"]), None).tolist()
    ['a', 'b']
    """
    if y is not None:
        return y
    rows = rows_inside(X)
    found = rows.y if isinstance(rows, (Table, SparseRows)) else None
    if found is None:
        raise DataError(
            "score: there is no target to compare with the answers",
            hint="give it as y, or as X a Table that has a target",
        )
    return found


def _checked(sample_weight: Any, truth: Any) -> Any:
    return None if sample_weight is None else as_weights(sample_weight, len(truth))


class TableClassifierMixin(ClassifierMixin):  # type: ignore[misc]
    """scikit-learn's mixin for classifiers, whose score takes a Table alone."""

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Share of the rows that are answered rightly; a Table with a target needs no ``y``."""
        truth = own_target(X, y)
        weights = _checked(sample_weight, truth)
        if np.ndim(truth) == 2 and np.shape(truth)[1] > 1:  # a label of each target
            return float(super().score(X, truth, weights))
        truth = check_class_labels(truth)
        if truth.dtype.kind == "O" and truth.size and not isinstance(truth[0], str):  # dates with a period, say
            return float(np.average(np.asarray(self.predict(X)) == truth, weights=weights))
        return float(super().score(X, truth, weights))


class TableRegressorMixin(RegressorMixin):  # type: ignore[misc]
    """scikit-learn's mixin for regressors, whose score takes a Table alone."""

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R squared of the answers; a Table with a target needs no ``y``."""
        truth = own_target(X, y)
        weights, unit = _checked(sample_weight, truth), far_unit(np.asarray(truth))
        if unit == 1.0:
            return float(super().score(X, truth, weights))
        answers = np.asarray(self.predict(X)) * unit
        return float(r2_score(np.asarray(truth, dtype=np.float64) * unit, answers, sample_weight=weights))
