"""Hart's condensed nearest neighbour rule, and Gates' reduction of it."""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np

from sepal.exceptions import ParameterError
from sepal.measures import PREPARING, Preparing
from sepal.parameters import RandomState, checked, generator
from sepal.progress import Progress
from sepal.prototypes._cases import Cases, CaseTies, as_cases, label_rows
from sepal.prototypes._condense import CaseMetric, Kept, Positions, tied_order
from sepal.prototypes._prototype_set import PrototypeSet, Round, added_rounds, prototype_set

Order = Literal["enemy", "rows", "random"]


def visit_order(cases: Cases, metric: CaseMetric, order: Order, random_state: RandomState) -> Positions:
    """The cases a condenser may keep, in the order it meets them."""
    if order not in ("enemy", "rows", "random"):
        raise ParameterError(f"order must be 'enemy', 'rows' or 'random'; got {order!r}")
    may_pos = np.flatnonzero(cases.may_keep)
    if order == "random":
        return generator(random_state).permutation(may_pos)
    if order == "rows":
        return may_pos[np.argsort(cases.first_rows[may_pos])]
    by_enemy = tied_order(metric.enemy_values(), metric.tie)
    return by_enemy[cases.may_keep[by_enemy]]


def hart_solve(cases: Cases, metric: CaseMetric, visit: Positions, ties: CaseTies) -> Kept:
    """Sweep until nothing is added."""
    return metric.hart(visit, "first" if ties == "index" else "strict")


@checked(passes_on=PREPARING)
def hart(
    X: Any,
    y: Any = None,
    *,
    order: Order = "enemy",
    ties: CaseTies = "expected",
    random_state: RandomState = 0,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """Hart's condensed set: rows are met in turn, and each that the kept ones get wrong is kept.

    Parameters
    ----------
    X : Table, ndarray, data frame, scipy sparse matrix or list of sets
        The rows. A Table with a target needs no ``y``. Sparse rows are written out in full, up to 50 million cells.
    y : array-like, optional
        The class of each row; any number of classes.
    order : {"enemy", "rows", "random"}
        The order in which rows are met: nearest to a row of another class first (does not depend on the order of the
        rows and keeps fewer), as they stand (Hart's own), or at random.
    ties : {"expected", "index"}
        ``"expected"``: rows that are equally far from their enemies are ordered by their coordinates, and a row equally
        near to kept rows of two classes counts as wrong, so that the result classifies every training row under any
        tie rule and depends neither on the order of rows nor on that of columns. ``"index"``: equal rows are met as
        they stand, and of two equally near kept rows the one kept first decides.
    random_state : int, Generator or None
        For ``order="random"`` only.
    distance : str
        A name in ``sepal.distances.DISTANCES``, or ``"auto"``: Euclidean for numbers, HEOM for mixed kinds and missing
        cells, the cosine for sparse matrices, Tanimoto for sets.
    distance_params : mapping, optional
        What the distance takes: ``weights``, ``p``, ``covariance``.
    scale : {"minmax", "standard"} or None
        Scaling of numeric columns before distances are taken.
    missing : {"distance", "drop"}
        Leave missing cells to the distance, or leave such rows out.
    n_jobs : int, optional
        Threads; all cores by default. The answer does not depend on it.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    PrototypeSet
        Consistent: its nearest neighbours classify all training rows (with ``ties="index"`` under that rule only). Of
        rows that are equal in everything but the class only the most frequent class can be kept; they are reported in
        ``conflicting_rows``.

    Notes
    -----
    On the 683 complete rows of breast-cancer 62 are kept, and 63 with ``ties="index"``, the figure that is known for
    rows met in the order of the table.

    References
    ----------
    P. E. Hart, "The condensed nearest neighbor rule", IEEE Trans. Information Theory 14, 1968.

    Examples
    --------
    >>> hart([[0.0], [1.0], [2.0], [5.0], [6.0]], list("aaabb")).rows.tolist()
    [2, 3]
    """
    data = label_rows(X, y, **how)
    cases = as_cases(data, ties)
    metric = CaseMetric.of(cases, progress)
    kept = hart_solve(cases, metric, visit_order(cases, metric, order, random_state), ties)
    rounds = added_rounds(cases, kept)
    return prototype_set("hart", cases, metric, cases.first_rows[kept.pos], rounds, right=kept.right)


@checked(passes_on=PREPARING)
def rnn(
    X: Any,
    y: Any = None,
    *,
    order: Order = "enemy",
    random_state: RandomState = 0,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """Gates' reduced set: Hart's, less each row without which everything stays right.

    Parameters
    ----------
    X, y, order, random_state, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`. The kept rows are tried in the order in which Hart's rule took them.

    Returns
    -------
    PrototypeSet
        Consistent, and no single row of it could be left out.

    References
    ----------
    G. W. Gates, "The reduced nearest neighbor rule", IEEE Trans. Information Theory 18, 1972.

    Examples
    --------
    >>> X = [[0.0], [3.0], [5.0]]
    >>> hart(X, list("aab"), order="rows").rows.tolist(), rnn(X, list("aab"), order="rows").rows.tolist()
    ([0, 1, 2], [1, 2])
    """
    data = label_rows(X, y, **how)
    cases = as_cases(data)
    metric = CaseMetric.of(cases, progress)
    condensed = hart_solve(cases, metric, visit_order(cases, metric, order, random_state), "expected")
    kept = rnn_solve(cases, metric, condensed)
    kept_rows = cases.first_rows[kept.pos]
    removed_rows = np.setdiff1d(cases.first_rows[condensed.pos], kept_rows)
    history = (
        *added_rounds(cases, condensed),
        Round(np.zeros(0, dtype=np.intp), removed_rows, len(kept_rows)),
    )
    return prototype_set("rnn", cases, metric, kept_rows, history)


def rnn_solve(cases: Cases, metric: CaseMetric, condensed: Kept) -> Kept:
    """Drop what is not needed, until a pass drops nothing."""
    kept = condensed
    while True:
        reduced = metric.reduce(kept.pos, cases.may_keep)
        if len(reduced.pos) == len(kept.pos):
            return kept
        kept = reduced
