"""The selector: subset selection as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from sepal.data import Table, rows_inside
from sepal.estimators import Diet, TableEstimator, as_data_errors, check_column_count, refuse_sets
from sepal.exceptions import DataError
from sepal.parameters import check_parameters
from sepal.selection._choose import Prefer, Procedure
from sepal.selection._criteria import CriterionLike, CriterionTies, Mahalanobis
from sepal.selection._parameters import SELECTOR
from sepal.selection._problem import Blocks, Columns


class SeparabilitySelector(SelectorMixin, TableEstimator):  # type: ignore[misc]
    """Select the features that separate the classes best.

    Parameters
    ----------
    strategy : str
        ``"auto"`` scores every subset if that fits in ``time_limit`` (10 seconds where there is none), else searches
        by ``"floating"`` for as long; ``"sweep"``, or a strategy of :func:`search_subsets`.
    criterion : str, Criterion or callable
        As in :func:`subset_sweep`.
    n_features : int, optional
        Wanted number of features; any by default.
    prefer : {"best", "smallest"}
        The best subset, or the smallest that the data cannot tell from it.
    scale, ties, blocks, keep
        As in :func:`subset_sweep`. Scaling is used to compare rows only; ``transform`` returns columns as they came.
    time_limit, max_evaluations, patience, random_state
        As in :func:`search_subsets`.
    n_jobs : int, optional
        Threads; all cores by default.

    Attributes
    ----------
    support_ : ndarray of bool
        Which columns are selected.
    search_ : SubsetSweep or SubsetSearch
        All scores, near-best subsets and history.
    subset_ : Subset
        The selected subset and its (optimistic) score.
    scores_ : ndarray
        Per column the best score met with it less the best score met without it; larger is more useful. Columns that
        are always in, or never met, get 0.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import sepal.datasets
    >>> table = sepal.datasets.load("liver")
    >>> SeparabilitySelector().fit(table.values, table.y).get_support(indices=True).tolist()
    [0, 2, 3, 4, 5]
    """

    parameter_table = SELECTOR

    def __init__(
        self,
        strategy: str = "auto",
        criterion: CriterionLike = "thornton",
        *,
        n_features: int | None = None,
        prefer: Prefer = "best",
        scale: str | None = "minmax",
        ties: CriterionTies = "expected",
        blocks: Blocks | None = None,
        keep: Columns = (),
        time_limit: float | None = None,
        max_evaluations: int | None = None,
        patience: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.strategy = strategy
        self.criterion = criterion
        self.n_features = n_features
        self.prefer = prefer
        self.scale = scale
        self.ties = ties
        self.blocks = blocks
        self.keep = keep
        self.time_limit = time_limit
        self.max_evaluations = max_evaluations
        self.patience = patience
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> SeparabilitySelector:
        """Select features of rows with known classes.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The rows.
        y : array-like, optional
            The class of each row; a Table with a target needs none.
        groups : array-like, "rows", "copies" or None
            Which rows are left out together, as in :func:`subset_sweep`.
        """
        check_parameters(self)
        procedure = Procedure(**{name: getattr(self, name) for name in self.get_params(deep=False)})
        X = rows_inside(X)
        if y is None and (not isinstance(X, Table) or X.y is None):
            raise DataError("y is None: requires y to be passed, but the target y is None")
        problem = procedure.prepare(self._training_rows(X, y), groups=groups)
        result = procedure.run(problem)
        self.search_ = result
        self.subset_ = procedure.choose(result)
        self.support_ = np.isin(np.arange(self.n_features_in_), self.subset_.columns)
        self.scores_ = _column_scores(result)
        return self

    def transform(self, X: Any) -> Any:
        """The selected columns, in the container they came in; a Table stays a Table.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The rows. Columns go by name where the training rows had names.
        """
        check_is_fitted(self)
        X, _ = self._in_training_order(X)
        if not isinstance(X, Table):
            refuse_sets(X, self)
            with as_data_errors():
                return super().transform(X)
        check_column_count(X.n_columns, self.n_features_in_, self)
        return X.select(np.flatnonzero(self.support_).tolist())

    def inverse_transform(self, X: Any) -> Any:
        """Rows of all training columns, with 0 in those that were not selected.

        Parameters
        ----------
        X : Table, ndarray or data frame
            Rows of the selected columns, as ``transform`` gives them.
        """
        X = rows_inside(X)
        with as_data_errors():
            return super().inverse_transform(X.values if isinstance(X, Table) else X)

    def fits_together(self) -> bool:
        """Whether a selector from a file knows of each column whether it is selected."""
        support = vars(self).get("support_")
        if support is None:
            return True
        return bool(support.dtype == np.bool_ and support.shape == (self.n_features_in_,))

    def _diet(self) -> Diet:
        named = isinstance(self.criterion, str) and self.criterion == "mahalanobis"
        any_cell = not named and not isinstance(self.criterion, Mahalanobis)
        return Diet(levels=any_cell, missing=any_cell)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _column_scores(result: Any) -> NDArray[np.float64]:
    """The best score met with each column less the best met without it."""
    problem = result.problem
    if isinstance(result.scores, dict):  # masks of any length
        masks = np.array(list(result.scores), dtype=object)
        values = np.array(list(result.scores.values()))
    else:
        masks = np.arange(problem.smallest_mask, len(result.scores))
        values = result.scores[masks]
    scores = np.zeros(problem.table.n_columns)
    for unit, columns in enumerate(problem.units):
        held = (masks >> unit & 1) == 1
        if held.any() and not held.all():
            scores[list(columns)] = values[held].max() - values[~held].max()
    return scores
