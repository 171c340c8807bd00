"""One-hot encoding and mean imputation around a machine for numbers: it takes tables of any kind."""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.utils.metaestimators import available_if

from sepal.data import Table
from sepal.estimators._scoring import own_target
from sepal.estimators._shell import Diet, TableEstimator
from sepal.estimators._views import View, fit_view
from sepal.exceptions import ParameterError
from sepal.parameters import Parameter


def _has_probabilities(estimator: AnyTable) -> bool:
    return hasattr(getattr(estimator, "machine_", estimator.machine), "predict_proba")


class AnyTable(TableEstimator):
    """A machine for numbers on any table: nominal levels become indicators, missing cells the mean of their column.

    Parameters
    ----------
    machine : estimator
        A classifier or regressor of numbers; it is cloned.

    Attributes
    ----------
    machine_ : estimator
        Fitted on the coordinates of the rows.
    view_ : View
        From cells to coordinates: numbers scaled to [0, 1], an indicator for each level and for missing cells.
    classes_ : ndarray
        If the machine is a classifier.

    Examples
    --------
    >>> import sepal.datasets
    >>> from sepal.machines import SVMClassifier
    >>> heart = sepal.datasets.load("heart")
    >>> model = AnyTable(SVMClassifier()).fit(heart)
    >>> bool((model.predict(heart) == heart.y).mean() > 0.8)
    True
    """

    parameter_table = (Parameter("machine", "other", "a classifier or regressor of numbers", also=("anything",)),)

    def __init__(self, machine: Any) -> None:
        self.machine = machine

    def _diet(self) -> Diet:
        return Diet(levels=True, missing=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self.machine.__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
        tags.regressor_tags, tags.target_tags = inner.regressor_tags, inner.target_tags
        tags.target_tags.multi_output = False  # one target, whatever the machine takes
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:
        """Fit the view and the machine; a Table with a target needs no ``y``.

        ``groups`` (which rows are left out together) go to a machine whose ``fit`` takes them; another leaves none out.
        """
        if not hasattr(self.machine, "fit") or isinstance(self.machine, type):
            raise ParameterError(f"machine must be a classifier or regressor; got {self.machine!r}")
        table = self._training_rows(X, y)
        assert isinstance(table, Table)  # noqa: S101 - sparse rows were not asked for
        self.view_ = fit_view(table, "minmax")
        told = {"groups": groups} if groups is not None and "groups" in signature(self.machine.fit).parameters else {}
        self.machine_ = clone(self.machine).fit(self._coordinates(table), np.asarray(table.y), **told)
        if not is_regressor(self.machine):
            self.classes_ = self.machine_.classes_
        return self

    def keep(self, table: Table, view: View, machine: Any) -> Self:
        """Take a machine that was fitted elsewhere, on the coordinates of this view; ``table`` has the columns."""
        self._training_rows(table)
        self.view_, self.machine_ = view, machine
        if not is_regressor(machine):
            self.classes_ = machine.classes_
        return self

    def _coordinates(self, table: Any) -> NDArray[np.float64]:
        points = self.view_.coordinates(table)
        return points if points.shape[1] else np.zeros((len(points), 1))

    def predict(self, X: Any) -> NDArray[Any]:
        """What the machine says about the rows."""
        table = self._new_table(X)
        return np.asarray(self.machine_.predict(self._coordinates(table)))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The machine's probability of each class."""
        table = self._new_table(X)
        return np.asarray(self.machine_.predict_proba(self._coordinates(table)))

    def score(self, X: Any, y: Any = None) -> float:
        """The machine's score: accuracy, or R squared; a Table with a target needs no ``y``."""
        table = self._new_table(X)
        return float(self.machine_.score(self._coordinates(table), own_target(X, y)))
