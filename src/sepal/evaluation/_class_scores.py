"""Numbers about answered rows: agreement, errors of probabilities, areas under curves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

# Probabilities that differ by less are one threshold: sums that round differently must not change a curve.
_DECIMALS = 9


def confusion(actual: NDArray[np.intp], predicted: NDArray[np.intp], n_classes: int) -> NDArray[np.int64]:
    """(n_classes, n_classes) rows of each class (down) by what they were taken for (across)."""
    return np.bincount(actual * n_classes + predicted, minlength=n_classes**2).reshape(n_classes, n_classes)


def kappa(matrix: NDArray[np.int64]) -> float:
    """Cohen's kappa: agreement beyond what the margins alone would give; 0 if nothing beyond is possible."""
    n = matrix.sum()
    agreed = np.trace(matrix) / n
    chance = float(matrix.sum(axis=0) @ matrix.sum(axis=1)) / float(n) ** 2
    return float((agreed - chance) / (1.0 - chance)) if chance < 1.0 else 0.0


def ratio(part: float, whole: float) -> float:
    """Part / whole; NaN where nothing is to be divided, which prints as a question mark."""
    return part / whole if whole else float("nan")


def per_class(
    matrix: NDArray[np.int64], share: NDArray[np.float64], actual: NDArray[np.intp]
) -> dict[str, list[float]]:
    """One number per class for each column of the summary, the class against all others."""
    columns: dict[str, list[float]] = {name: [] for name in CLASS_COLUMNS}
    n = int(matrix.sum())
    for c in range(len(matrix)):
        hit, of_class, as_class = int(matrix[c, c]), int(matrix[c].sum()), int(matrix[:, c].sum())
        false_alarm, missed = as_class - hit, of_class - hit
        rejected = n - hit - false_alarm - missed
        precision, recall = ratio(hit, as_class), ratio(hit, of_class)
        spread = float(as_class) * of_class * (n - of_class) * (n - as_class)
        values = (
            recall,
            ratio(false_alarm, n - of_class),
            precision,
            recall,
            ratio(2.0 * hit, as_class + of_class) if as_class else float("nan"),
            ratio(hit * rejected - false_alarm * missed, float(np.sqrt(spread))),
            roc_area(share[:, c], actual == c),
            precision_recall_area(share[:, c], actual == c),
        )
        for name, value in zip(CLASS_COLUMNS, values, strict=True):
            columns[name].append(float(value))
    return columns


CLASS_COLUMNS = ("TP Rate", "FP Rate", "Precision", "Recall", "F-Measure", "MCC", "ROC Area", "PRC Area")


def roc_area(share: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """The chance that a row of the class gets a higher share than one of the others; equal shares count half."""
    n, m = int(positive.sum()), int((~positive).sum())
    if n == 0 or m == 0:
        return float("nan")
    ranks = rankdata(np.round(share, _DECIMALS))
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * m))


def precision_recall_area(share: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """Average precision: precision at each threshold, weighted by the recall it adds."""
    if not positive.any():
        return float("nan")
    values, inverse = np.unique(-np.round(share, _DECIMALS), return_inverse=True)
    hits = np.cumsum(np.bincount(inverse, weights=positive, minlength=len(values)))
    asked = np.cumsum(np.bincount(inverse, minlength=len(values)))
    return float(np.sum(np.diff(hits, prepend=0.0) * hits / asked) / hits[-1])
