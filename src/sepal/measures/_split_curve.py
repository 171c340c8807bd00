"""The learning curve of the nearest neighbours, as expected over all random splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame, frame_html
from sepal.neighbors import ToldOfRows, recall_html


@dataclass(frozen=True, eq=False)
class SplitAccuracyCurve(ToldOfRows):
    """Exact mean accuracy over all random splits, by the size of the training part.

    Attributes
    ----------
    train_sizes : array of int
        Training rows, or training groups where there are groups.
    accuracy : array
        Exact mean over all splits.
    split_std : array
        Estimated standard deviation of a single random split: how noisy one split is.
    n_rows, k : int
    stratified : bool
    n_groups : int or None
        Groups that were drawn as a whole; None where each row was drawn by itself.
    notes : tuple of str
        That records were repeated, where their numbers show it: copies of a test row are then training rows.
    plan, exact, rows_seen, recall
        As in :class:`ThorntonTest`. The mean over all splits of these rows has no interval of its own.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.measures import expected_accuracy_curve
    >>> curve = expected_accuracy_curve(table, train_sizes=[5, 10, 15])
    >>> curve.accuracy.round(3).tolist()
    [0.779, 0.883, 0.955]
    """

    train_sizes: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    split_std: NDArray[np.float64]
    n_rows: int
    k: int
    stratified: bool
    notes: tuple[str, ...] = ()
    n_groups: int | None = None
    plan: Any = None

    @property
    def train_shares(self) -> NDArray[np.float64]:
        """The share of the rows, or of the groups, that trains."""
        return np.asarray(self.train_sizes / (self.n_groups or self.n_rows))

    def frame(self) -> Any:
        """One line per size."""
        return data_frame(
            {
                "train_rows" if self.n_groups is None else "train_groups": self.train_sizes,
                "train_share": self.train_shares,
                "accuracy": self.accuracy,
                "split_std": self.split_std,
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve with the band of a single split; returns the matplotlib axes."""
        from sepal.plots import draw_curve

        return draw_curve(
            self.train_shares,
            self.accuracy,
            self.split_std,
            xlabel=f"share of {'rows' if self.n_groups is None else 'groups'} used for training",
            ylabel=f"accuracy of {self.k}-NN",
            band_label="one random split (±1 standard deviation)",
            line_label="exact mean over all splits",
            ax=ax,
        )

    def _repr_html_(self) -> str:
        return frame_html(self) + recall_html(self.notes)
