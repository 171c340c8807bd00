"""The classifier whose neighbours vote."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sepal.data import Rows, ScaleName, Table, class_codes, group_codes
from sepal.estimators import TableClassifierMixin
from sepal.exceptions import DataError, ParameterError, SepalWarning
from sepal.learners._base import checked_weights, shared_words, target_columns
from sepal.learners._class_factors import class_factors
from sepal.learners._class_similarity import similar_entries
from sepal.learners._explain import NeighborExplanation, flips_needed
from sepal.learners._leave_one_out import (
    MOST_K,
    LeaveOneOutCurve,
    class_sizes,
    classification_curve,
    credit,
    curve_of,
    told,
)
from sepal.learners._more_votes import MoreVotes
from sepal.learners._parameters import KNN_CLASSIFIER
from sepal.learners._vote_weights import PER_CLASS
from sepal.learners._votes import VoteTies, clear_majorities, codes_fit, entry_shares
from sepal.neighbors import DistanceLike, Method, Ties
from sepal.parameters import check_parameters, check_whole
from sepal.prototypes import method_named, takes_groups


class KNNClassifier(TableClassifierMixin, MoreVotes):
    """k nearest neighbours on tables of any kind, with k chosen by leave-one-out.

    Parameters
    ----------
    n_neighbors : "auto", "all" or int
        ``"auto"`` chooses k in 1..k_max by leaving each row out in turn (all k come from one ranking): the largest k
        that is not worse than the best by more than one standard error. ``"all"`` lets every row vote: with a kernel
        weight, locally weighted averaging.
    weights : str or callable
        ``"uniform"``; ``"distance"`` (1/d; neighbours at distance 0 vote alone); ``"similarity"`` (1 at distance 0
        falling to 0 at the opposite corner of the training data); ``"rank"`` (k for the nearest, 1 for the k-th);
        ``"dudani"`` (1 for the nearest, 0 for the k-th); ``"class_similarity"`` (the k most similar rows of each
        class vote for it, each by its similarity, however far down they stand among all); the kernels ``"gaussian"``,
        ``"exponential"``, ``"tricube"``; or a function from distances to weights.
    distance, distance_params, scale
        As in :func:`sepal.neighbors.neighbor_ranking`. ``"auto"`` is Euclidean for numeric tables without missing
        cells and HEOM for all others; the cosine for sparse matrices and Tanimoto for sets. Sparse rows are never
        filled: ``scale="minmax"`` leaves them as they are. The training rows decide: where these are complete, a new
        row with a missing cell is refused, as scikit-learn does; ``distance="heom"`` answers it from its other cells.
    feature_weights : array, mapping or LearnedWeights, optional
        A weight per column of the distance.
    ties : {"expected", "index"}
        ``"expected"``: rows tied at the k-th place share the places that are left, so nothing depends on the order of
        rows. ``"index"``: the lowest rows take them.
    vote_ties : {"nearest", "prior", "smallest"}
        Who wins an equal vote: the class that is nearer, then the larger class; the larger class; the first label.
    class_weight : mapping or "balanced", optional
        Factor for the votes of each class.
    priors : array, mapping or "equal", optional
        Class probabilities in place of the class shares among the training rows.
    k_max : int, optional
        Largest k that ``"auto"`` tries; by default 100, or all rows but one.
    prototypes : str, callable or PrototypeSet, optional
        Which training rows to keep: the name of a method in ``sepal.prototypes``.
    smoothing : float
        Added to the votes of every class, which count k in all, before they become probabilities.
    width : float, optional
        Width of the kernel weights; by default the distance of the k-th neighbour.
    method : {"auto", "brute", "tree", "approximate"}
        How neighbours are searched; the answer depends on it only where it is "approximate", which needs FAISS and
        misses some of them. Such a model tells in ``recall_`` which share it finds, and is not written to a file.
    n_jobs : int, optional
        Threads. The answer does not depend on it.

    Attributes
    ----------
    n_neighbors_ : int
        The k in use.
    loo_curve_ : LeaveOneOutCurve
        With ``n_neighbors="auto"``.
    classes_ : array
        The labels, sorted.
    rows_ : array
        The training rows in use, as positions in X.
    recall_ : float or None
        Share of the 10 nearest that an approximate search finds, measured on 200 rows; None where all are found.
    left_out_ : {"rows", "copies", "groups"}
        Which rows were left out together: each alone, all copies of a row, or the given groups.

    Notes
    -----
    A ``sample_weight`` of 3 is the same as the row three times: neighbours are taken until their weight reaches k, and
    standard deviations and covariances count the row three times.
    No answer depends on the order of rows, of columns, or on how classes are called.

    Figures of textbooks that give an equal vote to the first label need ``vote_ties="smallest"``: so leave-one-out on
    Ripley's raw data is best at k = 46, which gets 8.5 % of the test rows wrong. The default has another best k, and
    ``"auto"`` takes the largest that is not measurably worse.

    Examples
    --------
    >>> import sepal.datasets
    >>> athletes = sepal.datasets.load("athletes")
    >>> model = KNNClassifier(3, scale=None).fit(athletes.values, athletes.y)
    >>> model.predict([[3.0, 8.0]]).tolist(), model.kneighbors([[3.0, 8.0]])[1].tolist()
    (['no'], [[3, 4, 1]])
    """

    parameter_table = KNN_CLASSIFIER
    classes_: Any  # the labels, or a list of them where there are several targets

    def __init__(
        self,
        n_neighbors: int | str = "auto",
        *,
        weights: Any = "uniform",
        distance: DistanceLike = "auto",
        distance_params: Mapping[str, Any] | None = None,
        feature_weights: Any = None,
        scale: ScaleName | None = "minmax",
        ties: Ties = "expected",
        vote_ties: VoteTies = "nearest",
        class_weight: Any = None,
        priors: Any = None,
        k_max: int | None = None,
        prototypes: Any = None,
        smoothing: float = 0.0,
        width: float | None = None,
        method: Method = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.distance = distance
        self.distance_params = distance_params
        self.feature_weights = feature_weights
        self.scale = scale
        self.ties = ties
        self.vote_ties = vote_ties
        self.class_weight = class_weight
        self.priors = priors
        self.k_max = k_max
        self.prototypes = prototypes
        self.smoothing = smoothing
        self.width = width
        self.method = method
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> KNNClassifier:
        """Remember the rows and choose k.

        Parameters
        ----------
        X : Table, ndarray, data frame, sparse matrix or list of sets
            The training rows.
        y : array-like, optional
            The classes; left out, the target of the Table. A matrix holds several targets, each of which gets a model
            of its own (with its own k, if that is to be chosen) in ``outputs_``; then ``classes_`` is a list, predict
            answers a matrix and predict_proba a list.
        sample_weight : array-like, optional
            Row weights; a whole number counts as repetition, 0 leaves the row out.
        groups : array-like, "rows", "copies" or None
            Which rows are left out together when k is chosen, and by ``predict(None)``: those with the same label in
            an array; "rows": each alone; "copies": all that are equal in every column. None with ``"auto"``: copies
            where their numbers show that records were repeated (see :class:`sepal.auto.SepalClassifier`), else each
            alone; with a given k each alone.
        """
        check_parameters(self)
        targets = target_columns(y, 2)
        if targets is not None:
            self._fit_each(X, targets, sample_weight, groups)
            self.classes_ = [model.classes_ for model in self.outputs_]
            return self
        self.__dict__.pop("outputs_", None)
        table = self._training_table(X, y)
        rows = self._fit_neighborhood(table, class_codes(table)[0], sample_weight, groups)
        self.classes_, codes = np.unique(np.asarray(table.y)[rows], return_inverse=True)
        self.codes_ = codes.astype(np.int32)
        if len(self.classes_) < 2:
            which = "rows of positive weight" if self.prototypes is None else "prototypes"
            raise DataError(f"only one class is left among the {which}; at least two are needed")
        if self.prototypes is not None:
            self._tell_of_lost_classes(table, checked_weights(sample_weight, table))
        class_factors(self.class_weight, self.priors, self.classes_)
        self._weights()  # wrong ones are told now, and not at the first question
        k = self._check_n_neighbors()
        if k is None:
            self.loo_curve_ = told(self.leave_one_out(), self._notes_told())
            k = self.loo_curve_.one_se_k
        self.n_neighbors_ = k
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        # Of two columns a correlation says only which is larger.
        tags.classifier_tags.poor_score = self.distance == "correlation"
        return tags

    def _tell_of_lost_classes(self, table: Rows, weights: NDArray[np.float64] | None) -> None:
        """A class of which no prototype is left is never answered: that must not happen in silence."""
        labels = np.asarray(table.y) if weights is None else np.asarray(table.y)[weights > 0]
        lost = np.setdiff1d(labels, self.classes_)
        if len(lost):
            warnings.warn(
                f"the prototypes hold no row of {', '.join(map(str, lost.tolist()))}: such rows are answered as another"
                f" class, and classes_ has {len(self.classes_)} of {len(self.classes_) + len(lost)} classes; the"
                " editors of sepal.prototypes take protect= for classes whose rows must stay",
                SepalWarning,
                stacklevel=3,
            )

    def leave_one_out(self, groups: NDArray[np.intp] | None = None) -> LeaveOneOutCurve:
        """The leave-one-out curve of the rows in use.

        Parameters
        ----------
        groups : array of int, optional
            Numbers, from 0, of the rows in use that are left out together; by default as ``fit`` was told.
        """
        self._only_target("leave_one_out()")
        check_is_fitted(self, "codes_")
        groups = self.left_out_groups_ if groups is None else group_codes(groups, len(self.codes_))
        k_max = self._largest_k(MOST_K, groups)
        if self.weights == PER_CLASS:
            right = self._right_by_class(None, self.codes_, k_max, groups)
            importance = self._factors().row_importance(self.codes_, self.neighborhood_.weights)
            base = float(np.bincount(self.codes_, weights=importance).max())
            return curve_of(right, importance, self.neighborhood_.weights, groups, measure="accuracy", baseline=base)
        found = classification_curve(
            self.neighborhood_, self.codes_, self._weights(), self._tie_break(), self._factors(), k_max, groups
        )
        return told(found, self._recall_notes())

    def scores_for_every_k(self, table: Rows, k_max: int) -> NDArray[np.float64]:
        """Accuracy on the rows of a table for k = 1..k_max, from one search."""
        check_whole("k_max", k_max, at_least=1)
        self._check_fitted()
        hood, rows = self.neighborhood_, self._new_rows(table)
        position = {label: code for code, label in enumerate(self.classes_.tolist())}
        wanted = np.array([position.get(label, -1) for label in np.asarray(table.y).tolist()], dtype=np.int32)
        if self.weights == PER_CLASS:
            return np.asarray(self._right_by_class(rows, wanted, k_max, None).mean(axis=0))
        lists = hood.lists(rows, k_max)
        right = credit(hood, lists, self.codes_, wanted, self._weights(), self._tie_break(), self._factors(), k_max)
        return np.asarray(right.mean(axis=0))

    def fits_together(self) -> bool:
        """Whether the fitted attributes belong to one model, codes to the classes."""
        if hasattr(self, "outputs_"):
            return all(type(model) is type(self) and model.fits_together() for model in self.outputs_)
        return super().fits_together() and (
            not hasattr(self, "neighborhood_") or codes_fit(self.codes_, self.classes_, self.neighborhood_.n_rows)
        )

    def _prototype_rows(self, table: Rows, y: NDArray[Any], groups: Any) -> NDArray[np.intp] | None:
        """Which rows to keep: by the name of a method, a function like those, their result, or positions.

        Editors are told of groups, so that rows of one do not vouch for each other.
        """
        chosen = self.prototypes
        if chosen is None:
            return None
        if isinstance(chosen, str):
            chosen = method_named(chosen, "prototypes")
        if callable(chosen) and not hasattr(chosen, "rows"):
            options = {"distance": self.distance, "scale": self.scale}
            if groups is not None and not isinstance(groups, str) and takes_groups(chosen):
                options["groups"] = groups
            params = self._distance_params(table)
            chosen = chosen(table, y, **options, **({} if params is None else {"distance_params": params}))
        rows = np.asarray(getattr(chosen, "rows", chosen))
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or len(rows) == 0 or len(np.unique(rows)) < len(rows):
            raise ParameterError("prototypes: expected the positions of at least one row, none of them twice")
        if rows.min() < 0 or rows.max() >= table.n_rows:
            raise ParameterError(f"prototypes: expected rows from 0 to {table.n_rows - 1}, found {rows.max()}")
        return np.sort(rows).astype(np.intp)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row.

        Parameters
        ----------
        X : Table, ndarray or data frame, or None
            Levels that did not occur in training equal none that did. None asks for the training rows in use, each
            answered by the others as if it had been left out.

        Returns
        -------
        ndarray of labels, with a column per target where there are several
        """
        self._check_fitted()
        if hasattr(self, "outputs_"):
            return np.stack([model.predict(X) for model in self.outputs_], axis=1)
        if X is None or self.weights != "uniform" or self.class_weight is not None or self.priors is not None:
            return np.asarray(self.classes_[np.concatenate([self._winners(*part) for part in self._votes(X)])])
        won = []
        hood, k, n_classes = self.neighborhood_, self.n_neighbors_, len(self.classes_)
        for *_, lists in self._lists(X, n_classes, k, hood):
            clear = clear_majorities(hood, lists, self.codes_, n_classes, k)
            won.append(self._winners(*next(self._counted(hood, [lists], False))) if clear is None else clear)
        return np.asarray(self.classes_[won[0] if len(won) == 1 else np.concatenate(won)])

    def predict_proba(self, X: Any) -> Any:
        """(n_rows, n_classes) share of each class in the vote, in the order of ``classes_``; None as in predict.

        Where classes have equal shares the one that :meth:`predict` answers is ahead by a trillionth.
        """
        self._check_fitted()
        if hasattr(self, "outputs_"):
            return [model.predict_proba(X) for model in self.outputs_]
        return self._answered(self._votes(X))[0]

    def explain(self, X: Any) -> NeighborExplanation:
        """The neighbours behind each answer, their distances split by column, and how close the vote was.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The rows to explain.

        Returns
        -------
        NeighborExplanation

        Examples
        --------
        >>> model = KNNClassifier(2, scale=None).fit([[0.0, 0.0], [3.0, 4.0], [9.0, 9.0]], ["a", "a", "b"])
        >>> why = model.explain([[0.0, 4.0]])
        >>> why.rows.tolist(), why.distances.tolist(), why.parts.tolist(), why.other_row.tolist()
        ([1, 0], [3.0, 4.0], [[1.0, 0.0], [0.0, 1.0]], [2])
        """
        self._only_target("explain(X)")
        table = self._new_rows(X)
        hood, k = self.neighborhood_.for_rows(), self.n_neighbors_
        if self.weights == PER_CLASS:
            listed, shares = similar_entries(hood, self.codes_, len(self.classes_), self._weights(), table, int(k))
            votes, codes = self._answered(self._class_votes(X))
        else:
            voters, by_row = self.neighborhood_.lists_and_rows(table, k)
            listed, shares = entry_shares(hood, by_row, self._weights(), k)
            chunks = self.neighborhood_.chunks(len(voters), len(self.classes_), k)
            some = (voters.part(begin, end) for begin, end in chunks)
            votes, codes = self._answered(self._counted(self.neighborhood_, some, False))
        sizes = class_sizes(hood, self.codes_, len(self.classes_), None)(None)
        factor = self._factors().of(sizes)[0, self.codes_[listed.voter]]
        shares = shares * factor
        total = np.bincount(listed.query, weights=shares, minlength=len(listed))
        shares = shares / np.where(total > 0, total, 1.0)[listed.query]
        others = votes.copy()
        others[np.arange(len(votes)), codes] = -1.0
        margin = np.maximum(votes[np.arange(len(votes)), codes] - others.max(axis=1), 0.0)
        other = self._nearest_of_another_class(table, codes)
        parts, names = self._parts(table, listed)
        return NeighborExplanation(
            predicted=self.classes_[codes],
            classes=self.classes_,
            votes=votes,
            start=listed.start,
            rows=self.rows_[listed.voter],
            labels=self.classes_[self.codes_[listed.voter]],
            distances=listed.distance,
            shares=shares,
            parts=parts,
            names=names,
            words=shared_words(self.neighborhood_.search, table, listed),
            notes=self._recall_notes(),
            runner_up=self.classes_[others.argmax(axis=1)],
            margin=margin,
            flips=flips_needed(shares, self.codes_[listed.voter] == codes[listed.query], listed.start, margin),
            other_row=self.rows_[other[0]],
            other_label=self.classes_[self.codes_[other[0]]],
            other_distance=other[1],
        )

    def _nearest_of_another_class(
        self, table: Rows, codes: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        rows, distances = np.zeros(table.n_rows, dtype=np.intp), np.zeros(table.n_rows)
        for code in np.unique(codes):
            asking, among = np.flatnonzero(codes == code), np.flatnonzero(self.codes_ != code)
            queries = table.take(asking)
            if (
                isinstance(queries, Table) and self.neighborhood_.search is None
            ):  # distances to all training rows: those of the others
                queries = queries.select(among.tolist())
            lists = self.neighborhood_.among(among).plain_lists(queries, 1)
            rows[asking], distances[asking] = among[lists.voter[lists.start[:-1]]], lists.distance[lists.start[:-1]]
        return rows, distances
