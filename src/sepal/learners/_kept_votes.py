"""Rows whose neighbours were looked for once: answers for any k and any weights without another search."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.learners._knn_classifier import KNNClassifier
from sepal.learners._leave_one_out import class_sizes
from sepal.learners._neighbor_lists import TiedGroups
from sepal.learners._votes import sums_at
from sepal.parameters import check_whole

_KEPT_CELLS = (
    16_000_000  # sums of classes that are kept, at most 128 MB; of more classes they are made at each question
)


class KeptVotes:
    """The neighbours of some new rows, kept. Made from a fitted :class:`KNNClassifier`.

    Parameters
    ----------
    model : KNNClassifier
        Fitted.
    X : Table, ndarray or data frame
        The rows to answer.
    k_max : int
        The largest k that can be asked for.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> kept = KeptVotes(sepal.KNNClassifier(1).fit(table), table, k_max=9)
    >>> shares, codes = kept.answers(3, "distance")
    >>> (codes == (sepal.KNNClassifier(3, weights="distance").fit(table).predict(table) == "yes")).all()
    np.True_
    """

    def __init__(self, model: KNNClassifier, X: Any, k_max: int) -> None:
        hood = model.neighborhood_
        self.k_max = min(check_whole("k_max", k_max), int(hood.total_mass))
        self.model = model
        self._lists = hood.lists(model._new_rows(X), self.k_max)
        self._sums = hood.class_sums(model.codes_, len(model.classes_)).of_voter
        self._sizes = class_sizes(hood, model.codes_, len(model.classes_), None)(None)
        self._groups: TiedGroups | None = None
        if len(self._lists) * self.k_max * len(model.classes_) <= _KEPT_CELLS:
            self._groups = hood.groups(self._lists, self._sums, None, self.k_max)

    def answers(self, k: int, weights: Any = "uniform") -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """(n_rows, n_classes) shares of the vote and (n_rows,) codes of the winners, as the classifier gives them."""
        check_whole("k", k, at_most=self.k_max)
        model = copy(self.model)
        model.n_neighbors_, model.weights = k, weights
        if self._groups is not None:
            return model._answered([self._counted(model, _nearest(self._groups, k))])
        hood = model.neighborhood_
        parts = (self._lists.part(*each) for each in hood.chunks(len(self._lists), len(model.classes_), self.k_max))
        return model._answered(self._counted(model, hood.groups(part, self._sums, None, k)) for part in parts)

    def _counted(self, model: KNNClassifier, groups: TiedGroups) -> Any:
        votes = sums_at(groups, model._weights(), model.n_neighbors_) * model._factors().of(self._sizes)
        return groups, votes, self._sizes


def _nearest(groups: TiedGroups, k: int) -> TiedGroups:
    """The groups that reach into the nearest mass k."""
    used = int(np.max(np.sum((groups.before < k) & (groups.mass > 0), axis=1), initial=1))
    if used == groups.mass.shape[1]:
        return groups
    return TiedGroups(groups.distance[:, :used], groups.mass[:, :used], groups.sums[:, :used])
