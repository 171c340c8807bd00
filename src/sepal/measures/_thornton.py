"""Thornton's separability index: the share of rows whose nearest neighbour has their class.

SI = (1/n) sum_i [y_i = y_nn(i)], nn(i) the nearest other row. It is the leave-one-out accuracy of 1-NN.

Reference: C. Thornton, "Separability is a learner's best friend", 1998.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName, as_table, rows_by_content
from sepal.exceptions import ParameterError
from sepal.measures._groups import ClassGroups, class_groups
from sepal.measures._labelled import Labelled, Missing, Progress, label
from sepal.neighbors import DistinctRanking, Method
from sepal.parameters import checked

ThorntonTies = Literal["expected", "index", "pessimistic", "optimistic", "jitter"]
_TIES = ("expected", "index", "pessimistic", "optimistic", "jitter")
JITTER = 1e-3  # standard deviation of the noise, in scaled units, as in the founding paper

RandomState = int | np.random.Generator | np.random.RandomState | None


def generator(random_state: RandomState) -> np.random.Generator:
    """A generator from whatever a user may give as ``random_state``."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"random_state must be None, an integer of at least 0 or a numpy generator; got {random_state!r}"
        ) from error


def first_groups(groups: ClassGroups) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Size and same-class count of each case's nearest tied group."""
    return groups.size[groups.start[:-1]], groups.same[groups.start[:-1]]


def sample_rows(data: Labelled, n_queries: int | None, rng: np.random.Generator) -> NDArray[np.intp]:
    """Which rows ask: all of them, or a random sample without replacement, in row order.

    Rows are drawn by what is in them: a seed draws the same ones however they were shuffled.
    """
    n_rows = data.n_rows
    if n_queries is None:
        return np.arange(n_rows)
    if isinstance(n_queries, bool) or not isinstance(n_queries, (int, np.integer)) or n_queries < 1:
        raise ParameterError(f"n_queries must be an integer of at least 1; got {n_queries!r}")
    if n_queries >= n_rows:
        return np.arange(n_rows)
    order = rows_by_content(data.search.table, data.codes)
    return np.sort(order[rng.choice(n_rows, size=int(n_queries), replace=False)])


def nearest_ranking(data: Labelled, rows: NDArray[np.intp], progress: Progress | None) -> DistinctRanking:
    """The nearest tied group of each asking row."""
    return data.search.distinct_ranking(1, rows=None if len(rows) == data.n_rows else rows, progress=progress)


def samples_solve(
    data: Labelled, ranking: DistinctRanking, ties: ThorntonTies, rows: NDArray[np.intp]
) -> NDArray[np.float64]:
    """For each asking row, how far its nearest neighbour agrees with it: 1, 0, or a share under ties."""
    if ties == "index":
        nearest = ranking.per_row(1, "index", rows)["flat_rows"]
        return np.asarray(data.codes[nearest] == data.codes[rows], dtype=np.float64)
    groups = class_groups(ranking, data.codes, len(data.classes), rows)
    size, same = first_groups(groups)
    share: NDArray[np.float64] = {
        "expected": same / size,
        "pessimistic": (same == size).astype(np.float64),
        "optimistic": (same > 0).astype(np.float64),
    }[ties]
    return share[groups.case_of]


def _jittered(data: Labelled, rng: np.random.Generator) -> Labelled:
    """The same rows with a little noise on every scaled coordinate, so that nothing is tied."""
    noise = rng.normal(0.0, JITTER, size=(data.n_rows, data.dense.table.n_columns))
    table = as_table(data.dense.fitted.scaling.apply(data.dense.table.values) + noise, data.codes)
    moved = label(table, None, distance="euclidean", distance_params=None, scale=None, missing="distance", n_jobs=None)
    return replace(data, search=moved.search)


@checked()
def thornton_samples(
    X: Any,
    y: Any = None,
    *,
    distance: str = "euclidean",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    ties: ThorntonTies = "expected",
    missing: Missing = "distance",
    n_queries: int | None = None,
    random_state: RandomState = None,
    method: Method = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """For each row, whether its nearest neighbour has its class.

    Parameters
    ----------
    X : Table, ndarray, data frame, scipy sparse matrix or list of sets
        The rows. A Table with a target needs no ``y``.
    y : array-like, optional
        The class of each row.
    distance : str
        ``"euclidean"``, ``"auto"`` or another name in ``sepal.distances.DISTANCES``; for sparse matrices ``"auto"`` is
        the cosine, for sets Tanimoto's distance.
    distance_params : mapping, optional
        What the distance takes: ``weights``, ``p``, ``covariance``.
    scale : {"minmax", "standard"} or None
        Scaling of numeric columns before distances are taken.
    ties : {"expected", "index", "pessimistic", "optimistic", "jitter"}
        What to do when several rows are equally near: their mean (does not depend on row order), the lowest row, agree
        only if all agree, agree if any agrees, or break ties by a little noise (for reproducing old papers; needs
        all columns numeric and depends on ``random_state``).
    missing : {"distance", "drop"}
        Leave missing cells to the distance (which must define them), or drop rows that have any.
    n_queries : int, optional
        Ask only a random sample of rows (about all rows). For data too large for all pairs.
    random_state : int, Generator or None
        For ``n_queries`` and ``ties="jitter"`` only.
    method : {"auto", "brute", "tree"}
        The neighbour search. The answer does not depend on it.
    n_jobs : int, optional
        Threads; all cores by default. The answer does not depend on it.
    progress : callable, optional
        Called now and then with the share of the work that is done.

    Returns
    -------
    ndarray of float64
        One value in [0, 1] per asking row, in row order. Dropped rows are left out.

    Examples
    --------
    >>> thornton_samples([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "a"]).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    if ties not in _TIES:
        raise ParameterError(f"ties must be one of {', '.join(_TIES)}; got {ties!r}")
    data = label(
        X,
        y,
        distance=distance,
        distance_params=distance_params,
        scale=scale,
        missing=missing,
        n_jobs=n_jobs,
        method=method,
    )
    rng = generator(random_state)
    rows = sample_rows(data, n_queries, rng)
    if ties == "jitter":
        if data.search.fitted.name != "euclidean" or distance_params:
            raise ParameterError('ties="jitter" is defined for the plain Euclidean distance on numbers only')
        data, ties = _jittered(data, rng), "index"
    return samples_solve(data, nearest_ranking(data, rows, progress), ties, rows)


@checked()
def thornton_score(
    X: Any,
    y: Any = None,
    *,
    distance: str = "euclidean",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    ties: ThorntonTies = "expected",
    missing: Missing = "distance",
    n_queries: int | None = None,
    random_state: RandomState = None,
    method: Method = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> float:
    """Thornton's separability index: the share of rows whose nearest neighbour has their class.

    It equals the leave-one-out accuracy of 1-NN. Parameters are those of :func:`thornton_samples`, of which this is the
    mean. For its chance level, significance and per-class values see :func:`thornton_test`.

    Returns
    -------
    float
        In [0, 1]. Random labels give about the sum of squared class shares, not 1/2.

    References
    ----------
    C. Thornton, "Separability is a learner's best friend", 1998.

    Examples
    --------
    >>> thornton_score([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "a"])
    0.5
    """
    samples = thornton_samples(
        X,
        y,
        distance=distance,
        distance_params=distance_params,
        scale=scale,
        ties=ties,
        missing=missing,
        n_queries=n_queries,
        random_state=random_state,
        method=method,
        n_jobs=n_jobs,
        progress=progress,
    )
    return float(np.mean(samples))
