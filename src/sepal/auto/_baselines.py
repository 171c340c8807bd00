"""What simple rules reach on the same rows, each row again decided without knowing its label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.special import softmax

from sepal.auto._judging import ClassJudge, Judge, NumberJudge
from sepal.auto._linear_member import LINEAR_RIDGES, fisher_left_out
from sepal.auto._ridge_loo import Spectrum, mean_of
from sepal.data import Table
from sepal.estimators import fit_view
from sepal.learners import KNNClassifier, KNNRegressor
from sepal.measures import thornton_samples
from sepal.neighbors import neighbor_ranking

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Baseline:
    """The leave-one-out score of a simple rule, and its standard error."""

    name: str
    score: float
    standard_error: float


def majority(judge: ClassJudge) -> Baseline:
    """Every row gets the largest class."""
    return _baseline(
        "majority",
        np.tile(np.bincount(judge.codes, weights=judge.mass).astype(np.float64), (len(judge.codes), 1)),
        judge,
    )


def nearest(table: Table, judge: ClassJudge, n_jobs: int | None) -> Baseline:
    """The nearest other row, ranges scaled; tied neighbours share."""
    if judge.groups is not None:
        rule = KNNClassifier(1, k_max=1, distance=_distance(table), n_jobs=n_jobs).fit(_unlabelled(table), judge.codes)
        curve = rule.leave_one_out(judge.groups)
        return Baseline("1-NN", float(curve.score[0]), float(curve.standard_error[0]))
    right = thornton_samples(table, judge.codes, distance=_distance(table), n_jobs=n_jobs)
    score = float(judge.weights @ right)
    return Baseline("1-NN", score, float(np.sqrt(judge.weights**2 @ (right - score) ** 2)))


def linear_rule(table: Table, judge: ClassJudge, shares: Array | None = None) -> Baseline:
    """Fisher's discriminant on the standardised columns; the ridge by the log-loss of the left-out rows.

    With ``shares`` of the classes its decisions are those for classes of equal size.
    """
    coordinates = fit_view(table, "standard", judge.mass).coordinates(table)
    if coordinates.shape[1] > len(coordinates):  # the same products in as many coordinates as there are rows
        values, vectors = eigh(coordinates @ coordinates.T)
        coordinates = vectors * np.sqrt(np.maximum(values, 0.0))
    left_out = np.stack(
        [fisher_left_out(coordinates, judge.codes, ridge, judge.groups, judge.mass) for ridge in LINEAR_RIDGES]
    )
    likelihoods = judge.log_likelihoods(softmax(left_out, axis=2), np.eye(len(LINEAR_RIDGES)))
    best = left_out[int(likelihoods.argmax())]
    return _baseline("linear", best if shares is None else best - np.log(shares), judge)


def mean(judge: NumberJudge) -> Baseline:
    """Every row gets the mean of the others."""
    w: Any = 1.0 if judge.mass is None else judge.mass
    total, n = (w * judge.targets).sum(), len(judge.targets) if judge.mass is None else w.sum()
    others = (total - w * judge.targets) / (n - w)
    return _baseline("mean", others[:, None], judge)


def nearest_number(table: Table, judge: NumberJudge, n_jobs: int | None) -> Baseline:
    """The number of the nearest other row, ranges scaled; the mean where several are equally near."""
    if judge.groups is not None:
        rule = KNNRegressor(1, k_max=1, distance=_distance(table), n_jobs=n_jobs).fit(_unlabelled(table), judge.targets)
        curve = rule.leave_one_out(judge.groups)
        return Baseline("1-NN", float(curve.score[0]), float(curve.standard_error[0]))
    ranking = neighbor_ranking(table, 1, distance=_distance(table), scale="minmax", ties="expected", n_jobs=n_jobs)
    sizes = np.diff(ranking.start)
    asking = np.repeat(np.arange(len(sizes)), sizes)
    return _baseline("1-NN", (np.bincount(asking, judge.targets[ranking.flat_rows]) / sizes)[:, None], judge)


def linear_number(table: Table, judge: NumberJudge) -> Baseline:
    """Ridge on the standardised columns; the ridge by the squared error of the left-out rows."""
    coordinates = fit_view(table, "standard", judge.mass).coordinates(table)
    left_out = ridge_left_out(coordinates, judge.targets[:, None], np.array(LINEAR_RIDGES), judge.groups, judge.mass)
    return _baseline("linear", left_out[int(judge.criteria(left_out)[:, 0].argmin())], judge)


def ridge_left_out(
    X: Array, targets: Array, ridges: Array, groups: NDArray[np.intp] | None = None, mass: Array | None = None
) -> Array:
    """Predictions of linear ridge with a free intercept for each ridge and row, the row itself left out.

    The unit of the ridges is the mean of the values of X'X, X centred, that are not zero.
    """
    centred = (X - mean_of(X, mass)) * (1.0 if mass is None else np.sqrt(mass)[:, None])
    n, p = centred.shape
    values, vectors = eigh(centred.T @ centred if p <= n else centred @ centred.T) if p else (np.zeros(0), centred)
    kept = values > max(n, p) * np.finfo(np.float64).eps * values.max(initial=0.0)
    if not kept.any():  # rows that are all alike: every prediction is the mean of the others
        return Spectrum(np.zeros((n, 1)), np.ones(1), 1.0, mass).left_out(targets, ridges, groups)
    values, vectors = values[kept], vectors[:, kept]
    if p <= n:
        vectors = (centred @ vectors) / np.sqrt(values)
    return Spectrum(vectors, values, float(values.mean()), mass).left_out(targets, ridges, groups)


def _unlabelled(table: Table) -> Table:
    return replace(table, y=None, target=None, class_order=None)


def _distance(table: Table) -> str:
    return "euclidean" if not table.has_missing and "nominal" not in table.kinds else "heom"


def _baseline(name: str, left_out: Array, judge: Judge) -> Baseline:
    score, standard_error = judge.scores(left_out[None])[0].tolist()
    return Baseline(name, score, standard_error)
