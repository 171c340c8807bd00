"""The founding paper's promise as it was made: features by separability, width by alignment, sparse feature vectors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sepal.auto._paper_chain_link import CHAIN_ROWS, FIXED_CHOICES, Array, ChainLink, Codes, link_solve
from sepal.auto._paper_chain_tree import ClassQuestion, questions_solve, tree_probabilities
from sepal.auto._parameters import PAPER_CHAIN
from sepal.auto._shell import AutoEstimator
from sepal.data import Scaling, Table, left_out_together
from sepal.estimators import TableClassifierMixin
from sepal.exceptions import DataError
from sepal.machines import FeatureVectorClassifier, checked_labels, class_sample, order_keys
from sepal.measures import AlignmentCurve
from sepal.parameters import check_parameters
from sepal.selection import Subset


class PaperChainClassifier(TableClassifierMixin, AutoEstimator):
    """The chain that the founding paper proposes, step by step.

    Columns are scaled to [0, 1]; the feature subset with the highest Thornton index is taken; the width of a gaussian
    kernel is where its centred alignment with the classes peaks; a linear classifier on feature vectors answers. It
    reproduces the paper's promise and is meant for study: :class:`SepalClassifier` is more accurate. Numbers, ranks,
    nominal columns and missing cells are all welcome.

    Parameters
    ----------
    subset : {"separability"} or None
        None leaves the second step out and uses all columns, which is usually more accurate.
    multiclass : {"direct", "tree"}
        For more than two classes: one chain with one output per class, or the paper's tree of two-class chains. Each
        question of the tree splits the classes into the two groups with the highest Thornton index, and has a subset, a
        width and vectors of its own.
    max_vectors : int, optional
        The most feature vectors; 1,000 by default, and fewer above 10,000 rows (100 for 100,000 of them).
    random_state : int or RandomState
        For the sample on which subsets and widths are judged when there are more than 2,000 rows.
    n_jobs : int, optional
        Threads; all cores by default. The answer does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
    subset_ : Subset or None
        The selected features and their Thornton index, which is optimistic: it is the best of many.
    scaling_ : Scaling
        Of the numeric columns in use.
    alignment_ : AlignmentCurve or None
        Alignment by width; None where all rows are alike.
    width_ : float
        Where it peaks, on scaled columns.
    feature_vectors_ : ndarray of int
        The training rows that were selected, in order.
    machine_ : FeatureVectorClassifier
        The linear classifier on them; ``machine_.frame()`` has the leave-one-out error for each number of vectors.
    tree_ : tuple of ClassQuestion or None
        The questions of the tree with their chains; the attributes above are then those of the first question.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    References
    ----------
    J. R. Greene, "Feature subset selection using Thornton's separability index and its applicability to a number of
    sparse proximity-based classifiers", 2001.

    G. Baudat, F. Anouar, "Kernel-based methods and function approximation", IJCNN 2001.

    Examples
    --------
    >>> import sepal.datasets
    >>> table = sepal.datasets.load("ripley-train")
    >>> chain = PaperChainClassifier().fit(table)
    >>> chain.subset_.features
    ('xs', 'ys')
    >>> test = sepal.datasets.load("ripley-test")
    >>> bool(chain.score(test, test.y) > 0.89)
    True
    """

    parameter_table = PAPER_CHAIN

    def __init__(
        self,
        *,
        subset: str | None = "separability",
        multiclass: str = "direct",
        max_vectors: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.subset = subset
        self.multiclass = multiclass
        self.max_vectors = max_vectors
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:
        """Fit the steps on labelled rows; a Table with a target needs no ``y``.

        Parameters
        ----------
        X, y
            Rows and their classes.
        groups : array-like, "rows", "copies" or None
            For Thornton's index and leave-one-out. Labels: rows of one group are left out together, and are no
            neighbours of each other; "rows": each row alone; "copies": with all rows equal to it. None: copies where
            their numbers show that records were repeated, else each alone.
        """
        check_parameters(self)
        table = self._training_table(X, y)
        codes, self.classes_ = checked_labels(table, X, y)
        if len(self.classes_) < 2:
            raise DataError(f"y has one class only, {self.classes_.tolist()[0]!r}; expected at least two")
        together = left_out_together(table, groups).groups
        self.tree_: tuple[ClassQuestion, ...] | None = None
        if self.multiclass == "tree" and len(self.classes_) > 2:
            self.tree_ = questions_solve(
                table, codes, len(self.classes_), self._link, self._sample, self.n_jobs, together
            )
            self.link_ = self.tree_[0].link  # the first question is about all rows
        else:
            self.link_ = self._link(table, codes, together)
        return self

    def _link(self, table: Table, codes: Codes, groups: NDArray[np.intp] | None) -> ChainLink:
        return link_solve(
            table,
            codes,
            groups,
            subset=self.subset is not None,
            max_vectors=self.max_vectors,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )

    def _sample(self, table: Table, codes: Codes) -> NDArray[np.intp]:
        return class_sample(codes, order_keys(table.values, codes), CHAIN_ROWS, self.random_state)

    @property
    def subset_(self) -> Subset | None:
        """The second step; None where it was left out."""
        return self._fitted_link.subset

    @property
    def scaling_(self) -> Scaling:
        """The first step, for the columns in use."""
        return self._fitted_link.view.scaling

    @property
    def alignment_(self) -> AlignmentCurve | None:
        """The third step, for every width."""
        return self._fitted_link.alignment

    @property
    def width_(self) -> float:
        """The third step."""
        return self._fitted_link.width

    @property
    def feature_vectors_(self) -> NDArray[np.intp]:
        """The fourth step: training rows."""
        return self.machine_.vector_rows_

    @property
    def machine_(self) -> FeatureVectorClassifier:
        """The fifth step."""
        return self._fitted_link.machine

    @property
    def _fitted_link(self) -> ChainLink:
        check_is_fitted(self)
        return self.link_

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, in the order of ``classes_``.

        In a tree it is the product of the answers on the way to the class.
        """
        table = self._new_table(X)
        if self.tree_ is not None:
            return tree_probabilities(self.tree_, table, len(self.classes_))
        return self.link_.probabilities(table)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def explain(self) -> str:
        """What each step found, and which choices the chain has made for you."""
        links = [self._fitted_link] if self.tree_ is None else [question.link for question in self.tree_]
        lines = []
        for number, link in enumerate(links):
            if self.tree_ is not None:
                groups = (self.tree_[number].first, self.tree_[number].second)
                named = [", ".join(str(self.classes_[c]) for c in group) for group in groups]
                lines.append(f"question {number + 1}: {named[0]}  or  {named[1]}?")
            lines += _steps(link, [str(name) for name in self.columns_.names])
        return (
            "\n".join([*lines, "fixed, and not chosen by the data:", *(f"  {each}" for each in FIXED_CHOICES)]) + "\n"
        )


def _steps(link: ChainLink, names: list[str]) -> list[str]:
    machine = link.machine
    features = ", ".join(names[column] for column in link.columns)
    if link.subset is None:
        first = f"  features   all {len(names)}"
    else:
        first = f"  features   {link.subset.size} of {len(names)}, Thornton's index {link.subset.score:.4f}: {features}"
    aligned = "" if link.alignment is None else f", centred alignment {link.alignment.best_score:.4f}"
    return [
        first,
        f"  width      {link.width:.4g}{aligned}",
        f"  vectors    {machine.n_vectors_} rows, fitness {machine.fitness_:.4f}, ridge {machine.alpha:g}",
        f"  left out   {100 * (1 - machine.loo_error_):.2f} % right, features and width chosen with all rows in",
    ]
