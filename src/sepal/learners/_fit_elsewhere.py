"""A k-NN classifier on a given search, such as that of rows in partitions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from sepal.data import Table
from sepal.exceptions import ParameterError
from sepal.learners._class_factors import class_factors
from sepal.learners._knn_classifier import KNNClassifier
from sepal.learners._leave_one_out import told
from sepal.learners._neighborhood import Neighborhood
from sepal.learners._vote_weights import PER_CLASS
from sepal.neighbors import AnySearch, recall_told
from sepal.parameters import check_parameters


def fit_elsewhere(
    model: KNNClassifier,
    like: Table,
    search: AnySearch,
    codes: NDArray[np.int32],
    classes: NDArray[Any],
    class_order: NDArray[np.intp],
) -> KNNClassifier:
    """The classifier, fitted to the rows of a search.

    Parameters
    ----------
    model : KNNClassifier
        Its distance and scale are those of the search; it is cloned.
    like : Table
        The columns of the rows.
    search : search
        Finds the neighbours.
    codes, classes : arrays
        The class of each row as a number, and the classes.
    class_order : array
        A ranking of the classes for votes that nothing else decides.
    """
    check_parameters(model)
    if model.prototypes is not None or model.weights == PER_CLASS:
        what = "prototypes" if model.prototypes is not None else f"weights={PER_CLASS!r}"
        raise ParameterError(f"{what}: not there for rows in partitions", hint="fit the model to a sample of them")
    found: KNNClassifier = clone(model)
    found._training_rows(like)
    n = len(codes)
    found.table_, found.rows_, found.n_rows_in_ = like, np.arange(n), n
    found.neighborhood_ = Neighborhood(search, None, np.ones(n), found.ties, found.ties == "index", found.n_jobs)
    found.left_out_, found.left_out_groups_, found.copies_note_ = "rows", None, None
    order = np.argsort(classes, kind="stable")
    place = np.argsort(order)
    found.classes_, found.codes_ = classes[order], place[codes].astype(np.int32)
    found.class_order_ = class_order[order]
    if (recall := recall_told(search.fitted.notes)) is not None:
        found.recall_ = recall
    class_factors(found.class_weight, found.priors, found.classes_)
    k = found._check_n_neighbors()
    if k is None:
        found.loo_curve_ = told(found.leave_one_out(), found._notes_told())
        k = found.loo_curve_.one_se_k
    found.n_neighbors_ = k
    return found
