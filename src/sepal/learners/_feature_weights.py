"""Where the weights of columns come from: the labels.

References
----------
C. Cortes, M. Mohri, A. Rostamizadeh, "Algorithms for learning kernels based on centered alignment", JMLR 13, 2012.
J. Goldberger and others, "Neighbourhood components analysis", NIPS 2004 (here with a diagonal matrix).
M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", 2003.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data import (
    Table,
    as_table,
    class_codes,
    data_frame,
    fit_scaling,
    frame_html,
    left_out_together,
    name_order,
    refuse_texts,
    rows_by_content,
)
from sepal.exceptions import ParameterError
from sepal.learners._knn_classifier import KNNClassifier
from sepal.learners._leave_one_out import LeaveOneOutCurve
from sepal.learners._neighbor_lists import NeighborLists
from sepal.learners._neighborhood import Neighborhood
from sepal.learners._vote_weights import VoteWeights
from sepal.learners._votes import entry_shares
from sepal.measures import align_solve, mutual_information
from sepal.parameters import Parameter, checked

WeightMethod = Literal["nca", "relieff", "alignment", "mutual_information"]
WEIGHT_METHODS = ("nca", "relieff", "alignment", "mutual_information")
_ALIGNED_ROWS = 1500  # alignment holds matrices of rows by rows
_BLOCK = 2_000_000


@dataclass(frozen=True, eq=False)
class LearnedWeights:
    """A weight per column, and what it does to leave-one-out.

    Attributes
    ----------
    weights : (n_columns,) array
        At least 0, mean 1. Give it (or this object) as ``feature_weights``.
    names : tuple of str
    method : str
    before, after : LeaveOneOutCurve
        With equal weights, and with these.
    notes : tuple of str

    Examples
    --------
    >>> import sepal
    >>> from sepal.learners import learn_feature_weights
    >>> found = learn_feature_weights(sepal.datasets.load("athletes"), method="relieff")
    >>> found.weights.round(2).tolist()
    [1.78, 0.22]
    """

    weights: NDArray[np.float64]
    names: tuple[str, ...]
    method: str
    before: LeaveOneOutCurve
    after: LeaveOneOutCurve
    notes: tuple[str, ...]

    def _heaviest_first(self) -> NDArray[np.intp]:
        """The columns, the weightiest first; among equals by name."""
        return np.lexsort((np.argsort(name_order(self.names)), -self.weights))

    def frame(self) -> Any:
        """One line per column, the weightiest first."""
        order = self._heaviest_first()
        return data_frame({"column": [self.names[j] for j in order], "weight": self.weights[order]})

    def plot(self, ax: Any = None) -> Any:
        """The weights as bars."""
        from sepal.plots import draw_split_bars

        order = self._heaviest_first()
        bars = [self.names[j] for j in order]
        return draw_split_bars(self.weights[order, None], bars, [""], xlabel=f"weight by {self.method}", ax=ax)

    def __str__(self) -> str:
        return (
            f"weights by {self.method}: leave-one-out accuracy {self.before.score.max():.4f} before, "
            f"{self.after.score.max():.4f} after; " + "; ".join(self.notes)
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>{frame_html(self)}"


@checked(
    Parameter("n_neighbors", "whole", "how many rows vote", at_least=1),
    Parameter("max_iter", "whole", "steps at most", at_least=1),
)
def learn_feature_weights(
    X: Any,
    y: Any = None,
    *,
    method: WeightMethod = "nca",
    n_neighbors: int = 10,
    max_iter: int = 100,
    k_max: int | None = None,
    groups: Any = None,
    random_state: int | None = 0,
    n_jobs: int | None = None,
) -> LearnedWeights:
    """Weights for the columns of a distance, learnt from the classes.

    Parameters
    ----------
    X, y : rows and classes
        A Table, or X and y.
    method : {"nca", "relieff", "alignment", "mutual_information"}
        ``"nca"``: the weights under which a random near row most often has the right class (gradient ascent; n^2 p per
        step). ``"relieff"``: columns in which rows differ from near rows of other classes more than from near rows of
        their own. ``"alignment"``: the weights under which a Gaussian kernel agrees best with the classes (gradient
        ascent; of more than 1,500 rows a random sample). ``"mutual_information"``: each column by itself, interactions
        ignored.
    n_neighbors : int
        Near rows per class, for ReliefF.
    max_iter : int
        Steps, for NCA and alignment.
    k_max : int, optional
        Of the leave-one-out curves.
    groups : array-like, "rows", "copies" or None
        Rows that are no neighbours of each other for NCA and ReliefF, and are left out together by the curves: those
        with the same label in an array; "rows": each alone; "copies": all that are equal in every column. None: copies
        where their numbers show that records were repeated, else each alone.
    random_state : int or None
        For mutual information, whose estimate breaks ties by a little noise, and for the sample of alignment.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    LearnedWeights

    Notes
    -----
    Missing cells count as the column's mean (NCA, alignment), as the mean difference in the column (ReliefF), or are
    left out (mutual information). Columns are scaled to [0, 1] first, levels differ by 1.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> learn_feature_weights(table, method="relieff").weights.round(2).tolist()
    [1.78, 0.22]
    """
    if method not in WEIGHT_METHODS:
        raise ParameterError(f"method must be one of {', '.join(WEIGHT_METHODS)}; got {method!r}")
    table = as_table(X, y)
    refuse_texts(table, "weights are learned for numbers and names")
    codes, classes = class_codes(table)
    together = left_out_together(table, groups).groups
    if method == "nca":
        raw = nca_solve(table, codes, max_iter, together)
    elif method == "relieff":
        raw = relieff_solve(table, codes, len(classes), n_neighbors, n_jobs, together)
    elif method == "alignment":
        raw = _alignment(table, codes, max_iter, random_state, n_jobs)
    else:
        raw = _mutual_information(table, codes)
    weights = np.maximum(raw, 0.0)
    notes: tuple[str, ...] = ("weights learnt from these rows make their leave-one-out optimistic",)
    if not np.any(weights > 0):
        weights, notes = np.ones_like(weights), ("no column tells the classes apart: all weights are equal",)
    weights = weights * (len(weights) / weights.sum())
    curves = [
        KNNClassifier(feature_weights=given, k_max=k_max, n_jobs=n_jobs).fit(table, groups=groups).loo_curve_
        for given in (None, weights)
    ]
    return LearnedWeights(weights, table.names, method, curves[0], curves[1], notes)


def _scaled(table: Table) -> NDArray[np.float64]:
    return fit_scaling(table.values, table.kinds, "minmax", levels=table.levels).apply(table.values)


def _coordinates(table: Table) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Numbers as they are, levels as corners of a simplex at squared distance 1; and the column of each coordinate."""
    scaled, parts, columns = _scaled(table), [], []
    for j, kind in enumerate(table.kinds):
        column = scaled[:, j]
        missing = np.isnan(column)
        if kind == "nominal":
            part = np.zeros((len(column), len(table.levels[j] or ())))
            part[np.flatnonzero(~missing), column[~missing].astype(np.intp)] = np.sqrt(0.5)
        else:
            part = column[:, None].copy()
        part[missing] = part[~missing].mean(axis=0) if not missing.all() else 0.0
        parts.append(part)
        columns += [j] * part.shape[1]
    return np.concatenate(parts, axis=1), np.array(columns, dtype=np.intp)


def nca_solve(
    table: Table, codes: NDArray[np.int32], max_iter: int, groups: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Squared factors w_f^2 that maximise the expected number of rows whose random near row has their class."""
    points, columns = _coordinates(table)
    spread = float(np.sqrt(np.mean(np.var(points, axis=0)) * points.shape[1])) or 1.0
    start = np.full(table.n_columns, 1.0 / spread)

    def negative(factors: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, slope = nca_value(points, columns, codes, factors, groups)
        return -value, -slope

    from scipy.optimize import minimize  # late: slow to import

    found = minimize(negative, start, jac=True, method="L-BFGS-B", options={"maxiter": max_iter})
    return np.asarray(found.x**2)


def nca_value(
    points: NDArray[np.float64],
    columns: NDArray[np.intp],
    codes: NDArray[np.int32],
    factors: NDArray[np.float64],
    groups: NDArray[np.intp] | None = None,
) -> tuple[float, NDArray[np.float64]]:
    """The objective sum_i p_i and its gradient; rows in blocks, memory is O(n block). Rows of one group are not near.

    With V_ij = P_ij (p_i - [same class]): gradient_f = 2 w_f (sum_i x_f^2 (row and column sums of V) - 2 x_f' V x_f).
    """
    scaled = points * factors[columns]
    lengths = (scaled**2).sum(axis=1)
    n = len(points)
    units = np.arange(n) if groups is None else groups
    value, squares, products = 0.0, np.zeros(points.shape[1]), np.zeros(points.shape[1])
    step = max(1, _BLOCK // n)
    for begin in range(0, n, step):
        rows = np.arange(begin, min(begin + step, n))
        D = lengths[rows, None] + lengths[None, :] - 2.0 * scaled[rows] @ scaled.T
        D[units[rows][:, None] == units[None, :]] = np.inf
        P = np.exp(D.min(axis=1, keepdims=True) - D)
        P /= P.sum(axis=1, keepdims=True)
        same = codes[rows, None] == codes[None, :]
        right = (P * same).sum(axis=1)
        value += float(right.sum())
        V = P * (right[:, None] - same)
        squares += (V.sum(axis=1) @ points[rows] ** 2) + (V.sum(axis=0) @ points**2)
        products += np.einsum("if,if->f", points[rows], V @ points)
    by_column = np.bincount(columns, weights=squares - 2.0 * products, minlength=len(factors))
    return value, 2.0 * factors * by_column


def _alignment(
    table: Table, codes: NDArray[np.int32], max_iter: int, random_state: int | None, n_jobs: int | None
) -> NDArray[np.float64]:
    points, columns = _coordinates(table)
    if len(points) > _ALIGNED_ROWS:
        rows = np.random.default_rng(random_state).choice(len(points), _ALIGNED_ROWS, replace=False)
        rows = np.sort(rows_by_content(table, codes)[rows])
        points, codes = points[rows], codes[rows]
    return align_solve(points, columns, np.unique(codes, return_inverse=True)[1].astype(np.int32), max_iter, n_jobs)


def relieff_solve(
    table: Table,
    codes: NDArray[np.int32],
    n_classes: int,
    n_neighbors: int,
    n_jobs: int | None,
    groups: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """Mean difference to near rows of the other classes, by their size, minus that to near rows of the own class."""
    scaled = _scaled(table)
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    usual = _mean_differences(scaled, nominal)
    hood = Neighborhood.prepare(
        table, None, distance="auto", distance_params=None, scale="minmax", ties="expected", n_jobs=n_jobs
    ).for_rows()
    size = np.bincount(codes, minlength=n_classes) / len(codes)
    total = np.zeros(table.n_columns)
    uniform = VoteWeights("uniform")
    for code in range(n_classes):
        members = np.flatnonzero(codes == code)
        among = hood.among(members)
        for own in range(n_classes):
            asking = np.flatnonzero(codes == own)
            k = min(n_neighbors, len(members) - (own == code))
            if k < 1:
                continue
            if groups is not None:
                lists, asking = _lists_outside(among, table, asking, members, k, groups)
            else:
                lists = among.lists_without(k) if own == code else among.lists(table.take(asking), k)
            if len(asking) == 0:
                continue
            listed, share = entry_shares(among, lists, uniform, k)
            share *= k / np.bincount(listed.query, weights=share)[listed.query]  # some have fewer than k
            gap = scaled[asking[listed.query]] - scaled[members[listed.voter]]
            difference = np.where(nominal, gap != 0, np.abs(gap))
            difference = np.where(np.isnan(gap), usual, difference)
            mean = share @ difference / k
            total += -mean if own == code else mean * size[code] / (1.0 - size[own])
    return np.asarray(total / len(codes))


def _lists_outside(
    among: Neighborhood,
    table: Table,
    asking: NDArray[np.intp],
    members: NDArray[np.intp],
    k: int,
    groups: NDArray[np.intp],
) -> tuple[NeighborLists, NDArray[np.intp]]:
    """The nearest members of a class that are of another group, and those of the asking rows that have any."""
    depth = min(k + int(np.bincount(groups).max()), len(members))
    lists = among.lists(table.take(asking), depth)
    lists = lists.where(groups[members[lists.voter]] != groups[asking[lists.query]])
    lengths = np.diff(lists.start)
    start = np.concatenate([[0], np.cumsum(lengths[lengths > 0])]).astype(np.int64)
    return NeighborLists(start, lists.voter, lists.distance), asking[lengths > 0]


def _mean_differences(scaled: NDArray[np.float64], nominal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Mean difference of two random rows in each column: what a missing cell is taken for."""
    found = np.zeros(scaled.shape[1])
    for j, column in enumerate(scaled.T):
        present = np.sort(column[~np.isnan(column)])
        n = len(present)
        if n < 2:
            continue
        if nominal[j]:
            shares = np.unique(present, return_counts=True)[1] / n
            found[j] = 1.0 - float((shares**2).sum())
        else:
            found[j] = 2.0 * float((2 * np.arange(1, n + 1) - n - 1) @ present) / (n * n)
    return found


def _mutual_information(table: Table, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    scaled, found = _scaled(table), np.zeros(table.n_columns)
    for j, kind in enumerate(table.kinds):
        present = ~np.isnan(scaled[:, j])
        found[j] = mutual_information(scaled[present, j], codes[present], discrete=kind != "numeric")
    return found
