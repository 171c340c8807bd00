"""Rows added to a fitted neighbourhood: as if all had been there from the start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from sepal.data import Rows, SparseRows, Table, copies_of, joined_rows
from sepal.estimators import without_rows
from sepal.exceptions import DataError, ParameterError
from sepal.learners._base import NeighborLearner, checked_weights
from sepal.learners._leave_one_out import LeaveOneOutCurve, told
from sepal.learners._neighborhood import Neighborhood
from sepal.neighbors import GrowingSearch, Search


class GrowingNeighborhood(NeighborLearner):
    """What ``partial_fit`` of a neighbour learner needs; see KNNClassifier for the parameters."""

    prototypes: Any = None
    class_order_: NDArray[np.intp] | None = None
    loo_curve_: LeaveOneOutCurve
    _growing: GrowingSearch | None = None

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_growing"}  # made again when rows come

    def _refuse_more_rows(self) -> None:
        """Say what rows cannot be added to."""
        if self.distance == "precomputed":
            raise ParameterError(
                "distance='precomputed': partial_fit would need the distances from all rows to the new ones",
                hint="fit on the whole matrix",
            )
        if self.prototypes is not None:
            raise ParameterError(
                f"prototypes={self.prototypes!r}: which rows to keep is decided among all of them, and partial_fit "
                "sees some",
                hint="fit on all rows, or leave prototypes out",
            )
        if self.class_order_ is not None:
            raise ParameterError("this model answers from rows in partitions, and partial_fit cannot add to these")
        if self.left_out_ == "groups":
            raise ParameterError(
                "the rows of this model were fitted in groups, and those of further rows are not known to partial_fit",
                hint="fit on all rows, with all groups",
            )

    def _has_rows(self) -> bool:
        return "neighborhood_" in self.__dict__

    def _add_rows(self, more: Rows, sample_weight: Any) -> NDArray[np.intp]:
        """Put rows behind those that are there; returns which of them count (have a positive weight)."""
        weights = checked_weights(sample_weight, more)
        used = np.arange(more.n_rows) if weights is None else np.flatnonzero(weights > 0)
        mass = np.ones(len(used)) if weights is None else weights[used]
        if len(used):
            table, self.neighborhood_ = self._joined(more if len(used) == more.n_rows else more.take(used), mass)
            self._know_columns(table)
            self.table_ = table
            if self.left_out_ == "copies":
                self.left_out_groups_ = copies_of(table)
        self.rows_ = np.concatenate([self.rows_, self.n_rows_in_ + used])
        self.n_rows_in_ += more.n_rows
        return used

    def _joined(self, more: Rows, mass: NDArray[np.float64]) -> tuple[Rows, Neighborhood]:
        """The rows of before and these, and their neighbourhood."""
        hood = self.neighborhood_
        weights = np.concatenate([hood.weights, mass])
        search = hood.search
        if isinstance(search, Search) and isinstance(more, Table) and self.recall_ is None:
            growing = self._growing
            if growing is None or growing.search is not search:  # of another fit, or rows were refused on the way
                growing = GrowingSearch(search)
            grown = growing.add(replace(more, weights=mass))
            if grown is not None:
                self._growing = growing
                return replace(grown.table, weights=None), hood.grown(grown, weights)
        self._growing = None
        table = joined_rows(replace(self.table_, weights=None), replace(more, weights=None))
        return table, self._prepared(table, weights)

    def _know_columns(self, table: Rows) -> None:
        """The levels and elements that the rows brought are known from now on."""
        held = without_rows(table)
        if isinstance(held, SparseRows):
            self.columns_, self.n_features_in_ = held, held.n_columns
        elif isinstance(self.columns_, Table):
            self.columns_ = replace(self.columns_, levels=held.levels)

    def _settle_k(self, leave_one_out: Callable[[], LeaveOneOutCurve] | None) -> None:
        """The k in use: as given, all rows while there are fewer; ``"auto"`` is chosen when rows have doubled.

        Without ``leave_one_out`` there are too few rows to choose by.
        """
        mass, k = self.neighborhood_.total_mass, self.n_neighbors
        if k == "all":
            self.n_neighbors_ = mass
        elif k != "auto":
            self.n_neighbors_ = max(1, int(min(k, mass)))
        elif leave_one_out is None:
            self.n_neighbors_ = 1
        elif not hasattr(self, "loo_curve_") or self.neighborhood_.n_rows >= 2 * self.loo_curve_.n_rows:
            self._keep_together(self.table_, None)
            self.loo_curve_ = told(leave_one_out(), self._notes_told())
            self.n_neighbors_ = self.loo_curve_.one_se_k

    def _add_to_each(self, X: Any, targets: NDArray[Any], **options: Any) -> Any:
        """Add rows to the models of several targets, each with what ``options`` list for it."""
        if not self._has_rows():
            self.outputs_ = [clone(self) for _ in targets.T]
        self._refuse_targets(targets.shape[1])
        for at, (model, column) in enumerate(zip(self.outputs_, targets.T, strict=True)):
            model.partial_fit(X, column, **{name: each[at] for name, each in options.items()})
        return self._share_rows()

    def _refuse_targets(self, n: int) -> None:
        """Say so where a model of so many targets gets rows with another number of them."""
        known = len(self.outputs_) if hasattr(self, "outputs_") else 1
        if self._has_rows() and n != known:
            raise DataError(f"y holds {n} target{'s' * (n > 1)} for each row, and this model has {known}")
