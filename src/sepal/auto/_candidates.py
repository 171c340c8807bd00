"""What a member of the average is picked from: answers of everything that was tried, and what is held of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidates:
    """What a member is picked from.

    Attributes
    ----------
    tried : ndarray, shape (trials, n, outputs)
        Answers to each row without itself.
    losses : ndarray, shape (criteria, trials, n)
        What each criterion holds of each of them; every criterion picks one trial, and the member is the mean of these.
    """

    tried: Array
    losses: Array

    def picked(self, weights: Array) -> Array:
        """What rows of these weights pick."""
        return np.asarray(self.tried[(self.losses @ weights).argmin(axis=1)].mean(axis=0))
