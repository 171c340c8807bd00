"""What classifier and regressor share as estimators: reading tables, remembering columns, checking parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.auto._clock import StageClock
from sepal.auto._trace import Trace
from sepal.data import LeftOut, SparseRows, Table, Together, as_rows, as_weights
from sepal.estimators import CallbackSupportMixin, Diet, TableEstimator
from sepal.exceptions import DataError
from sepal.parameters import check_parameters
from sepal.progress import Progress, stage

Array = NDArray[np.float64]
Positions = NDArray[np.intp]
MOST_DENSE_CELLS = 50_000_000  # of sparse rows that are written out


class AutoEstimator(CallbackSupportMixin, TableEstimator):  # type: ignore[misc]
    """Base of both; see SepalClassifier for the parameters."""

    time_limit: Any
    trace_: Trace
    left_out_: Together
    copies_share_: float

    def _diet(self) -> Diet:
        return Diet(levels=True, missing=True, sparse=True)

    def _clock(self, progress: Progress | None) -> StageClock:
        check_parameters(self)
        return StageClock(np.inf if self.time_limit is None else float(self.time_limit), stage(progress, "training"))

    def _masses(self, sample_weight: Any, table: Table, together: LeftOut) -> tuple[Positions, Array | None]:
        """The rows of positive weight, and their weights; None where all are 1."""
        if sample_weight is None:
            return np.arange(table.n_rows), None
        weights = as_weights(sample_weight, table.n_rows)
        rows = np.flatnonzero(weights > 0.0)
        units = len(rows) if together.groups is None else len(np.unique(together.groups[rows]))
        if units < 2:
            raise DataError(f"sample_weight: {units} of positive weight; leaving one out needs at least two rows")
        mass = weights[rows]
        return rows, None if (mass == 1.0).all() else mass

    def _tell_copies(self, together: LeftOut, n_rows: int) -> None:
        """Remember which rows were left out together; a note says it where copies may flatter the score."""
        self.left_out_, self.copies_share_ = together.together, together.n_copies / n_rows
        note = together.note(n_rows)
        if note is not None:
            self.trace_ = replace(self.trace_, notes=(*self.trace_.notes, note))

    def _new_rows(self, X: Any) -> Table:
        """New rows; sparse ones are written out as the training rows were."""
        rows = super()._new_rows(as_dense(X))
        assert isinstance(rows, Table)  # noqa: S101 - training rows were one
        return rows

    def _training_table(self, X: Any, y: Any) -> Table:
        """The training rows and answers as a Table; remembers the columns."""
        table = self._training_rows(as_dense(X), y)
        assert isinstance(table, Table)  # noqa: S101 - sparse rows were not asked for
        if table.n_rows < 2:
            raise DataError(f"n_samples={table.n_rows}: leaving one row out needs at least two")
        return table


def as_dense(X: Any) -> Any:
    """Sparse rows with their zeros, which are numbers like any other; anything else as it is."""
    if not hasattr(X, "tocsr"):
        return X
    n_rows, n_columns = X.shape
    if n_rows * n_columns > MOST_DENSE_CELLS:
        raise DataError(
            f"X: {n_rows:,} sparse rows of {n_columns:,} columns have {n_rows * n_columns:,} cells, all of which are "
            f"looked at; at most {MOST_DENSE_CELLS:,} are allowed",
            hint="SVMClassifier and KNNClassifier take sparse rows without writing them out; or use fewer columns",
        )
    rows = as_rows(X)  # refuses what is no matrix of finite numbers
    assert isinstance(rows, SparseRows)  # noqa: S101 - it has tocsr
    return rows.matrix.toarray()
