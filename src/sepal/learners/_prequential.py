"""What test-then-train found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame
from sepal.parameters import check_whole


@dataclass(frozen=True, eq=False, repr=False)
class PrequentialResult:
    """Every row predicted before it was learnt.

    Attributes
    ----------
    rows : array
        The rows that could be predicted: all but the very first that a learner ever sees.
    predictions, labels : arrays
        What was said of each of these rows, and what it was.
    drift_rows, warning_rows : arrays
        Rows after which the drift detector gave a signal.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.learners import WindowKNNClassifier
    >>> found = WindowKNNClassifier(window=10, n_neighbors=1).prequential(table)
    >>> len(found.rows), int((found.predictions == found.labels).sum())
    (19, 16)
    """

    rows: NDArray[np.intp]
    predictions: NDArray[Any]
    labels: NDArray[Any]
    drift_rows: NDArray[np.intp]
    warning_rows: NDArray[np.intp]

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each prediction was right."""
        return np.asarray(self.predictions == self.labels)

    @property
    def score(self) -> float:
        """The share of right predictions over the whole stream; NaN if nothing was predicted."""
        return float(np.mean(self.correct)) if len(self.rows) else float("nan")

    def rolling(self, size: int = 200) -> NDArray[np.float64]:
        """The share of right ones among the last ``size`` predictions (fewer at the start), after each row."""
        check_whole("size", size)
        right = np.concatenate([[0], np.cumsum(self.correct)])
        end = np.arange(1, len(right))
        start = np.maximum(end - size, 0)
        return np.asarray((right[end] - right[start]) / (end - start))

    def frame(self) -> Any:
        """One line per predicted row."""
        return data_frame(
            {
                "row": self.rows,
                "prediction": self.predictions,
                "label": self.labels,
                "correct": self.correct,
                "drift": np.isin(self.rows, self.drift_rows),
            }
        )

    def plot(self, size: int = 200, ax: Any = None) -> Any:
        """The rolling share of right predictions, with drifts as lines."""
        from sepal.plots import draw_stream

        return draw_stream(self.rows, self.rolling(size), size, self.score, self.drift_rows, ax)

    def _repr_html_(self) -> str:
        return f"<p>{repr(self).strip('<>')}</p>"

    def __repr__(self) -> str:
        return f"<PrequentialResult of {len(self.rows)} rows: score {self.score:.4g}, {len(self.drift_rows)} drifts>"
