"""What simple rules reach on the same rows, each row again decided without knowing its label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.auto._judging import ClassJudge, Judge
from sepal.auto._kernel_member import RIDGES
from sepal.auto._ridge_loo import kernel_spectrum, linear_spectrum
from sepal.auto._views import fit_view
from sepal.data import Table
from sepal.measures import thornton_samples

Array = NDArray[np.float64]
_MOST_LINEAR = 2000  # coordinates, or else rows, of the linear rule


@dataclass(frozen=True)
class Baseline:
    """The leave-one-out score of a simple rule, and its standard error."""

    name: str
    score: float
    standard_error: float


def majority(judge: ClassJudge) -> Baseline:
    """Every row gets the class that is largest without it."""
    counts = np.bincount(judge.codes)
    left_out = np.tile(counts, (len(judge.codes), 1)).astype(np.float64)
    left_out[np.arange(len(judge.codes)), judge.codes] -= 1.0
    return _baseline("majority", left_out, judge)


def nearest(table: Table, judge: ClassJudge, n_jobs: int | None) -> Baseline:
    """The nearest other row, ranges scaled; tied neighbours share."""
    plain = not table.has_missing and "nominal" not in table.kinds
    right = thornton_samples(table, judge.codes, distance="euclidean" if plain else "heom", n_jobs=n_jobs)
    score = float(judge.weights @ right)
    return Baseline("1-NN", score, float(np.sqrt(judge.weights**2 @ (right - score) ** 2)))


def linear(table: Table, targets: Array, judge: Judge) -> Baseline:
    """Ridge regression on the standardised columns; the ridge by leave-one-out."""
    coordinates = fit_view(table, "standard").coordinates(table)
    if coordinates.shape[1] <= min(len(coordinates), _MOST_LINEAR):
        spectrum = linear_spectrum(coordinates)
    else:
        spectrum = kernel_spectrum(coordinates @ coordinates.T)
    left_out = spectrum.left_out(targets, RIDGES)
    return _baseline("linear", left_out[int(judge.criteria(left_out)[:, 0].argmin())], judge)


def _baseline(name: str, left_out: Array, judge: Judge) -> Baseline:
    score, standard_error = judge.scores(left_out[None])[0].tolist()
    return Baseline(name, score, standard_error)
