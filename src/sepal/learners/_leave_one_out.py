"""Leave-one-out for every k from one ranking, and the k that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal._waiting import each
from sepal.data import data_frame, frame_html
from sepal.learners._class_factors import ClassFactors, class_factors
from sepal.learners._neighbor_lists import NeighborLists
from sepal.learners._neighborhood import Neighborhood
from sepal.learners._vote_weights import VoteWeights
from sepal.learners._votes import TieBreak, sums_for_every_k
from sepal.neighbors import AnySearch, ToldOfRows, thread_count
from sepal.parameters import Parameter, checked

MOST_K = 100
"""How far k goes unless the user says otherwise."""
_LISTED = 30_000_000  # neighbours held at a time


@dataclass(frozen=True, eq=False)
class LeaveOneOutCurve(ToldOfRows):
    """How good every k is when each row is left out in turn.

    Attributes
    ----------
    k : (n_k,) array
        1, 2, ...
    score, standard_error : (n_k,) arrays
        Accuracy (weighted by class where class weights are given), or for a numeric target R squared.
    difference_error : (n_k,) array
        Standard error of the difference from the best k.
    measure : {"accuracy", "r2"}
    baseline : float
        The majority rate, or 0 for R squared: what a learner without neighbours reaches.
    n_rows : int
    training, test : (n_k,) array or None
        Score on the training rows themselves, and on other rows, where asked for.
    notes : tuple of str
    plan, exact, rows_seen, recall
        As in :class:`sepal.measures.ThorntonTest`.
    interval : (n_k, 2) array
        The score and 1.96 standard errors to either side: where it is on further rows, in 95 of 100 cases.

    Examples
    --------
    >>> import sepal
    >>> curve = sepal.KNNClassifier().fit(sepal.datasets.load("athletes")).loo_curve_
    >>> curve.best_k
    1
    """

    k: NDArray[np.intp]
    score: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    difference_error: NDArray[np.float64]
    measure: Literal["accuracy", "r2"]
    baseline: float
    n_rows: int
    training: NDArray[np.float64] | None = None
    test: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()
    plan: Any = None

    @property
    def interval(self) -> NDArray[np.float64]:
        """For the score of every k on further rows."""
        return np.asarray(self.score[:, None] + 1.96 * self.standard_error[:, None] * np.array([-1.0, 1.0]))

    @property
    def best_k(self) -> int:
        """The k with the highest score; the smallest one where several have it."""
        return int(self.k[np.flatnonzero(self.score >= self.score.max() - 1e-12)[0]])

    @property
    def one_se_k(self) -> int:
        """The largest k that is worse than the best by no more than one standard error of the difference.

        Every k is judged on the same rows, so it is the error of the difference that counts; the largest such k is the
        smoothest answer that cannot be told from the best.
        """
        worse = self.score.max() - self.score
        return int(self.k[np.flatnonzero(worse <= self.difference_error + 1e-12)[-1]])

    def frame(self) -> Any:
        """One line per k."""
        columns = {"k": self.k, self.measure: self.score, "standard_error": self.standard_error}
        for name in ("training", "test"):
            if getattr(self, name) is not None:
                columns[name] = getattr(self, name)
        return data_frame(columns)

    @checked(
        Parameter("bayes", "number", "the best possible score, where known", optional=True),
        Parameter("error", "flag", "draw 1 - score"),
    )
    def plot(self, ax: Any = None, *, bayes: float | None = None, error: bool = False) -> Any:
        """Draw the curve with a band of one standard error; ``bayes`` is the best possible score, where known.

        With ``error`` everything is drawn as 1 - score, as in a textbook: the error against k.
        """
        from sepal.plots import draw_over_k

        others = {"training": self.training, "test": self.test}
        levels = {"majority" if self.measure == "accuracy" else "mean": self.baseline, "Bayes": bayes}
        ylabel = "accuracy" if self.measure == "accuracy" else "R squared"
        if error:
            ylabel = "error" if self.measure == "accuracy" else "1 - R squared"
        return draw_over_k(
            self.k,
            1.0 - self.score if error else self.score,
            self.standard_error,
            others={name: 1.0 - line if error else line for name, line in others.items() if line is not None},
            levels={name: 1.0 - level if error else level for name, level in levels.items() if level is not None},
            chosen=self.one_se_k,
            ylabel=ylabel,
            ax=ax,
        )

    def __str__(self) -> str:
        at = self.best_k - 1
        return (
            f"leave-one-out {self.measure} {self.score[at]:.4f} (standard error {self.standard_error[at]:.4f}) "
            f"at k = {self.best_k} of 1..{self.k[-1]}, not measurably worse up to {self.one_se_k}; "
            f"baseline {self.baseline:.4f}" + "".join(f"\n{note}" for note in self.notes)
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>{frame_html(self, max_rows=20)}"


def told(curve: LeaveOneOutCurve, notes: Sequence[str]) -> LeaveOneOutCurve:
    """The curve with these notes more."""
    return replace(curve, notes=(*curve.notes, *notes)) if notes else curve


def credit(
    hood: Neighborhood,
    lists: NeighborLists,
    codes: NDArray[np.int32],
    true_codes: NDArray[np.int32],
    weights: VoteWeights,
    ties: TieBreak,
    factors: ClassFactors,
    k_max: int,
    left_out: NDArray[np.intp] | None = None,
) -> NDArray[np.bool_]:
    """(n_lists, k_max): whether the vote of the nearest mass k gives the true class."""
    n_classes = factors.n_classes
    one_hot = np.eye(n_classes)[codes]
    sums = hood.voter_sums(one_hot)
    sizes = class_sizes(hood, codes, n_classes, left_out)
    ks = np.arange(1.0, k_max + 1)
    right = np.empty((len(lists), k_max), dtype=bool)

    def judge(piece: tuple[int, int]) -> None:
        begin, end = piece
        part = lists.part(begin, end)
        groups = hood.groups(part, sums, one_hot, k_max)
        mass = sizes(part.asker)
        factor = factors.of(mass)
        votes = sums_for_every_k(groups, weights, k_max) * factor[:, None, :]
        right[begin:end] = ties.winners(votes, ks, groups, factor, mass) == true_codes[begin:end, None]

    # numpy releases the GIL meanwhile; a weight function of the user need not be thread-safe.
    threads = thread_count(hood.n_jobs) if weights.function is None else 1
    each(judge, hood.chunks(len(lists), 2 * n_classes, k_max), threads)
    return right


def class_sizes(
    hood: Neighborhood, codes: NDArray[np.int32], n_classes: int, groups: NDArray[np.intp] | None
) -> Callable[[NDArray[np.intp] | None], NDArray[np.float64]]:
    """Class sizes that a query sees: of all rows (None: a new row), or without the training row itself or its group."""
    everyone = hood.class_sums(codes, n_classes).everyone
    of_group = np.zeros((0, n_classes))
    if groups is not None:
        of_group = np.zeros((int(groups.max()) + 1, n_classes))
        np.add.at(of_group, (groups, codes), hood.weights)

    def own(asker: NDArray[np.intp]) -> NDArray[np.float64]:
        if groups is not None:
            return np.asarray(of_group[groups[asker]])
        return np.asarray(np.eye(n_classes)[codes[asker]] * hood.left_out[asker, None])

    return lambda asker: everyone if asker is None else everyone - own(asker)


def classification_curve(
    hood: Neighborhood,
    codes: NDArray[np.int32],
    weights: VoteWeights,
    ties: TieBreak,
    factors: ClassFactors,
    k_max: int,
    groups: NDArray[np.intp] | None = None,
) -> LeaveOneOutCurve:
    """Leave-one-out accuracy for k = 1..k_max; with ``groups`` a row's whole group is left out with it."""
    hood = hood if groups is None else hood.for_rows()
    lists = hood.lists_without(k_max, groups)
    right = credit(hood, lists, codes, codes, weights, ties, factors, k_max, groups)
    importance = factors.row_importance(codes, hood.weights)
    share = np.bincount(codes, weights=importance)
    return curve_of(right, importance, hood.weights, groups, measure="accuracy", baseline=float(share.max()))


def curve_of_search(
    search: AnySearch,
    codes: NDArray[np.int32],
    classes: NDArray[Any],
    class_order: Callable[[], NDArray[np.intp]],
    k_max: int,
) -> LeaveOneOutCurve:
    """The curve of unweighted votes from a search that is prepared, some rows at a time where lists are long."""
    n = len(codes)
    hood = Neighborhood(search, None, np.ones(n), "expected", False, None)
    factors, ties = class_factors(None, None, classes), TieBreak("nearest", class_order)
    depth = max(1, min(hood.depth(k_max), n - 1))
    right = np.empty((n, k_max), dtype=bool)
    n_chunks = max(1, -(-n * depth // _LISTED))
    for rows in np.array_split(np.arange(n), n_chunks):
        ranking = search.distinct_ranking(depth, rows=None if n_chunks == 1 else rows)
        start, voters, distances = ranking.lists(ranking.list_of(rows))
        lists = NeighborLists(start, voters.number.astype(np.intp), distances, rows)
        right[rows] = credit(hood, lists, codes, codes[rows], VoteWeights("uniform"), ties, factors, k_max)
    importance = factors.row_importance(codes, hood.weights)
    share = np.bincount(codes, weights=importance)
    return curve_of(right, importance, hood.weights, None, measure="accuracy", baseline=float(share.max()))


def curve_of(
    values: NDArray[Any],
    importance: NDArray[np.float64],
    weights: NDArray[np.float64],
    groups: NDArray[np.intp] | None,
    *,
    measure: Literal["accuracy", "r2"],
    baseline: float,
) -> LeaveOneOutCurve:
    """The curve from (n_rows, n_k) values whose mean, by importance, is the score."""
    score = np.clip(importance @ values, None, 1.0)
    best = int(np.argmax(score >= score.max() - 1e-12))  # scores that differ by rounding only are equal
    return LeaveOneOutCurve(
        np.arange(1, values.shape[1] + 1),
        score,
        standard_errors(values, score, importance, weights, groups, None),
        standard_errors(values, score, importance, weights, groups, best),
        measure,
        baseline,
        len(values),
    )


def standard_errors(
    values: NDArray[Any],
    score: NDArray[np.float64],
    importance: NDArray[np.float64],
    weights: NDArray[np.float64],
    groups: NDArray[np.intp] | None,
    against: int | None,
) -> NDArray[np.float64]:
    """Standard error of each mean, or of its difference from column ``against``.

    A row of weight w is w rows of importance 1/w of its own. Rows of one group are not independent: then groups are
    the units.
    """
    off = values - score
    if against is not None:
        off -= off[:, against, None].copy()
    if groups is None:
        np.multiply(off, off, out=off)
        return np.sqrt((importance**2 / weights) @ off)
    off *= importance[:, None]
    return np.array([np.linalg.norm(np.bincount(groups, weights=column)) for column in off.T])
