"""What simple rules reach on the same rows, each row again decided without knowing its label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.special import softmax

from sepal.auto._judging import ClassJudge
from sepal.auto._linear_member import RIDGES, fisher_left_out
from sepal.auto._views import fit_view
from sepal.data import Table
from sepal.measures import thornton_samples

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Baseline:
    """The leave-one-out score of a simple rule, and its standard error."""

    name: str
    score: float
    standard_error: float


def majority(judge: ClassJudge) -> Baseline:
    """Every row gets the largest class."""
    return _baseline("majority", np.tile(np.bincount(judge.codes).astype(np.float64), (len(judge.codes), 1)), judge)


def nearest(table: Table, judge: ClassJudge, n_jobs: int | None) -> Baseline:
    """The nearest other row, ranges scaled; tied neighbours share."""
    plain = not table.has_missing and "nominal" not in table.kinds
    right = thornton_samples(table, judge.codes, distance="euclidean" if plain else "heom", n_jobs=n_jobs)
    score = float(judge.weights @ right)
    return Baseline("1-NN", score, float(np.sqrt(judge.weights**2 @ (right - score) ** 2)))


def linear(table: Table, judge: ClassJudge) -> Baseline:
    """Fisher's discriminant on the standardised columns; the ridge by the log-loss of the left-out rows."""
    coordinates = fit_view(table, "standard").coordinates(table)
    if coordinates.shape[1] > len(coordinates):  # the same products in as many coordinates as there are rows
        values, vectors = eigh(coordinates @ coordinates.T)
        coordinates = vectors * np.sqrt(np.maximum(values, 0.0))
    left_out = np.stack([fisher_left_out(coordinates, judge.codes, ridge) for ridge in RIDGES])
    likelihoods = judge.log_likelihoods(softmax(left_out, axis=2), np.eye(len(RIDGES)))
    return _baseline("linear", left_out[int(likelihoods.argmax())], judge)


def _baseline(name: str, left_out: Array, judge: ClassJudge) -> Baseline:
    score, standard_error = judge.scores(left_out[None])[0].tolist()
    return Baseline(name, score, standard_error)
