"""How a classifier counts the votes of neighbours: weights, class factors, ties of the vote, rows left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Rows
from sepal.learners._base import NeighborLearner
from sepal.learners._class_factors import ClassFactors, class_factors
from sepal.learners._class_similarity import no_groups, similarity_votes
from sepal.learners._leave_one_out import class_sizes
from sepal.learners._neighbor_lists import NeighborLists, TiedGroups
from sepal.learners._neighborhood import Neighborhood
from sepal.learners._numeric import break_ties_for
from sepal.learners._vote_weights import PER_CLASS, VoteWeights, vote_weights
from sepal.learners._votes import TieBreak, geometric_order, sums_at


class ClassVotes(NeighborLearner):
    """The votes for each class and who wins them; see KNNClassifier for the parameters."""

    weights: Any
    width: Any
    class_weight: Any
    priors: Any
    vote_ties: Any
    smoothing: Any
    classes_: Any
    codes_: NDArray[np.int32]
    class_order_: NDArray[np.intp] | None = None  # where the rows are elsewhere: how their classes lie

    def _weights(self) -> VoteWeights:
        return vote_weights(self.weights, self.width, self.neighborhood_.span, classes=True)

    def _factors(self) -> ClassFactors:
        return class_factors(self.class_weight, self.priors, self.classes_)

    def _tie_break(self) -> TieBreak:
        def order() -> NDArray[np.intp]:
            if self.class_order_ is not None:
                return self.class_order_
            search = self.neighborhood_.search
            places: Any = np.zeros((len(self.codes_), 1))
            if search is not None:
                points: Any = getattr(search.points, "rows", search.points)
                places = points[search.copies.of_row.number]
            return geometric_order(places, self.codes_, len(self.classes_))

        return TieBreak(self.vote_ties, order)

    def _right_by_class(
        self, rows: Rows | None, wanted: NDArray[np.int32], k_max: int, groups: NDArray[np.intp] | None
    ) -> NDArray[np.bool_]:
        """(n_rows, k_max) whether the sums of each class's most similar rows give the class that is wanted."""
        hood, n = self.neighborhood_, len(self.classes_)
        ks = np.arange(1, k_max + 1)
        votes = similarity_votes(hood, self.codes_, n, self._weights(), rows, ks, groups)
        mass = class_sizes(hood, self.codes_, n, groups)(np.arange(len(votes)) if rows is None else None)
        factor = self._factors().of(mass)
        won = self._tie_break().winners(
            votes * factor[:, None, :], ks.astype(np.float64), no_groups(len(votes), n), factor, mass
        )
        return np.asarray(won == wanted[:, None])

    def _class_votes(self, X: Any) -> Iterator[tuple[TiedGroups, NDArray[np.float64], NDArray[np.float64]]]:
        """As :meth:`_votes`, where every class sends its own most similar rows."""
        hood, n, k = self.neighborhood_, len(self.classes_), int(self.n_neighbors_)
        groups = self.left_out_groups_ if X is None else None
        sizes = class_sizes(hood, self.codes_, n, groups)
        rows = None if X is None else self._new_rows(X)
        n_rows = hood.n_rows if rows is None else rows.n_rows
        for begin, end in [(0, n_rows)] if rows is None else hood.chunks(n_rows, n, k):
            part = rows if rows is None or end - begin == n_rows else rows.take(np.arange(begin, end))
            votes = similarity_votes(hood, self.codes_, n, self._weights(), part, np.array([k]), groups)[:, 0]
            mass = sizes(np.arange(n_rows) if rows is None else None)
            yield no_groups(len(votes), n), votes * self._factors().of(mass), mass

    def _votes(self, X: Any) -> Iterator[tuple[TiedGroups, NDArray[np.float64], NDArray[np.float64]]]:
        """For some rows at a time, the tied groups, the votes with class factors, and the sizes of the classes.

        Without rows every training row asks, and is left out: of its class, too.
        """
        if self.weights == PER_CLASS:
            return self._class_votes(X)
        hood = self._asked(X)
        parts = (lists for *_, lists in self._lists(X, len(self.classes_), self.n_neighbors_, hood))
        return self._counted(hood, parts, X is None)

    def _counted(
        self, hood: Neighborhood, parts: Iterable[NeighborLists], left_out: bool
    ) -> Iterator[tuple[TiedGroups, NDArray[np.float64], NDArray[np.float64]]]:
        """As :meth:`_votes`, of lists that were searched for; ``left_out`` where training rows ask."""
        k, weights = self.n_neighbors_, self._weights()
        sums = hood.class_sums(self.codes_, len(self.classes_)).of_voter
        one_hot = np.eye(len(self.classes_))[self.codes_] if left_out else None  # what a training row takes out
        sizes = class_sizes(hood, self.codes_, len(self.classes_), self.left_out_groups_)
        for lists in parts:
            mass = sizes(lists.asker)
            groups = hood.groups(lists, sums, one_hot, k)
            yield groups, sums_at(groups, weights, k) * self._factors().of(mass), mass

    def _winners(self, groups: TiedGroups, votes: NDArray[np.float64], mass: NDArray[np.float64]) -> NDArray[np.intp]:
        ks = np.array([float(self.n_neighbors_)])
        factor = self._factors().of(mass)
        return np.asarray(self._tie_break().winners(votes[:, None, :], ks, groups, factor, mass)[:, 0])

    def _answered(
        self, counted: Iterable[tuple[TiedGroups, NDArray[np.float64], NDArray[np.float64]]]
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The shares of the classes, and the class that wins."""
        shares, winners = [], []
        for groups, votes, mass in counted:
            total = votes.sum(axis=1, keepdims=True)
            # Nobody of a class with a positive weight is near: fall back to the class sizes.
            sizes = np.broadcast_to(mass / mass.sum(axis=1, keepdims=True), votes.shape).copy()
            share = np.divide(votes, total, out=sizes, where=total > 0)
            if self.smoothing:
                k = float(self.n_neighbors_)
                share = (share * k + self.smoothing) / (k + len(self.classes_) * self.smoothing)
            winners.append(self._winners(groups, votes, mass))
            shares.append(break_ties_for(share, winners[-1]))
        return np.concatenate(shares), np.concatenate(winners)
