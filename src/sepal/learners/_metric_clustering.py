"""Clusters of rows and their labels together, and the classifier they make.

References
----------
A. Ben-Israel, Y. Levin, "The metric clustering classifier", 2001.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName, sorted_groups
from sepal.exceptions import ParameterError
from sepal.learners._numeric import NumericClassifier
from sepal.learners._parameters import METRIC_CLUSTERING
from sepal.parameters import check_parameters


class MetricClusteringClassifier(NumericClassifier):
    """k-means on rows and labels together: d^2 = d_X^2 + alpha [classes differ]; a cluster answers with its class mix.

    Parameters
    ----------
    alpha : float
        Weight of the label: 0 clusters the rows alone, a large value keeps clusters pure. With one cluster per class
        and a large alpha this is the nearest class mean.
    clusters_per_class : int
        Each class starts as so many clusters.
    cutoff : float, optional
        For two classes: answer the second one when its share in the cluster exceeds this. By default the largest share
        wins. A low cutoff misses fewer rows of the second class and takes more of the first for it.
    distance : {"euclidean", "mahalanobis"}
        Mahalanobis uses the pooled covariance within the clusters, renewed in every pass.
    scale : {"standard", "minmax"} or None
        Scaling of the columns, from the training rows.
    max_iter : int
        Passes at most; with Mahalanobis they need not settle.

    Attributes
    ----------
    centers_ : (n_clusters, n_columns) array
        In scaled coordinates.
    shares_ : (n_clusters, n_classes) array
        The class mix of each cluster.
    clusters_ : (n_rows,) array
        The cluster of each training row; -1 for rows of weight 0.
    n_iter_ : int
        Passes made.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> MetricClusteringClassifier().fit(table).score(table)
    0.95
    """

    parameter_table = METRIC_CLUSTERING

    def __init__(
        self,
        alpha: float = 10.0,
        *,
        clusters_per_class: int = 1,
        cutoff: float | None = None,
        distance: Literal["euclidean", "mahalanobis"] = "euclidean",
        scale: ScaleName | None = "standard",
        max_iter: int = 100,
    ) -> None:
        self.alpha = alpha
        self.clusters_per_class = clusters_per_class
        self.cutoff = cutoff
        self.distance = distance
        self.scale = scale
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MetricClusteringClassifier:
        """Form the clusters.

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
        points, codes, weights = self._training_points(X, y, sample_weight)
        mass = weights[weights > 0.0]
        one_hot = np.eye(len(self.classes_))[codes]
        solved = clustering_solve(
            points, one_hot, starting_partition(points, codes, self.clusters_per_class, mass),
            float(self.alpha), self.distance == "mahalanobis", self.max_iter, mass,
        )  # fmt: skip
        clusters, self.centers_, self.shares_, self.precision_, self.n_iter_ = solved
        self.clusters_ = np.full(len(weights), -1, dtype=np.intp)
        self.clusters_[weights > 0.0] = clusters
        return self

    def _arrays_fit(self, n_columns: int, n_classes: int) -> bool:
        n, precision = len(self.centers_), self.precision_
        return (
            n > 0
            and self.centers_.shape == (n, n_columns)
            and self.shares_.shape == (n, n_classes)
            and (precision is None or precision.shape == (n_columns, n_columns))
            and all(each is None or each.dtype == np.float64 for each in (self.centers_, self.shares_, precision))
        )

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(n_rows, n_classes) class mix of the cluster each row is nearest to."""
        points = self._query_points(X)
        return self._settled(self.shares_[_squares(points, self.centers_, self.precision_).argmin(axis=1)])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the largest share in its cluster, or by ``cutoff``."""
        shares = self.predict_proba(X)
        if self.cutoff is None:
            return np.asarray(self.classes_[shares.argmax(axis=1)])
        if len(self.classes_) != 2:
            raise ParameterError(f"cutoff is for two classes; there are {len(self.classes_)}")
        return np.asarray(self.classes_[(shares[:, 1] > self.cutoff).astype(np.intp)])


def _squares(
    points: NDArray[np.float64], centers: NDArray[np.float64], precision: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    gap = points[:, None, :] - centers[None, :, :]
    if precision is None:
        return np.asarray((gap**2).sum(axis=2))
    return np.asarray(np.einsum("ncp,pq,ncq->nc", gap, precision, gap, optimize=True))


def starting_partition(
    points: NDArray[np.float64], codes: NDArray[np.intp], n_parts: int, mass: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Each class split into parts around rows far from each other; no chance, no order of rows."""
    partition = np.zeros(len(points), dtype=np.intp)
    begin = 0
    for code in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == code)
        middle = np.average(points[rows], axis=0, weights=mass[rows])
        seeds = [middle] if n_parts == 1 else _far_apart(points[rows], n_parts, middle)
        partition[rows] = begin + _squares(points[rows], np.array(seeds), None).argmin(axis=1)
        begin += len(seeds)
    return np.unique(partition, return_inverse=True)[1].astype(np.intp)


def _far_apart(points: NDArray[np.float64], n_parts: int, middle: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    distinct = points[sorted_groups(points)[0]]  # equally far rows are taken by their coordinates
    gap = ((distinct - middle) ** 2).sum(axis=1)
    seeds: list[NDArray[np.float64]] = []
    while len(seeds) < min(n_parts, len(distinct)):
        seeds.append(distinct[int(np.argmax(gap))])
        gap = _squares(distinct, np.array(seeds), None).min(axis=1)
    return seeds


def clustering_solve(
    points: NDArray[np.float64],
    one_hot: NDArray[np.float64],
    partition: NDArray[np.intp],
    alpha: float,
    mahalanobis: bool,
    max_iter: int,
    mass: NDArray[np.float64],
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None, int]:
    """Reassign rows to the nearest centre until nothing changes, a partition returns, or the passes are used up.

    Returns the partition, centres, class shares, the inverse covariance (None for Euclidean) and the number of passes.
    """
    n_clusters = int(partition.max()) + 1
    seen: set[bytes] = set()
    n_iter = 0
    centers, shares, precision = _describe(points, one_hot, partition, n_clusters, mahalanobis, mass)
    while n_iter < max_iter and partition.tobytes() not in seen:
        seen.add(partition.tobytes())
        n_iter += 1
        # Half the squared distance of one-hot rows is 1 between different classes.
        cost = _squares(points, centers, precision) + alpha / 2.0 * _squares(one_hot, shares, None)
        here = cost[np.arange(len(points)), partition]
        best = cost.argmin(axis=1)
        moved = np.where(cost.min(axis=1) < here * (1 - 1e-12), best, partition)
        _fill_empty(moved, here, n_clusters)
        changed = not np.array_equal(moved, partition)
        partition = moved
        centers, shares, precision = _describe(points, one_hot, partition, n_clusters, mahalanobis, mass)
        if not changed:
            break
    return partition, centers, shares, precision, n_iter


def _fill_empty(partition: NDArray[np.intp], cost: NDArray[np.float64], n_clusters: int) -> None:
    """An empty cluster takes the row that is farthest from its centre, unless that row is alone; in place."""
    for cluster in range(n_clusters):
        if np.any(partition == cluster):
            continue
        sizes = np.bincount(partition, minlength=n_clusters)
        free = np.where(sizes[partition] > 1, cost, -np.inf)
        partition[int(np.argmax(free))] = cluster


def _describe(
    points: NDArray[np.float64],
    one_hot: NDArray[np.float64],
    partition: NDArray[np.intp],
    n_clusters: int,
    mahalanobis: bool,
    mass: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
    member = np.eye(n_clusters)[partition] * mass[:, None]
    sizes = member.sum(axis=0)[:, None]
    centers, shares = member.T @ points / sizes, member.T @ one_hot / sizes
    if not mahalanobis:
        return centers, shares, None
    within = points - centers[partition]
    return centers, shares, np.linalg.pinv((within * mass[:, None]).T @ within / mass.sum(), hermitian=True)
