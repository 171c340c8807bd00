"""Whether probabilities mean what they say: of the rows answered with confidence 0.8, are eight in ten right?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.data import as_weights, data_frame
from sepal.exceptions import DataError
from sepal.parameters import check_whole

Array = NDArray[np.float64]
BINS = 10
_LEAST = 1e-15  # a true class that was said to be impossible: its logarithm must exist


@dataclass(frozen=True, eq=False)
class Reliability:
    """A reliability diagram: confidence against the share that is right, in bins of equally many rows.

    The confidence of a row is the probability of its most probable class, and the row is right if that is its class.

    Attributes
    ----------
    low, high : ndarray
        The least and the largest confidence in each bin.
    confidence, right : ndarray
        Mean confidence, and the share of the rows that are right.
    counts : ndarray of int
        Rows in the bin. Rows of one confidence stay together, so that bins may be fewer and not quite equal.
    expected_calibration_error : float
        The mean over the rows of \\|confidence - right\\| of their bins.
    chance : float
        What that error would be on average if every probability were true: so many rows never agree exactly.
    mean_confidence, accuracy, standard_error : float
        Over all rows; the standard error is that of their difference if every probability were true.
    log_loss : float
        Minus the mean logarithm of the probability of the true class.

    Examples
    --------
    >>> from sepal.evaluation import reliability
    >>> found = reliability([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.4, 0.6]], [0, 0, 1, 1])
    >>> found.accuracy, round(found.mean_confidence, 2)
    (1.0, 0.75)
    """

    low: Array
    high: Array
    confidence: Array
    right: Array
    counts: NDArray[np.int64]
    expected_calibration_error: float
    chance: float
    mean_confidence: float
    accuracy: float
    standard_error: float
    log_loss: float

    def frame(self) -> Any:
        """One line per bin."""
        names = ("low", "high", "confidence", "right", "counts")
        return data_frame({name: getattr(self, name) for name in names})

    def plot(self, ax: Any = None) -> Any:
        """The share that is right over the confidence, and the line on which both agree."""
        from sepal.plots import draw_reliability

        return draw_reliability(self.confidence, self.right, self.counts, ax)

    def __str__(self) -> str:
        lines = [f"{'confidence':>17}  {'mean':>6}  {'right':>6}  {'rows':>7}"]
        for low, high, mean, right, count in zip(
            self.low, self.high, self.confidence, self.right, self.counts, strict=True
        ):
            lines.append(f"{low:7.3f} to {high:.3f}  {mean:6.3f}  {right:6.3f}  {count:7,d}")
        lines.append(
            f"expected calibration error {self.expected_calibration_error:.4f} "
            f"(by chance about {self.chance:.4f}), log-loss {self.log_loss:.4f}"
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{self}</pre>"


def reliability(
    probabilities: ArrayLike, codes: ArrayLike, *, n_bins: int = BINS, weights: ArrayLike | None = None
) -> Reliability:
    """Calibration: hold probabilities against what happened.

    Parameters
    ----------
    probabilities : array-like, shape (n, classes)
        For rows whose class was not known when they were made.
    codes : array-like of int, shape (n,)
        The true class of each row, as the position of its column.
    n_bins : int
        Bins of equally many rows.
    weights : array-like, optional
        How much each row counts; alike by default.

    Returns
    -------
    Reliability
        Confidence and share right by bin, and the expected calibration error beside that by chance.

    References
    ----------
    M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", AAAI
    2015.

    Examples
    --------
    >>> found = reliability([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [0.4, 0.6]], [0, 0, 1, 0], n_bins=2)
    >>> round(found.expected_calibration_error, 3)
    0.1
    """
    check_whole("n_bins", n_bins)
    try:
        share, true = np.asarray(probabilities, dtype=np.float64), np.asarray(codes)
    except (TypeError, ValueError) as error:
        raise DataError(f"probabilities must be numbers, one line for each row: {error}") from error
    if share.ndim != 2 or true.shape != share.shape[:1] or not len(true):
        raise DataError(f"one line of probabilities for each row is needed; got {share.shape} for {true.shape} rows")
    if true.dtype.kind not in "iu" or np.any((true < 0) | (true >= share.shape[1])):
        raise DataError(
            f"codes must be whole numbers from 0 to {share.shape[1] - 1}: the position of each row's class",
            hint="np.searchsorted(model.classes_, y) gives them",
        )
    if np.isnan(share).any():
        raise DataError("probabilities: some are missing (NaN)", hint="leave out the rows without probabilities")
    w = as_weights(1.0 if weights is None else weights, len(true))
    return _reliability_solve(share, true, int(n_bins), w / w.sum())


def _reliability_solve(share: Array, codes: NDArray[Any], n_bins: int, w: Array) -> Reliability:
    top = share.max(axis=1)
    right = (share.argmax(axis=1) == codes).astype(np.float64)
    n = len(top)
    # The confidence that begins each bin; equal ones fall into the same bin, wherever the rows stand.
    begins = np.unique(np.sort(top)[np.arange(1, n_bins) * n // n_bins])
    bins = np.unique(np.searchsorted(begins, top, side="right"), return_inverse=True)[1]
    total = np.bincount(bins, w)
    confidence, share_right = np.bincount(bins, w * top) / total, np.bincount(bins, w * right) / total
    spread = np.sqrt(np.bincount(bins, w**2 * top * (1.0 - top))) / total
    places = [np.flatnonzero(bins == b) for b in range(len(total))]
    return Reliability(
        low=np.array([top[rows].min() for rows in places]),
        high=np.array([top[rows].max() for rows in places]),
        confidence=confidence,
        right=share_right,
        counts=np.bincount(bins),
        expected_calibration_error=float(total @ np.abs(confidence - share_right)),
        chance=float(total @ spread * np.sqrt(2.0 / np.pi)),  # the mean size of a normal error of that spread
        mean_confidence=float(w @ top),
        accuracy=float(w @ right),
        standard_error=float(np.sqrt(w**2 @ (top * (1.0 - top)))),
        log_loss=float(-(w @ np.log(np.maximum(share[np.arange(n), codes], _LEAST)))),
    )
