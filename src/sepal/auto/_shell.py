"""What classifier and regressor share as estimators: reading tables, remembering columns, checking parameters."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from sepal.auto._clock import Clock
from sepal.auto._trace import Trace
from sepal.data import LeftOut, Table, Together, as_table, match_table
from sepal.exceptions import DataError, ParameterError


class AutoEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of both; see SepalClassifier for the parameters."""

    time_limit: Any
    columns_: Table
    trace_: Trace
    left_out_: Together
    copies_share_: float

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def _clock(self, progress: Callable[[float], object] | None) -> Clock:
        limit = self.time_limit
        if limit is None:
            return Clock(np.inf, progress)
        if isinstance(limit, bool) or not isinstance(limit, (int, float, np.number)) or not limit > 0:
            raise ParameterError(f"time_limit must be a number of seconds above 0, or None; got {limit!r}")
        return Clock(float(limit), progress)

    def _tell_copies(self, together: LeftOut, n_rows: int) -> None:
        """Remember which rows were left out together; a note says it where copies may flatter the score."""
        self.left_out_, self.copies_share_ = together.together, together.n_copies / n_rows
        if together.n_copies and self.left_out_ == "rows":
            text = f"copies: {self.copies_share_:.1%} of the rows have a copy, which stayed when they were left out"
            self.trace_ = replace(self.trace_, notes=(*self.trace_.notes, text))

    def _training_table(self, X: Any, y: Any) -> Table:
        """The training rows and answers as a Table; remembers the columns as scikit-learn does."""
        if isinstance(X, Table):
            self.n_features_in_ = X.n_columns
            self.feature_names_in_ = np.array(X.names, dtype=object)
            table = as_table(X, y)
        else:
            if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
                text = "A column-vector y was passed when a 1d array was expected: one answer per row"
                warnings.warn(text, DataConversionWarning, stacklevel=3)
            validate_data(self, X, y, skip_check_array=True)
            table = as_table(X, y)
        if table.n_rows < 2:
            raise DataError(f"n_samples={table.n_rows}: leaving one row out needs at least two")
        self.columns_ = table.take(np.empty(0, dtype=np.intp))
        return table

    def _query_table(self, X: Any) -> Table:
        """New rows, coded as the training rows are; columns are checked by name where both have names."""
        check_is_fitted(self)
        table = as_table(X)
        if not isinstance(X, Table):
            validate_data(self, X, reset=False, skip_check_array=True)
        return match_table(table, self.columns_)
