"""Numbers from neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from sepal.data import Rows, ScaleName, Table, group_codes
from sepal.estimators import TableRegressorMixin
from sepal.exceptions import DataError, ParameterError
from sepal.learners._base import shared_words, target_columns
from sepal.learners._explain import NumberExplanation
from sepal.learners._leave_one_out import MOST_K, LeaveOneOutCurve, told
from sepal.learners._more_rows import GrowingNeighborhood
from sepal.learners._neighbor_lists import NeighborLists
from sepal.learners._neighborhood import Neighborhood
from sepal.learners._parameters import KNN_REGRESSOR
from sepal.learners._regression import (
    Aggregate,
    answers,
    line_points,
    neighbor_std,
    regression_curve,
    weighted_quantiles,
)
from sepal.learners._vote_weights import VoteWeights, vote_weights
from sepal.learners._votes import entry_shares
from sepal.neighbors import DistanceLike, Method, Search, Ties
from sepal.parameters import check_numbers, check_parameters, check_whole


class KNNRegressor(TableRegressorMixin, GrowingNeighborhood):
    """k nearest neighbours for a numeric target: mean, median, quantiles or a local line, with their spread.

    Parameters
    ----------
    n_neighbors, weights, distance, distance_params, feature_weights, scale, ties, k_max, width, method, n_jobs
        As in :class:`KNNClassifier`; ``"auto"`` judges k by the leave-one-out R squared.
    aggregate : {"mean", "median", "linear"}
        What the neighbours' targets become: their weighted mean, their weighted median, or the value at the query of
        the weighted least-squares plane through them (numeric columns only).

    Attributes
    ----------
    n_neighbors_ : int
        The k in use.
    loo_curve_ : LeaveOneOutCurve
        With ``n_neighbors="auto"``.
    recall_ : float or None
        As in :class:`KNNClassifier`.
    left_out_ : {"rows", "copies", "groups"}
        Which rows were left out together.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0]
    >>> model = KNNRegressor(2, scale=None).fit(X, y)
    >>> mean, std = model.predict([[1.4]], return_std=True)
    >>> mean.tolist(), std.tolist()
    ([2.5], [1.5])
    """

    parameter_table = KNN_REGRESSOR

    def __init__(
        self,
        n_neighbors: int | str = "auto",
        *,
        aggregate: Aggregate = "mean",
        weights: Any = "uniform",
        distance: DistanceLike = "auto",
        distance_params: Mapping[str, Any] | None = None,
        feature_weights: Any = None,
        scale: ScaleName | None = "minmax",
        ties: Ties = "expected",
        k_max: int | None = None,
        width: float | None = None,
        method: Method = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.aggregate = aggregate
        self.weights = weights
        self.distance = distance
        self.distance_params = distance_params
        self.feature_weights = feature_weights
        self.scale = scale
        self.ties = ties
        self.k_max = k_max
        self.width = width
        self.method = method
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's yardstick is ten noisy columns of which one matters: neighbours do not reach 0.5 there.
        tags.regressor_tags.poor_score = True
        if self.aggregate == "linear":  # a line needs numbers, all of them
            tags.input_tags.allow_nan = tags.input_tags.sparse = False
            tags.input_tags.categorical = tags.input_tags.string = False
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> KNNRegressor:
        """Remember the rows and choose k.

        Parameters
        ----------
        X : Table, ndarray, data frame, sparse matrix or list of sets
            The training rows.
        y : array-like, optional
            The numbers to predict; left out, the target of the Table. A matrix holds several targets, each of which
            gets a model of its own (with its own k, if that is to be chosen) in ``outputs_``; predict answers a matrix.
        sample_weight : array-like, optional
            Row weights; a whole number counts as repetition, 0 leaves the row out.
        groups : array-like, "rows", "copies" or None
            Which rows are left out together when k is chosen, as in :meth:`KNNClassifier.fit`.
        """
        self._check()
        targets = target_columns(y, 1)
        if targets is not None:
            return self._fit_each(X, targets, sample_weight, groups)  # type: ignore[no-any-return]
        self.__dict__.pop("outputs_", None)
        table = self._training_table(X, y)
        target = numeric_target(table)
        rows = self._fit_neighborhood(table, target, sample_weight, groups)
        if self.aggregate == "linear":
            line_points(self.neighborhood_)
        self.y_ = target[rows]
        self._weights()  # wrong ones are told now, and not at the first question
        k = self._check_n_neighbors()
        if k is None:
            if len(rows) < 2:
                k = 1
            else:
                self.loo_curve_ = told(self.leave_one_out(), self._notes_told())
                k = self.loo_curve_.one_se_k
        self.n_neighbors_ = k
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KNNRegressor:
        """Add rows to those that are there; answers are those of ``fit`` on all of them together.

        Parameters
        ----------
        X : Table, ndarray, data frame, sparse matrix or list of sets
            Further rows, as in :meth:`KNNClassifier.partial_fit`, which tells what is kept and what is learned again.
        y : array-like, optional
            Their numbers; left out, the target of the Table.
        sample_weight : array-like, optional
            As in :meth:`fit`.

        Returns
        -------
        KNNRegressor
            Itself.

        Examples
        --------
        >>> model = KNNRegressor(1).partial_fit([[0.0], [4.0]], [1.0, 9.0])
        >>> model.partial_fit([[3.0]], [7.0]).predict([[2.9]]).tolist()
        [7.0]
        """
        self._check()
        self._refuse_more_rows()
        targets = target_columns(y, 1)
        if targets is not None:
            n = targets.shape[1]
            if self._has_rows():
                self._refuse_targets(n)
            return self._add_to_each(X, targets, sample_weight=[sample_weight] * n)  # type: ignore[no-any-return]
        self._refuse_targets(1)
        if self._has_rows():
            more = self._more_training_rows(X, y)
            numbers, before = numeric_target(more), self.y_
            used = self._add_rows(more, sample_weight)
        else:
            table = self._training_table(X, y)
            numbers = numeric_target(table)
            used, before = self._fit_neighborhood(table, numbers, sample_weight, None), numbers[:0]
        if self.aggregate == "linear":
            line_points(self.neighborhood_)
        self.y_ = np.concatenate([before, numbers[used]])
        self._weights()
        self._settle_k(self.leave_one_out if len(self.y_) > 1 else None)
        return self

    def _check(self) -> None:
        check_parameters(self)
        if self.distance == "hvdm":
            raise ParameterError(
                "distance='hvdm' learns from classes, and a regressor has none", hint='use distance="auto" or "heom"'
            )

    def leave_one_out(self, groups: NDArray[np.intp] | None = None) -> LeaveOneOutCurve:
        """The leave-one-out curve of the rows in use; ``groups`` as in :meth:`KNNClassifier.leave_one_out`."""
        self._only_target("leave_one_out()")
        check_is_fitted(self, "y_")
        groups = self.left_out_groups_ if groups is None else group_codes(groups, len(self.y_))
        k_max = self._largest_k(MOST_K, groups)
        found = regression_curve(self.neighborhood_, self.y_, self._weights(), k_max, self.aggregate, groups)
        return told(found, self._recall_notes())

    def scores_for_every_k(self, table: Rows, k_max: int) -> NDArray[np.float64]:
        """R squared on the rows of a table for k = 1..k_max."""
        check_whole("k_max", k_max, at_least=1)
        self._check_fitted()
        wanted, scores = numeric_target(table), []
        for k in range(1, k_max + 1):
            model = clone(self).set_params(n_neighbors=k)
            model.__dict__.update({name: value for name, value in vars(self).items() if name.endswith("_")})
            model.n_neighbors_ = k
            scores.append(model.score(table, wanted))
        return np.array(scores)

    def fits_together(self) -> bool:
        """Whether the fitted attributes belong to one model, with a number for each row."""
        if hasattr(self, "outputs_"):
            return all(type(model) is type(self) and model.fits_together() for model in self.outputs_)
        if not hasattr(self, "neighborhood_"):
            return True
        y = self.y_
        return (
            super().fits_together()
            and isinstance(y, np.ndarray)
            and y.shape == (self.neighborhood_.n_rows,)
            and y.dtype.kind == "f"
        )

    def _weights(self) -> VoteWeights:
        return vote_weights(self.weights, self.width, self.neighborhood_.span)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The number for each row.

        Parameters
        ----------
        X : Table, ndarray or data frame, or None
            New rows. None asks for the training rows in use, each answered by the others as if it had been left out.
        return_std : bool
            Return the weighted standard deviation of the neighbours' targets as well.

        Returns
        -------
        ndarray, or two of them
        """
        self._check_fitted()
        if hasattr(self, "outputs_"):
            each = [model.predict(X, return_std=True) for model in self.outputs_]
            means, spreads = (np.stack(columns, axis=1) for columns in zip(*each, strict=True))
            return (means, spreads) if return_std else means
        hood = self._asked(X) if self.aggregate == "mean" else self.neighborhood_.for_rows()
        found, spread = self._answered(X, hood, self._lists(X, 6, self.n_neighbors_, hood), return_std)
        return (found, spread) if return_std else found

    def _answered(
        self, X: Any, hood: Neighborhood, parts: Iterable[tuple[int, int, NeighborLists]], spread_too: bool = True
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The answers from lists that were searched for, and on request how far the neighbours are spread."""
        k, weights = self.n_neighbors_, self._weights()
        found, spread = [], []
        points = self._query_points(X) if self.aggregate == "linear" else None
        for begin, end, lists in parts:
            at = None if points is None else points[begin:end]
            found.append(answers(hood, lists, self.y_, weights, k, self.aggregate, at))
            if spread_too:
                spread.append(neighbor_std(hood, lists, self.y_, weights, k))
        return np.concatenate(found), np.concatenate(spread) if spread_too else np.zeros(0)

    def _query_points(self, X: Any) -> NDArray[np.float64] | None:
        if X is None:
            return line_points(self.neighborhood_)
        search, table = self.neighborhood_.search, self._new_rows(X)
        return search.fitted.embed(table) if isinstance(search, Search) and isinstance(table, Table) else None

    def explain(self, X: Any) -> NumberExplanation:
        """The neighbours behind each answer, their targets and shares, and their distances split by column.

        Parameters
        ----------
        X : Table, ndarray, data frame or sparse matrix
            The rows to explain.

        Returns
        -------
        NumberExplanation

        Examples
        --------
        >>> why = KNNRegressor(2, scale=None).fit([[0.0], [1.0], [4.0]], [10.0, 20.0, 90.0]).explain([[0.4]])
        >>> why.predicted.tolist(), why.rows.tolist(), why.contributions.tolist()
        ([15.0], [0, 1], [5.0, 10.0])
        """
        self._only_target("explain(X)")
        table, k = self._new_rows(X), self.n_neighbors_
        hood = self.neighborhood_.for_rows()
        voters, by_row = self.neighborhood_.lists_and_rows(table, k)
        listed, shares = entry_shares(hood, by_row, self._weights(), k)
        total = np.bincount(listed.query, weights=shares, minlength=len(listed))
        asked, lists = (self.neighborhood_, voters) if self.aggregate == "mean" else (hood, by_row)
        some = ((begin, end, lists.part(begin, end)) for begin, end in asked.chunks(len(lists), 6, k))
        predicted, std = self._answered(X, asked, some)
        parts, names = self._parts(table, listed)
        return NumberExplanation(
            predicted=predicted,
            std=std,
            aggregate=self.aggregate,
            start=listed.start,
            rows=self.rows_[listed.voter],
            labels=self.y_[listed.voter],
            distances=listed.distance,
            shares=shares / total[listed.query],
            parts=parts,
            names=names,
            words=shared_words(self.neighborhood_.search, table, listed),
            notes=self._recall_notes(),
        )

    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> NDArray[np.float64]:
        """(n_rows, n_quantiles) weighted quantiles of the neighbours' targets.

        Parameters
        ----------
        X : Table, ndarray or data frame
            New rows.
        quantiles : sequence of float
            Each between 0 and 1.
        """
        self._check_fitted()
        self._only_target("predict_quantiles(X)")
        wanted = check_numbers("quantiles", quantiles, at_least=0.0, at_most=1.0)
        hood = self.neighborhood_.for_rows()
        parts = [
            weighted_quantiles(hood, lists, self.y_, self._weights(), self.n_neighbors_, wanted)
            for _, _, lists in self._lists(X, 6, self.n_neighbors_, hood)
        ]
        return np.concatenate(parts)


def numeric_target(table: Rows) -> NDArray[np.float64]:
    """The target as numbers."""
    if table.y is None:
        raise DataError("y is None; a regression needs a number for every row", hint="give the numbers as y")
    if table.y.dtype.kind not in "iufb":
        raise DataError(
            f"y: expected numbers, found {table.y[0]!r}", hint="KNNClassifier predicts classes, KNNRegressor numbers"
        )
    return np.asarray(table.y, dtype=np.float64)
