"""Thornton's separability index: the share of rows whose nearest neighbour has their class.

SI = (1/n) sum_i [y_i = y_nn(i)], nn(i) the nearest other row. It is the leave-one-out accuracy of 1-NN.

Reference: C. Thornton, "Separability is a learner's best friend", 1998.
"""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.data import as_table
from sepal.exceptions import ParameterError
from sepal.measures._class_groups import ClassGroups, class_groups
from sepal.measures._prepared import PREPARING_SEARCH, Prepared, PreparingSearch, prepare
from sepal.measures._thornton_groups import groups_of, samples_of_groups
from sepal.neighbors import DistinctRanking, refuse_approximate
from sepal.parameters import RandomState, checked, generator
from sepal.progress import Progress

ThorntonTies = Literal["expected", "index", "pessimistic", "optimistic", "jitter"]
_TIES = ("expected", "index", "pessimistic", "optimistic", "jitter")
JITTER = 1e-3  # standard deviation of the noise, in scaled units, as in the founding paper


def first_groups(groups: ClassGroups) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Size and same-class count of each case's nearest tied group."""
    return groups.size[groups.start[:-1]], groups.same[groups.start[:-1]]


def nearest_ranking(data: Prepared, rows: NDArray[np.intp], progress: Progress | None) -> DistinctRanking:
    """The nearest tied group of each asking row."""
    return data.ranking(1, rows, progress)


def samples_solve(
    data: Prepared, ranking: DistinctRanking, ties: ThorntonTies, rows: NDArray[np.intp]
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


def _jittered(data: Prepared, rng: np.random.Generator) -> Prepared:
    """The same rows with a little noise on every scaled coordinate, so that nothing is tied."""
    noise = rng.normal(0.0, JITTER, size=(data.n_rows, data.dense.table.n_columns))
    table = as_table(data.dense.fitted.scaling.apply(data.dense.table.values) + noise, data.codes)
    return prepare(table, distance="euclidean", scale=None)


@checked(passes_on=PREPARING_SEARCH)
def thornton_samples(
    X: Any,
    y: Any = None,
    *,
    ties: ThorntonTies = "expected",
    groups: Any = None,
    n_queries: int | None = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
    **how: Unpack[PreparingSearch],
) -> NDArray[np.float64]:
    """For each row, whether its nearest neighbour has its class.

    Parameters
    ----------
    X : Table, ndarray, data frame, scipy sparse matrix, list of sets, or what :func:`sepal.prepare` made of them
        The rows. A Table with a target needs no ``y``.
    y : array-like, optional
        The class of each row.
    distance : str
        A name in ``sepal.distances.DISTANCES``. ``"auto"`` is Euclidean for complete numbers, HEOM where columns are
        nominal or cells are missing, the cosine for sparse matrices, Tanimoto's distance for sets.
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
    groups : array-like, "copies" or None
        Rows that are no neighbours of each other: those with the same label in an array, or "copies", equal in every
        column. None: any other row may be the nearest, a copy too, as the index is defined. Of something prepared the
        labels are for the rows that take part.
    n_queries : int, optional
        Ask only a random sample of rows (about all rows). For data too large for all pairs.
    random_state : int, Generator or None
        For ``n_queries`` and ``ties="jitter"`` only.
    method : {"auto", "brute", "tree", "approximate"}
        The neighbour search. The answer does not depend on it. "approximate" is refused here, since a bare number
        cannot tell which share of the neighbours was found: ask :func:`thornton_test`.
    n_jobs : int, optional
        Threads; all cores by default. The answer does not depend on it.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

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
    data = prepare(X, y, n_queries=n_queries, random_state=random_state, **how)
    refuse_approximate(data.search, "a bare index", "ask sepal.thornton_test, which tells it")
    rows = data.asking
    apart = groups_of(data, groups, X, y)
    if ties == "jitter":
        if data.search.fitted.name != "euclidean" or data.distance_params:
            raise ParameterError('ties="jitter" is defined for the plain Euclidean distance on numbers only')
        data, ties = _jittered(data, generator(random_state)), "index"
    if apart is not None:
        return samples_of_groups(data, apart, ties, rows, progress)
    return samples_solve(data, nearest_ranking(data, rows, progress), ties, rows)


@checked(passes_on=PREPARING_SEARCH)
def thornton_score(
    X: Any,
    y: Any = None,
    *,
    ties: ThorntonTies = "expected",
    groups: Any = None,
    n_queries: int | None = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
    **how: Unpack[PreparingSearch],
) -> float:
    """Thornton's separability index: the share of rows whose nearest neighbour has their class.

    It equals the leave-one-out accuracy of 1-NN, and is the mean of :func:`thornton_samples`. For its chance level,
    significance and per-class values see :func:`thornton_test`.

    Parameters
    ----------
    X, y, ties, groups, n_queries, random_state, progress
        As in :func:`thornton_samples`.
    distance, distance_params, scale, missing, method, n_jobs
        As in :func:`thornton_samples`.

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
        X, y, ties=ties, groups=groups, n_queries=n_queries, random_state=random_state, progress=progress, **how
    )
    return float(np.mean(samples))
