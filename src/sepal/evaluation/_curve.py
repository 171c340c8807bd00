"""Leave-one-out for every k, asked for directly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from sepal.data import Rows, ScaleName, SparseRows, Table, as_rows
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier, KNNRegressor, LeaveOneOutCurve
from sepal.measures import settled
from sepal.parameters import Parameter, checked


@checked(Parameter("training", "flag", "also give the score on the training rows themselves"))
def leave_one_out_curve(
    X: Any,
    y: Any = None,
    *,
    k_max: int | None = None,
    weights: Any = "uniform",
    groups: Any = None,
    task: Literal["auto", "classification", "regression"] = "auto",
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    feature_weights: Any = None,
    scale: ScaleName | None = "minmax",
    test: Any = None,
    training: bool = False,
    n_jobs: int | None = None,
    **learner: Any,
) -> LeaveOneOutCurve:
    """How good k nearest neighbours are for every k = 1..k_max, each row left out in turn, from one ranking.

    Parameters
    ----------
    X, y : rows and target
        A Table, or X and y.
    k_max : int, optional
        By default 100, or all rows but one (but the largest group).
    weights, distance, distance_params, feature_weights, scale, n_jobs
        As in :class:`sepal.learners.KNNClassifier`.
    groups : array-like, "rows", "copies" or None
        One label per row: rows of the same group (the same subject) are left out together, and groups are the units of
        the standard error. "rows": each alone; "copies": all that are equal in every column. None: copies where their
        numbers show that records were repeated (see :class:`sepal.auto.SepalClassifier`), else each alone.
    task : {"auto", "classification", "regression"}
        ``"auto"``: regression if the target holds numbers that are not whole, else classification.
    test : Table or (X, y), optional
        Other rows, to draw their score beside.
    training : bool
        Also score the training rows on themselves, which shows how optimistic that is.
    **learner
        Further parameters of KNNClassifier (``ties``, ``vote_ties``, ``class_weight``, ``priors``, ``width``) or
        KNNRegressor (``ties``, ``width``, ``aggregate``).

    Returns
    -------
    LeaveOneOutCurve

    Notes
    -----
    Scaling and other statistics of the distance come from all rows, since no label enters into them.

    Examples
    --------
    >>> import sepal.datasets
    >>> curve = leave_one_out_curve(sepal.datasets.load("athletes"), scale=None)
    >>> curve.score[[0, 2, 4, 18]].round(4).tolist()
    [1.0, 0.8, 0.8, 0.6]
    """
    table = as_rows(X, y)
    kind = KNNRegressor if _is_regression(table, task) else KNNClassifier
    options: dict[str, Any] = {
        "weights": weights,
        **settled(X, distance=distance, distance_params=distance_params, scale=scale),
        "feature_weights": feature_weights,
        "n_jobs": n_jobs,
        **learner,
    }
    model = kind("auto", k_max=k_max, **options).fit(table, groups=groups)
    curve = model.loo_curve_
    if training:
        curve = replace(curve, training=model.scores_for_every_k(table, len(curve.k)))
    if test is not None:
        if not isinstance(test, (Table, SparseRows, tuple, list)) or (
            isinstance(test, (tuple, list)) and len(test) != 2
        ):
            raise ParameterError(f"test must be a Table with a target, or rows and their targets; got {test!r}")
        other = test if isinstance(test, (Table, SparseRows)) else as_rows(*test)
        curve = replace(curve, test=model.scores_for_every_k(other, len(curve.k)))
    return curve


def _is_regression(table: Rows, task: str) -> bool:
    if task not in ("auto", "classification", "regression"):
        raise ParameterError(f"task must be 'auto', 'classification' or 'regression'; got {task!r}")
    if table.y is None:
        raise DataError("there is no target", hint="give it as y, or name the target of the table")
    if task != "auto":
        return task == "regression"
    return table.y.dtype.kind == "f" and not np.all(table.y == np.floor(table.y))
