"""One member of the average: gaussian kernel ridge on one view, width and ridge by exact leave-one-out.

For each width the kernel is decomposed once and all ridges are judged. Each criterion picks its own width and ridge;
the member is the mean of these picks, since no criterion is right for every table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sepal.auto._judging import Judge
from sepal.auto._ridge_loo import Spectrum, kernel_spectrum, vector_spectrum
from sepal.auto._trace import Trial
from sepal.auto._views import View
from sepal.data import Table

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

WIDTHS = 2.0 ** np.arange(-3.0, 4.0)  # times the median distance
RIDGES = 10.0 ** np.arange(-5.0, 1.51, 0.5)  # times the mean of the centred kernel's diagonal
_BLOCK_NUMBERS = 4_000_000


def squared_distances(A: Array, B: Array) -> Array:
    """|a - b|^2 for all pairs, never negative."""
    out = A @ B.T
    out *= -2.0
    out += (A**2).sum(axis=1)[:, None]
    out += (B**2).sum(axis=1)
    return np.maximum(out, 0.0, out=out)


def gaussian(squares: Array, width: float) -> Array:
    """exp(-d^2 / (2 width^2))."""
    K = squares * (-0.5 / width**2)
    return np.exp(K, out=K)


def median_distance(squares: Array) -> float:
    """The root of the median squared distance between rows; of the mean where most coincide; 1 where all do."""
    above = squares[np.triu_indices(len(squares), 1)]
    for unit in (np.median(above) if len(above) else 0.0, above.mean() if len(above) else 0.0):
        if unit > 0.0:
            return float(np.sqrt(unit))
    return 1.0


@dataclass(frozen=True, eq=False)
class KernelMember:
    """f(x) = intercept + sum over widths and points of coefficient * gaussian.

    Attributes
    ----------
    view : View
    points : ndarray, shape (m, coordinates)
    widths : ndarray, shape (k,)
    coefficients : ndarray, shape (k, m, outputs)
    intercept : ndarray, shape (outputs,)
    """

    view: View
    points: Array
    widths: Array
    coefficients: Array
    intercept: Array

    @property
    def name(self) -> str:
        return f"kernel-{self.view.how}"

    def decisions(self, table: Table) -> Array:
        """For new rows, block by block."""
        out = np.empty((table.n_rows, len(self.intercept)))
        step = max(64, _BLOCK_NUMBERS // max(1, len(self.points)))
        for start in range(0, table.n_rows, step):
            rows = np.arange(start, min(start + step, table.n_rows))
            part = table if len(rows) == table.n_rows else table.take(rows)
            squares = squared_distances(self.view.coordinates(part), self.points)
            out[rows] = self.intercept
            for width, a in zip(self.widths, self.coefficients, strict=True):
                out[rows] += gaussian(squares, float(width)) @ a
        return out


@dataclass(frozen=True, eq=False)
class Found:
    """A fitted member, its decisions for the training rows without these, and what was tried."""

    member: KernelMember
    left_out: Array
    trials: tuple[Trial, ...]


def search_kernel(view: View, table: Table, targets: Array, judge: Judge, widths: Array, vectors: Rows | None) -> Found:
    """Try all widths and ridges on one view.

    Parameters
    ----------
    view : View
        Fitted to these rows.
    table : Table
        Training rows.
    targets : ndarray, shape (n, outputs)
        What to predict.
    judge : Judge
        Of these rows.
    widths : ndarray
        Times the median distance.
    vectors : ndarray of int or None
        The feature vectors; None lets every row carry a coefficient.
    """
    coordinates = view.coordinates(table)
    points = coordinates if vectors is None else coordinates[vectors]
    squares = squared_distances(coordinates, points)
    square = squares if vectors is None else squares[vectors]
    unit = median_distance(square)
    best: dict[str, tuple[float, int, Spectrum, Array]] = {}
    trials: list[Trial] = []
    for width in np.asarray(widths) * unit:
        K = gaussian(squares, float(width))
        spectrum = kernel_spectrum(K) if vectors is None else vector_spectrum(K, K[vectors])
        left_out = spectrum.left_out(targets, RIDGES)
        criteria, scores = judge.criteria(left_out), judge.scores(left_out)
        for k, ridge in enumerate(RIDGES):
            values = dict(zip(judge.names, criteria[k].tolist(), strict=True))
            for name, value in values.items():
                if name not in best or value < best[name][0]:
                    best[name] = (value, len(trials), spectrum, left_out[k].copy())
            score, standard_error = scores[k].tolist()
            trials.append(
                Trial(
                    member=f"kernel-{view.how}",
                    rows=table.n_rows,
                    vectors=len(points),
                    width=float(width),
                    ridge=float(ridge),
                    criteria=values,
                    score=score,
                    standard_error=standard_error,
                )
            )
    for name, (_, place, _, _) in best.items():
        trials[place] = replace(trials[place], picked_by=(*trials[place].picked_by, name))
    left_out = np.mean([left_out for *_, left_out in best.values()], axis=0)
    return Found(_mean_of_picks(view, points, targets, trials, best), left_out, tuple(trials))


def _mean_of_picks(
    view: View,
    points: Array,
    targets: Array,
    trials: list[Trial],
    best: dict[str, tuple[float, int, Spectrum, Array]],
) -> KernelMember:
    share = 1.0 / len(best)
    parts: dict[float, Array] = {}
    intercept = np.zeros(targets.shape[1])
    for _, place, spectrum, _ in best.values():
        a, b = spectrum.coefficients(targets, trials[place].ridge)
        width = trials[place].width
        parts[width] = parts.get(width, 0.0) + share * a
        intercept += share * b
    widths = sorted(parts)
    return KernelMember(view, points, np.array(widths), np.array([parts[w] for w in widths]), intercept)
