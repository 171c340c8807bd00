"""What classifiers on plain numbers share: numeric rows without missing cells in, class codes out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName, Table, as_table, as_weights, class_codes
from sepal.distances import FittedDistance, fit_distance
from sepal.estimators import TableClassifierMixin, TableEstimator
from sepal.exceptions import DataError
from sepal.learners._votes import class_preference, preferred
from sepal.parameters import check_parameters


class NumericClassifier(TableClassifierMixin, TableEstimator):
    """Base of the classifiers that need coordinates."""

    scale: ScaleName | None
    classes_: NDArray[Any]
    preference_: NDArray[np.float64]

    def fits_together(self) -> bool:
        """Whether the fitted attributes belong to one model: a model file may hold anything."""
        if not hasattr(self, "distance_"):
            return True
        check_parameters(self)
        return (
            isinstance(self.distance_, FittedDistance)
            and isinstance(self.columns_, Table)
            and self.classes_.ndim == 1
            and self.preference_.shape == self.classes_.shape
            and self._arrays_fit(len(self.distance_.names), len(self.classes_))
        )

    def _arrays_fit(self, n_columns: int, n_classes: int) -> bool:
        """Whether the arrays of the fitted model have the shapes that its answers need."""
        return True

    def _training_points(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.float64]]:
        """Scaled coordinates and class codes of the rows of positive weight, and the weights of all rows.

        Remembers columns and classes.
        """
        table, labels = self._training_numbers(X, y)
        table = as_table(table, labels)
        class_codes(table)
        self.classes_, codes = np.unique(np.asarray(table.y), return_inverse=True)
        mass = np.ones(table.n_rows) if sample_weight is None else as_weights(sample_weight, table.n_rows)
        rows = np.flatnonzero(mass > 0.0)
        own, codes = mass[rows], codes[rows]
        if len(np.unique(codes)) < len(self.classes_):
            raise DataError("sample_weight: every class needs a row of positive weight")
        table = replace(table.take(rows), weights=None if (own == 1.0).all() else own)
        self.distance_: FittedDistance = fit_distance(table, "euclidean", scale=self.scale)
        points = self.distance_.embed(table)
        self.preference_ = class_preference(points, codes, len(self.classes_), own)
        return points, codes, mass

    def _query_points(self, X: Any) -> NDArray[np.float64]:
        table = self._new_numbers(X)  # says first whether there is a model at all
        return self.distance_.embed(table)

    def _settled(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shares in which the class that wins a tied vote is the largest, by rounding only, as predict answers."""
        return break_ties_for(shares, preferred(shares, self.preference_))


def break_ties_for(shares: NDArray[np.float64], winner: NDArray[np.intp]) -> NDArray[np.float64]:
    """The shares, where there is a tie for the largest with that of the winner larger by a factor of 1 + 2^-40."""
    rows = np.arange(len(shares))
    equal = np.sum(shares >= shares[rows, winner][:, None], axis=1) > 1
    shares[rows[equal], winner[equal]] *= 1.0 + 2.0**-40
    return shares
