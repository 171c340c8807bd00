"""The exact mean accuracy of k-NN over ALL random splits into training and test rows.

Given that row i is held out, the training set is a uniform m-subset of the other N = n-1 rows. Along the ranking of its
neighbours the chance that none of the first j is a training row is Q_j = C(N-j, m) / C(N, m), so that the tied group
at ranks a+1..b supplies the nearest training row with probability Q_a - Q_b, and

    A(m) = (1/n) sum_i sum_groups (Q_a - Q_b) * (share of the group that has the class of i).

Only the first few ranks matter: Q_j falls like (1 - m/n)^j.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.data import left_out_together
from sepal.exceptions import ParameterError
from sepal.measures._class_groups import ClassGroups, class_groups
from sepal.measures._prepared import PREPARING_SEARCH, Prepared, PreparingSearch, prepare
from sepal.measures._split_curve import SplitAccuracyCurve
from sepal.measures._split_groups import GroupDrawing, OfAll, WithReplacement, groups_accuracy
from sepal.measures._split_noise import split_std
from sepal.measures._stratified import stratified_accuracy
from sepal.measures._thornton_groups import groups_of
from sepal.neighbors import refuse_approximate
from sepal.parameters import check_whole, checked
from sepal.progress import Progress

NEGLIGIBLE = 1e-12  # probability of the ranks that are not looked at
_CHUNK_ENTRIES = 30_000_000  # neighbours whose rows are added up together
# A search takes some 90 bytes for each neighbour, and so does what is made of them. Lists that are long are found as
# fast where some rows ask all as where all ask each other.
_ASKED_ENTRIES = 1_000_000  # neighbours in memory at a time, where lists are long and there are four times as many
_LONG = 128
_BITS = 53  # of a share, that count in a sum


def _survival(N: int, m: int, most: int) -> NDArray[np.float64]:
    """Q_j = C(N-j, m) / C(N, m) for j = 0..most: no training row among the first j of N."""
    j = np.arange(most)
    factors = np.where(j < N, (N - j - m) / np.maximum(N - j, 1), 0.0)
    return np.concatenate([[1.0], np.cumprod(np.maximum(factors, 0.0))])


def _bootstrap_survival(N: int, n: int, most: int) -> NDArray[np.float64]:
    """Q_j = ((N-j)/N)^n: none of the first j drawn in n draws with replacement, given that row i is not drawn."""
    return (np.maximum(N - np.arange(most + 1), 0) / N) ** n


def ranks_needed(N: int, m: int, k: int) -> int:
    """How many neighbours must be known so that fewer than k training rows among them are as good as impossible."""
    if k == 1:
        return max(1, int(np.argmax(_survival(N, m, N) <= NEGLIGIBLE)))
    low, high = k, N
    while low < high:
        middle = (low + high) // 2
        if _hypergeom().cdf(k - 1, N, middle, m) <= NEGLIGIBLE:
            high = middle
        else:
            low = middle + 1
    return low


def _hypergeom() -> Any:
    from scipy.stats import hypergeom  # late: scipy.stats is the slowest import of all, and 1-NN does not need it

    return hypergeom


def _ranks_before(groups: ClassGroups) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows, and rows of the own class, in the groups before each group."""

    def before(values: NDArray[np.int64]) -> NDArray[np.int64]:
        total = np.cumsum(values) - values
        return total - np.repeat(total[groups.start[:-1]], np.diff(groups.start))

    return before(groups.size), before(groups.same)


def _nearest_accuracy(groups: ClassGroups, survival: Any) -> NDArray[np.float64]:
    """Probability that the nearest training row agrees, per case; ``survival(most)`` gives Q_0..Q_most."""
    ahead, _ = _ranks_before(groups)
    share = groups.same / groups.size
    Q = survival(int(np.max(ahead + groups.size)))
    agree = (Q[ahead] - Q[ahead + groups.size]) * share
    return np.add.reduceat(agree, groups.start[:-1])


def _majority_accuracy(groups: ClassGroups, N: int, m: int, k: int) -> NDArray[np.float64]:
    """Probability that most of the k nearest training rows agree (two classes, odd k), per case.

    The k-th training row lies in a group when q < k of the training rows are ahead of it and at least k - q inside.
    Those ahead are a uniform q-subset of the rows ahead, those taken from the group a uniform (k-q)-subset of it.
    """
    hypergeom = _hypergeom()
    ahead, same_ahead = _ranks_before(groups)
    agree = np.zeros(len(groups.size))
    needed = k // 2 + 1
    for q in range(min(k, m + 1)):
        # Elsewhere the k-th cannot lie in the group, or too few rows are left for the rest of the training part.
        fits = np.flatnonzero((ahead >= q) & (groups.size >= k - q) & (N - ahead >= m - q))
        a, size, same = ahead[fits], groups.size[fits], groups.same[fits]
        here = hypergeom.pmf(q, N, a, m) * hypergeom.sf(k - q - 1, N - a, size, m - q)
        win = np.zeros(len(fits))
        for u in range(q + 1):
            # Nothing is drawn from nothing: scipy has no distribution for an empty population.
            before = hypergeom.pmf(u, a, same_ahead[fits], q) if q > 0 else np.ones(len(fits))
            win += before * hypergeom.sf(needed - u - 1, size, same, k - q)
        agree[fits] += here * win
    return np.add.reduceat(agree, groups.start[:-1])


def _train_rows(train_size: ArrayLike, n: int, k: int, what: str = "rows") -> NDArray[np.int64]:
    """Sizes as numbers of rows, or of groups: shares are rounded (half to even), whole numbers stay."""
    given = np.asarray(train_size)
    if given.ndim > 1 or given.size == 0:
        raise ParameterError(f"train_size must be one size or a list of sizes; got shape {given.shape}")
    given = np.atleast_1d(given)
    if given.dtype.kind == "f":
        if not np.all((given > 0) & (given < 1)):
            raise ParameterError(
                f"train_size must lie between 0 and 1, or be whole numbers of {what}; got {train_size!r}"
            )
        sizes: NDArray[np.int64] = np.rint(given * n).astype(np.int64)
    elif given.dtype.kind in "iu":
        sizes = given.astype(np.int64)
    else:
        raise ParameterError(
            f"train_size must be a share, a number of {what}, or an array of these; got {train_size!r}"
        )
    if np.any(sizes < k) or np.any(sizes > n - 1):
        raise ParameterError(
            f"train_size must leave between {k} and {n - 1} of the {n} {what} for training; got {sizes.tolist()}"
        )
    return sizes


def _check_k(k: int, n_classes: int, other: bool) -> int:
    if check_whole("n_neighbors", k) % 2 == 0:
        raise ParameterError(f"n_neighbors must be odd; got {k!r}")
    if k > 1 and n_classes > 2:
        raise ParameterError(f"n_neighbors must be 1 for more than two classes, where no exact form is known; got {k}")
    if k > 1 and other:
        raise ParameterError(f"n_neighbors must be 1 with stratified=True or train_size='bootstrap'; got {k}")
    return int(k)


def _whole_sum(shares: NDArray[np.float64]) -> int:
    """The sum in units of 2^-53: of whole numbers, which no order of rows and no cut changes."""
    whole = np.rint(np.ldexp(shares, _BITS)).astype(np.int64)
    return (int((whole >> 32).sum()) << 32) + int((whole & 0xFFFFFFFF).sum())


def _mean_over_rows(data: Prepared, ranks: int, solve: Any, progress: Progress | None) -> NDArray[np.float64]:
    """Mean over rows of what ``solve`` gives per case (an array per size), in chunks of rows that fit in memory."""
    n, ranks = data.n_rows, max(ranks, 1)
    step = max(1, _ASKED_ENTRIES // ranks)
    apart = ranks >= _LONG and n * ranks > 4 * _ASKED_ENTRIES
    total: Any = 0
    for rows in np.array_split(np.arange(n), -(-n // max(1, _CHUNK_ENTRIES // ranks))):
        values = []
        for asking in np.split(rows, range(step, len(rows), step)) if apart else [rows]:

            def report(text: str, fraction: float, begin: int = int(asking[0]), size: int = len(asking)) -> None:
                if progress is not None:
                    progress(text, (begin + fraction * size) / n)

            ranking = data.ranking(ranks, asking, report)
            values += [solve(ranking, some) for some in np.split(asking, range(step, len(asking), step))]
        total = total + np.array([_whole_sum(np.concatenate(each)) for each in zip(*values, strict=True)], dtype=object)
    return np.asarray(total / (n << _BITS), dtype=np.float64)


def _in_groups(data: Prepared, X: Any, y: Any, groups: Any) -> NDArray[np.intp] | None:
    """Numbers of the groups that are drawn as a whole; None where each row is one, and where there are none."""
    if groups is None:
        return None
    found = groups_of(data, groups, X, y)
    return None if found is None or len(np.unique(found)) == data.n_rows else found


def _check_groups(k: int, stratified: bool) -> None:
    """What has no exact form where groups are drawn as a whole."""
    hint = "evaluate(KNNClassifier(...), ..., groups=...) holds groups out"
    if stratified:
        raise ParameterError("stratified=True has no exact form with groups, which hold several classes", hint=hint)
    if k > 1:
        raise ParameterError(
            f"n_neighbors must be 1 with groups, where no other exact form is known; got {k}", hint=hint
        )


def accuracy_solve(
    data: Prepared, sizes: NDArray[np.int64], k: int, stratified: bool, progress: Progress | None
) -> NDArray[np.float64]:
    """A(m) for each number of training rows."""
    N, n_classes = data.n_rows - 1, len(data.classes)

    def per_row(ranking: Any, rows: NDArray[np.intp]) -> list[NDArray[np.float64]]:
        groups = class_groups(ranking, data.codes, n_classes, rows)
        if k == 1:
            cases = [_nearest_accuracy(groups, lambda most, m=m: _survival(N, m, most)) for m in sizes.tolist()]
        else:
            cases = [_majority_accuracy(groups, N, m, k) for m in sizes.tolist()]
        return [value[groups.case_of] for value in cases]

    if stratified:
        return stratified_accuracy(data, sizes, progress)
    ranks = ranks_needed(N, int(sizes.min()), k)
    return _mean_over_rows(data, ranks, per_row, progress)


def _solved(
    data: Prepared,
    train_size: ArrayLike,
    k: int,
    stratified: bool,
    groups: NDArray[np.intp] | None,
    progress: Progress | None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Training sizes, in rows or in groups, and A(m) for each."""
    if groups is None:
        sizes = _train_rows(train_size, data.n_rows, k)
        return sizes, accuracy_solve(data, sizes, k, stratified, progress)
    _check_groups(k, stratified)
    n_groups = int(groups.max()) + 1
    sizes = _train_rows(train_size, n_groups, k, "groups")
    drawings: list[GroupDrawing] = [OfAll(n_groups - 1, m) for m in sizes.tolist()]
    return sizes, groups_accuracy(data, groups, drawings, progress)


def _bootstrap_accuracy(data: Prepared, progress: Progress | None, groups: NDArray[np.intp] | None) -> float:
    if groups is not None:
        return float(groups_accuracy(data, groups, [WithReplacement(int(groups.max()))], progress)[0])
    n = data.n_rows
    ranks = min(n - 1, int(np.ceil(-np.log(NEGLIGIBLE))) + 2)  # ((N-j)/N)^n < e^-j

    def per_row(ranking: Any, rows: NDArray[np.intp]) -> list[NDArray[np.float64]]:
        groups = class_groups(ranking, data.codes, len(data.classes), rows)
        return [_nearest_accuracy(groups, lambda most: _bootstrap_survival(n - 1, n, most))[groups.case_of]]

    return float(_mean_over_rows(data, ranks, per_row, progress)[0])


@checked(passes_on=PREPARING_SEARCH)
def expected_accuracy(
    X: Any,
    y: Any = None,
    train_size: Any = 0.5,
    *,
    stratified: bool = False,
    n_neighbors: int = 1,
    return_std: bool = False,
    groups: Any = None,
    random_state: int = 0,
    progress: Progress | None = None,
    **how: Unpack[PreparingSearch],
) -> Any:
    """The exact mean accuracy of k-NN over ALL random splits, without drawing one.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, method, n_jobs, progress
        As in :func:`thornton_samples`. Tied neighbours are averaged over.
    train_size : float, int, array of these, or "bootstrap"
        Share or number of rows in the training part. ``"bootstrap"`` is the out-of-bag form: n rows drawn with
        replacement train, the rows never drawn are tested. With ``groups`` a share or number of groups, and as many
        draws as there are groups.
    stratified : bool
        Splits that keep the class shares (k = 1): each class gives its share of the training rows, rounded down, and
        the rows still missing come from the classes with the largest remainders, one each. Where remainders are equal
        the mean is over all ways to choose among them. The training part has just as many rows as were asked for.
    n_neighbors : int
        Odd; above 1 for two classes only.
    return_std : bool
        Also return the standard deviation of the accuracy of ONE random split, estimated from simulated splits: how far
        a single split may stray from the mean.
    groups : array-like, "copies" or None
        Rows that are drawn together: those with the same label in an array (of one patient, for instance), or "copies",
        equal in every column. Whole groups train or are tested, and the mean is over all ways to choose as many groups.
        For ``n_neighbors=1`` and ``stratified=False``. Of something prepared the labels are for the rows that take
        part.
    random_state : int
        For the simulated splits of ``return_std`` only.

    Returns
    -------
    float or ndarray
        One value per train size; with ``return_std`` a pair (mean, standard deviation).

    Notes
    -----
    With n - 1 training rows this is Thornton's index. Scaling uses all rows: it looks at no labels.

    Without ``groups`` every row is drawn by itself, copies too. With groups a row is answered by the nearest row of the
    groups drawn, its own never among them; rows of different groups that are equally near share the answer. Groups of
    unequal size make test parts of unequal size, and the mean is over all rows tested in all splits: the chance that
    a row that is not in a training group is answered rightly. With all groups but one it is
    ``thornton_score(..., groups=...)``. Above 5,000 rows the standard deviation of one split takes the rows of a group
    for one, which is too large where they differ.

    Examples
    --------
    >>> from sepal import datasets
    >>> round(expected_accuracy(datasets.load("sonar"), train_size=0.5), 4)
    0.83
    """
    data = prepare(X, y, **how)
    refuse_approximate(data.search, "a bare accuracy", "ask expected_accuracy_curve, which tells it")
    bootstrap = isinstance(train_size, str)
    if bootstrap and train_size != "bootstrap":
        raise ParameterError(f"train_size must be a share, a number of rows, or 'bootstrap'; got {train_size!r}")
    if bootstrap and stratified:
        raise ParameterError("stratified=True has no bootstrap form; give a share as train_size")
    k = _check_k(n_neighbors, len(data.classes), bootstrap or stratified)
    apart = _in_groups(data, X, y, groups)
    if bootstrap:
        if return_std:
            raise ParameterError("return_std=True needs a share or a number of rows as train_size")
        return _bootstrap_accuracy(data, progress, apart)
    sizes, mean = _solved(data, train_size, k, stratified, apart, progress)
    std = (
        split_std(data, sizes, mean, k=k, stratified=stratified, seed=random_state, groups=apart)
        if return_std
        else None
    )
    if np.ndim(train_size) == 0:
        return float(mean[0]) if std is None else (float(mean[0]), float(std[0]))
    return mean if std is None else (mean, std)


@checked(passes_on=PREPARING_SEARCH)
def expected_accuracy_curve(
    X: Any,
    y: Any = None,
    train_sizes: ArrayLike = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    *,
    stratified: bool = False,
    n_neighbors: int = 1,
    groups: Any = None,
    random_state: int = 0,
    progress: Progress | None = None,
    **how: Unpack[PreparingSearch],
) -> SplitAccuracyCurve:
    """The learning curve of k-NN, exact at every size.

    Parameters
    ----------
    X, y, stratified, n_neighbors, groups, random_state, progress
        As in :func:`expected_accuracy`.
    distance, distance_params, scale, missing, method, n_jobs
        As in :func:`expected_accuracy`.
    train_sizes : array-like
        Shares or numbers of rows in the training part; of groups where there are ``groups``.

    Returns
    -------
    SplitAccuracyCurve
        The exact mean at every size, and how far one split strays.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> curve = expected_accuracy_curve(table, train_sizes=[5, 10, 15])
    >>> curve.accuracy.round(3).tolist()
    [0.779, 0.883, 0.955]
    """
    data = prepare(X, y, **how)
    k = _check_k(n_neighbors, len(data.classes), stratified)
    apart = _in_groups(data, X, y, groups)
    sizes, mean = _solved(data, train_sizes, k, stratified, apart, progress)
    std = split_std(data, sizes, mean, k=k, stratified=stratified, seed=random_state, groups=apart)
    n_groups = None if apart is None else int(apart.max()) + 1
    notes = (*data.notes, *(_copies_notes(data) if groups is None else ()))
    return SplitAccuracyCurve(sizes, mean, std, data.n_rows, k, stratified, notes, n_groups, data.plan)


def _copies_notes(data: Prepared) -> tuple[str, ...]:
    found = left_out_together(data.search.table, "rows")
    if not found.repeated:
        return ()
    text = (
        f"copies: {found.n_copies / data.n_rows:.1%} of the rows have a copy, and their numbers show that records were "
        'repeated: copies of test rows are among the training rows; groups="copies" keeps them together'
    )
    return (text,)
