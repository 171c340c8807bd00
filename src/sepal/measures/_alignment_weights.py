"""Feature weights, and weights of given kernels, that align best with the classes.

References
----------
C. Cortes, M. Mohri, A. Rostamizadeh, "Algorithms for learning kernels based on centered alignment", JMLR 13, 2012.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.data import ScaleName, as_table, class_codes, data_frame, frame_html, rows_by_content
from sepal.exceptions import DataError
from sepal.kernels import as_gram, center_gram, squared_distances
from sepal.measures._alignment import Array, Target, class_target
from sepal.measures._alignment_curve import alignment_curve, kernel_points
from sepal.measures._prepared import settled
from sepal.parameters import Parameter, checked, generator

_NEGLIGIBLE = 1e-6  # weights below this share of the largest count as 0


def _target_matrix(codes: NDArray[np.int32], n_classes: int, target: Target) -> Array:
    wanted = class_target(np.bincount(codes, minlength=n_classes), target)
    T = np.where(codes[:, None] == codes[None, :], wanted.within[codes][:, None], 0.0) + wanted.offset
    return center_gram(T)


def weighted_alignment(X: Array, Tc: Array, weights: Array) -> tuple[float, Array]:
    """Centred alignment of exp(-sum_f w_f (x_f - z_f)^2) with a centred target, and its gradient by w.

    With M = dA/dK and W = K o M the gradient is -2 (W1 . x_f^2 - x_f' W x_f): one product W X for all features.
    """
    scaled = X * np.sqrt(weights)
    D = squared_distances(scaled, scaled)
    np.fill_diagonal(D, 0.0)
    K = np.exp(-D)
    Kc = center_gram(K)
    inner, square, norm = float(np.sum(Kc * Tc)), float(np.sum(Kc * Kc)), float(np.linalg.norm(Tc))
    if square <= 0.0:
        return 0.0, np.zeros(X.shape[1])
    score = inner / (np.sqrt(square) * norm)
    W = K * (Tc / (np.sqrt(square) * norm) - score * Kc / square)
    gradient = -2.0 * (W.sum(axis=1) @ X**2 - np.sum(X * (W @ X), axis=0))
    return score, gradient


@dataclass(frozen=True, eq=False)
class FeatureWeights:
    """A weight per feature for exp(-sum_f w_f (x_f - z_f)^2), found by gradient ascent on centred alignment.

    Attributes
    ----------
    names : tuple of str
    weights : ndarray
        Of the best start, on scaled columns; 0 where negligible.
    score, start_score : float
        Alignment with these weights, and with the best equal weights.
    starts, start_weights : ndarray
        Alignment reached from each start, and its weights, one line per start.
    n_rows : int
        Rows used.
    notes : tuple of str

    Examples
    --------
    >>> import sepal
    >>> from sepal.measures import align_feature_weights
    >>> found = align_feature_weights(sepal.datasets.load("athletes"), max_iter=20)
    >>> found.names, bool(found.weights[0] > found.weights[1])
    (('speed', 'agility'), True)
    """

    names: tuple[str, ...]
    weights: Array
    score: float
    start_score: float
    starts: Array
    start_weights: Array
    n_rows: int
    notes: tuple[str, ...] = ()

    @property
    def spread(self) -> float:
        """The difference between the best and the worst start: large if the ascent finds different peaks."""
        return float(self.starts.max() - self.starts.min())

    def frame(self) -> Any:
        """One line per feature, with the range of its weight over the starts."""
        low, high = self.start_weights.min(axis=0), self.start_weights.max(axis=0)
        return data_frame({"feature": self.names, "weight": self.weights, "lowest": low, "highest": high})

    def _repr_html_(self) -> str:
        return frame_html(self)


@checked(
    Parameter("n_starts", "whole", "how many starting points are tried", at_least=1, at_most=10**6),
    Parameter("max_rows", "whole", "rows used at most; of more a sample", at_least=2),
    Parameter("max_iter", "whole", "steps at most from each start", at_least=1),
    Parameter("missing", "word", "what to do about rows with missing cells", words=("error", "drop")),
)
def align_feature_weights(
    X: Any,
    y: Any = None,
    *,
    n_starts: int = 5,
    scale: ScaleName | None = "minmax",
    target: Target = "signed",
    max_rows: int = 1500,
    max_iter: int = 200,
    missing: Literal["error", "drop"] = "error",
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> FeatureWeights:
    """A weight per feature that aligns the Gaussian kernel best with the classes.

    The problem has several peaks: the ascent starts from equal weights at the best width and from random ones around
    it, and the spread between the starts is reported. Weights fitted on all rows make later leave-one-out figures on
    the same rows optimistic.

    Parameters
    ----------
    X, y
        Labelled rows with numeric columns.
    n_starts : int
        How many starts, the equal weights included.
    scale : {"minmax", "standard"} or None
        How columns are scaled first; the weights belong to scaled columns.
    target : {"signed", "indicator", "balanced"}
        See :func:`kernel_alignment`.
    max_rows : int
        Use a random sample of this many rows if there are more: time and memory grow with its square.
    max_iter : int
        Most steps per start.
    missing : {"error", "drop"}
        What to do about rows with missing cells.
    random_state : int or RandomState
        For the starts and the sample.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    FeatureWeights

    Examples
    --------
    >>> import sepal
    >>> found = align_feature_weights(sepal.datasets.load("athletes"), max_iter=20)
    >>> round(float(found.start_score), 2), round(float(found.score), 2)
    (0.59, 0.73)
    """
    scale = settled(X, scale=scale)["scale"]
    table = as_table(X, y)
    if missing == "drop":
        table = table.drop_missing()
    rng = generator(random_state)
    notes: tuple[str, ...] = ()
    if table.n_rows > max_rows:
        notes = (f"a random sample of {max_rows} of {table.n_rows} rows was used",)
        # Drawn in an order by values, so that the order of rows and columns does not matter.
        ordered = rows_by_content(table, class_codes(table)[0])
        table = table.take(ordered[np.sort(rng.choice(table.n_rows, max_rows, replace=False))])
    codes, classes = class_codes(table)
    points = kernel_points(table, "rbf", scale)
    best_gamma, start_score = _best_equal_weights(points, codes, target, n_jobs)
    first = np.full(points.shape[1], np.log(best_gamma))
    Tc = _target_matrix(codes, len(classes), target)
    columns = np.arange(points.shape[1])
    points = points - points.mean(axis=0)
    found = []
    for start in range(n_starts):
        log_weights = first if start == 0 else first + rng.normal(scale=1.5, size=len(first))
        found.append(_ascend(points, columns, Tc, log_weights, max_iter))
    scores = np.array([score for score, _ in found])
    all_weights = np.array([weights for _, weights in found])
    weights = all_weights[int(np.argmax(scores))]
    weights = np.where(weights < _NEGLIGIBLE * weights.max(), 0.0, weights)
    score = weighted_alignment(points, Tc, weights)[0]
    return FeatureWeights(table.names, weights, score, start_score, scores, all_weights, table.n_rows, notes)


def _best_equal_weights(
    points: Array, codes: NDArray[np.int32], target: Target, n_jobs: int | None
) -> tuple[float, float]:
    """The weight that aligns best if all coordinates have it, and how well."""
    curve = alignment_curve(points, codes, target=target, scale=None, n_jobs=n_jobs)
    return curve.best_gamma, curve.best_score


def align_solve(
    points: Array, columns: NDArray[np.intp], codes: NDArray[np.int32], max_iter: int, n_jobs: int | None
) -> Array:
    """A weight per column, from equal weights on; ``columns`` says which column each coordinate belongs to."""
    gamma, _ = _best_equal_weights(points, codes, "signed", n_jobs)
    Tc = _target_matrix(codes, int(codes.max()) + 1, "signed")
    first = np.full(int(columns.max()) + 1, np.log(gamma))
    weights = _ascend(points - points.mean(axis=0), columns, Tc, first, max_iter)[1]
    return np.where(weights < _NEGLIGIBLE * weights.max(), 0.0, weights)


def _ascend(
    points: Array, columns: NDArray[np.intp], Tc: Array, log_weights: Array, max_iter: int
) -> tuple[float, Array]:
    """L-BFGS on the logarithms of the weights, which keeps them positive."""

    def loss(theta: Array) -> tuple[float, Array]:
        weights = np.exp(theta)
        score, gradient = weighted_alignment(points, Tc, weights[columns])
        by_column = np.bincount(columns, weights=gradient, minlength=len(weights)).astype(np.float64)
        return -score, -by_column * weights

    bounds = [(value - 25.0, value + 12.0) for value in log_weights]
    from scipy.optimize import minimize  # late: slow to import

    result = minimize(loss, log_weights, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": max_iter})
    return float(-result.fun), np.exp(result.x)


@dataclass(frozen=True, eq=False)
class KernelWeights:
    """A non-negative combination of kernels.

    Attributes
    ----------
    weights : ndarray
        Of length 1; 0 for a kernel that does not help.
    score : float
        Centred alignment of the combination.
    single_scores : ndarray
        Centred alignment of each kernel alone.

    Examples
    --------
    >>> import numpy as np
    >>> from sepal.measures import align_kernels
    >>> x = np.array([0.0, 0.1, 0.9, 1.0])
    >>> found = align_kernels([np.outer(x - 0.5, x - 0.5), np.eye(4)], ["a", "a", "b", "b"])
    >>> bool(found.weights[0] > found.weights[1])
    True
    """

    weights: Array
    score: float
    single_scores: Array

    def combine(self, kernels: Sequence[ArrayLike]) -> Array:
        """The weighted sum of Gram matrices."""
        return np.asarray(sum(w * np.asarray(K, dtype=np.float64) for w, K in zip(self.weights, kernels, strict=True)))


@checked()
def align_kernels(kernels: Sequence[ArrayLike], y: Any, *, target: Target = "signed") -> KernelWeights:
    """The non-negative combination of given kernels with the highest centred alignment.

    It solves min v'Mv - 2 v'a over v >= 0, M_kl = <Kc_k, Kc_l>, a_k = <Kc_k, Tc>: a convex problem with one answer.

    Parameters
    ----------
    kernels : sequence of array-like
        Gram matrices of the same rows.
    y : array-like
        Class labels.
    target : {"signed", "indicator", "balanced"}
        See :func:`kernel_alignment`.

    Returns
    -------
    KernelWeights

    Raises
    ------
    DataError
        If the matrices do not fit the labels, or all of them are constant.

    Examples
    --------
    >>> x = np.array([0.0, 0.1, 0.9, 1.0])
    >>> found = align_kernels([np.outer(x - 0.5, x - 0.5), np.eye(4)], ["a", "a", "b", "b"])
    >>> round(float(found.score), 2)
    0.99
    """
    codes, classes = class_codes(y)
    if len(kernels) == 0:
        raise DataError("kernels: expected at least one Gram matrix, found none")
    centered = []
    for k, K in enumerate(kernels):
        matrix = as_gram(K, f"kernels[{k}]")
        if len(matrix) != len(codes):
            raise DataError(f"kernels[{k}] has {len(matrix)} rows and y has {len(codes)} labels; they must agree")
        centered.append(center_gram(matrix))
    Tc = _target_matrix(codes, len(classes), target)
    M = np.array([[float(np.sum(A * B)) for B in centered] for A in centered])
    a = np.array([float(np.sum(A * Tc)) for A in centered])
    lengths = np.sqrt(np.diag(M))
    if not np.any(lengths > 0):
        raise DataError("all kernels are constant after centring: there is nothing to align")
    units = np.where(lengths > 0, lengths, 1.0)
    # M = R'R, so that the problem is min |Rv - R^-T a|; eigenvectors cope with kernels that repeat each other.
    values, vectors = np.linalg.eigh(M / np.outer(units, units))
    kept = values > 1e-12 * values[-1]
    R = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    from scipy.optimize import nnls  # late: slow to import

    v = nnls(R, (vectors[:, kept].T @ (a / units)) / np.sqrt(values[kept]))[0] / units
    norm_T = float(np.linalg.norm(Tc))
    single = np.where(lengths > 0, a / (units * norm_T), 0.0)
    square = float(v @ M @ v)
    if square <= 0.0:  # no kernel has positive alignment
        return KernelWeights(np.zeros(len(v)), 0.0, single)
    return KernelWeights(v / np.linalg.norm(v), float(v @ a / (np.sqrt(square) * norm_T)), single)
