"""Rows and classes added to a classifier whose neighbours vote."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from sepal.learners._base import target_columns
from sepal.learners._class_factors import class_factors
from sepal.learners._class_votes import ClassVotes
from sepal.learners._more_rows import GrowingNeighborhood
from sepal.learners._stream_labels import joined_labels, stream_labels
from sepal.parameters import check_parameters


class MoreVotes(GrowingNeighborhood, ClassVotes):
    """``partial_fit`` of a classifier; see KNNClassifier for the parameters."""

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to those that are there; answers are those of ``fit`` on all of them together.

        Parameters
        ----------
        X : Table, ndarray, data frame, sparse matrix or list of sets
            Further rows, one or many, with the columns of the first ones, by name in any order. New levels of a nominal
            column and new elements of sets are welcome.
        y : array-like, optional
            Their classes; left out, the target of the Table. New classes are welcome.
        classes : array-like, optional
            Classes that may come later: they get a column of zeros in ``predict_proba`` until then. Never needed. A
            list of arrays where there are several targets.
        sample_weight : array-like, optional
            As in :meth:`fit`.

        Returns
        -------
        KNNClassifier
            Itself.

        Notes
        -----
        The first call may bring a single row or class. While there are fewer rows than ``n_neighbors`` all of them
        vote. One thing waits: with ``n_neighbors="auto"`` k is chosen when rows have doubled since it was last chosen,
        so that all choices together cost about two on all rows; in between it stays.

        Rows of numbers are put behind the others, and nothing is prepared again, as long as they lie within the ranges
        that ``scale="minmax"`` has seen (with ``scale=None`` wherever they lie). What makes ``fit`` learn something
        else of the columns is learned again from all rows, which are kept: a number beyond the range, a new level, the
        first missing cell; and at every call where ``scale="standard"``, sparse rows, texts, or a distance that learns
        from rows (``"mahalanobis"``, ``"hvdm"``) or is a function is used. Rows cannot be added to prototypes, to
        precomputed distances, and to rows that were fitted in groups.

        Examples
        --------
        >>> from sepal import KNNClassifier
        >>> model = KNNClassifier(1).partial_fit([[0.0], [4.0]], ["a", "b"])
        >>> model.partial_fit([[3.0]], ["c"]).predict([[2.9]]).tolist(), model.classes_.tolist()
        (['c'], ['a', 'b', 'c'])
        """
        check_parameters(self)
        self._refuse_more_rows()
        targets = target_columns(y, 2)
        self._refuse_targets(1 if targets is None else targets.shape[1])
        if targets is not None:
            for column in targets.T:
                stream_labels(column, True)
            n = targets.shape[1]
            offered = [None] * n if classes is None else list(classes)
            self._add_to_each(X, targets, classes=offered, sample_weight=[sample_weight] * n)
            self.classes_ = [model.classes_ for model in self.outputs_]
            return self
        if self._has_rows():
            more = self._more_training_rows(X, y)
            known, codes = joined_labels(self.classes_, stream_labels(more.y, True), classes)
            class_factors(self.class_weight, self.priors, known)  # refused before anything is changed
            used = self._add_rows(more, sample_weight)
            before = np.searchsorted(known, self.classes_)[self.codes_]
        else:
            table = self._training_table(X, y)
            known, codes = joined_labels(None, stream_labels(table.y, True), classes)
            class_factors(self.class_weight, self.priors, known)
            used, before = self._fit_neighborhood(table, codes, sample_weight, None), codes[:0]
        self.classes_, self.codes_ = known, np.concatenate([before, codes[used]]).astype(np.int32)
        self._weights()  # wrong ones are told now, and not at the first question
        self._settle_k(self.leave_one_out if np.any(self.codes_ != self.codes_[0]) else None)
        return self
