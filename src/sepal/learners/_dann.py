"""Discriminant adaptive nearest neighbours: around each query the metric is stretched across the class boundary.

References
----------
T. Hastie, R. Tibshirani, "Discriminant adaptive nearest neighbor classification", IEEE PAMI 18, 1996.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName
from sepal.learners._numeric import NumericClassifier
from sepal.learners._parameters import DANN
from sepal.learners._votes import codes_fit
from sepal.parameters import check_parameters


class DANNClassifier(NumericClassifier):
    """Discriminant adaptive nearest neighbours (DANN): k-NN under a metric of the query's own.

    Among the ``n_metric`` nearest rows the within-class scatter W and the between-class scatter B give
    Sigma = W^-1/2 (W^-1/2 B W^-1/2 + epsilon I) W^-1/2, matrix roots throughout.

    Parameters
    ----------
    n_neighbors : int
        Rows that vote under the final metric.
    n_metric : int, optional
        Rows that shape the metric; by default a fifth of all, at least 50.
    epsilon : float
        How round the neighbourhood stays.
    n_iter : int
        How often the metric is renewed.
    scale : {"standard", "minmax"} or None
        Scaling of the columns, from the training rows.

    Notes
    -----
    Numeric tables without missing cells. Time per query is O(n p + n_metric p^2 + p^3), memory O(n p).

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> DANNClassifier().fit(table).score(table)
    0.95
    """

    parameter_table = DANN

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        n_metric: int | None = None,
        epsilon: float = 1.0,
        n_iter: int = 1,
        scale: ScaleName | None = "standard",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_metric = n_metric
        self.epsilon = epsilon
        self.n_iter = n_iter
        self.scale = scale

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> DANNClassifier:
        """Remember the rows.

        Parameters
        ----------
        X : Table, ndarray or data frame
            Numeric rows without missing cells.
        y : array-like, optional
            The classes; left out, the target of the Table.
        sample_weight : array-like, optional
            How many rows each row counts as, whole or not; a row of weight 0 takes no part.
        """
        check_parameters(self)
        self.points_, self.codes_, mass = self._training_points(X, y, sample_weight)
        self.mass_ = mass[mass > 0.0]
        return self

    def _arrays_fit(self, n_columns: int, n_classes: int) -> bool:
        n = len(self.points_)
        return (
            self.points_.shape == (n, n_columns)
            and self.points_.dtype == np.float64
            and bool(np.all(np.isfinite(self.points_)))
            and self.mass_.shape == (n,)
            and self.mass_.dtype == np.float64
            and bool(np.all((self.mass_ > 0.0) & np.isfinite(self.mass_)))
            and codes_fit(self.codes_, self.classes_, n)
        )

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(n_rows, n_classes) share of each class among the neighbours; rows tied at the last place share it."""
        queries = self._query_points(X)
        n = float(self.mass_.sum())
        n_metric = min(n, max(n // 5, 50.0) if self.n_metric is None else float(self.n_metric))
        one_hot = np.eye(len(self.classes_))[self.codes_]
        return self._settled(np.stack([self._shares(query, one_hot, n_metric) for query in queries]))

    def _shares(self, query: NDArray[np.float64], one_hot: NDArray[np.float64], n_metric: float) -> NDArray[np.float64]:
        gap = self.points_ - query
        root = np.eye(gap.shape[1])
        for _ in range(self.n_iter):
            squares = ((gap @ root) ** 2).sum(axis=1)
            root = local_root(gap, one_hot, squares, n_metric, float(self.epsilon), self.mass_)
        squares = ((gap @ root) ** 2).sum(axis=1)
        k = min(float(self.n_neighbors), float(self.mass_.sum()))
        limit = reach(squares, k, self.mass_)
        inside = self.mass_ * (squares < limit * (1 - 2.0**-40))
        tied = self.mass_ * (np.abs(squares - limit) <= limit * 2.0**-40)
        votes = inside @ one_hot + (k - inside.sum()) / tied.sum() * (tied @ one_hot)
        return np.asarray(votes / votes.sum())

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])


def reach(squares: NDArray[np.float64], k: float, mass: NDArray[np.float64]) -> float:
    """The smallest square within which rows of mass k lie."""
    order = np.argsort(squares, kind="stable")
    upto = np.cumsum(mass[order])
    return float(squares[order[min(int(np.searchsorted(upto, k * (1 - 2.0**-40))), len(order) - 1)]])


def local_root(
    gap: NDArray[np.float64],
    one_hot: NDArray[np.float64],
    squares: NDArray[np.float64],
    n_metric: float,
    epsilon: float,
    mass: NDArray[np.float64],
) -> NDArray[np.float64]:
    """A root R of the local metric: (x - x0)' Sigma (x - x0) = |R' (x - x0)|^2."""
    widest = reach(squares, n_metric, mass)
    near = squares <= widest
    ratio = np.sqrt(squares[near] / widest) if widest > 0 else np.zeros(int(near.sum()))
    weight = (1.0 - np.minimum(ratio, 1.0) ** 3) ** 3
    if weight.sum() <= 0:
        weight = np.ones_like(weight)
    weight = weight * mass[near]
    points, member = gap[near], one_hot[near] * weight[:, None]
    total, of_class = weight.sum(), member.sum(axis=0)
    present = of_class > 0
    means = (member.T @ points)[present] / of_class[present, None]
    overall = weight @ points / total
    # Within = all - between, both weighted; written with deviations, so that nothing cancels.
    own = means[np.cumsum(present)[one_hot[near].argmax(axis=1)] - 1]
    off = points - own
    within = (off * weight[:, None]).T @ off / total
    spread = means - overall
    between = (spread * (of_class[present] / total)[:, None]).T @ spread
    inverse = inverse_root(within)
    values, vectors = np.linalg.eigh(inverse @ between @ inverse + epsilon * np.eye(len(within)))
    return np.asarray(inverse @ vectors * np.sqrt(np.maximum(values, 0.0)))


def inverse_root(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse square root of a covariance; directions without spread get that of the smallest kept one."""
    values, vectors = np.linalg.eigh(matrix)
    if values[-1] <= 0:
        return np.eye(len(matrix))
    kept = values > values[-1] * len(values) * np.finfo(float).eps
    floor = np.where(kept, values, values[kept].min())
    return np.asarray(vectors / np.sqrt(floor) @ vectors.T)
