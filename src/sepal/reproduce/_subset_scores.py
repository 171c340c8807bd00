"""Index and alignment of all subsets of the breast-cancer features, computed once for the experiments that ask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.datasets import load
from sepal.selection import Alignment, subset_sweep


@dataclass(frozen=True)
class SweptSubsets:
    """Scores by bit mask, as the sweep gives them."""

    sweep: Any

    @property
    def all_scores(self) -> dict[str, NDArray[np.float64]]:
        """Criterion to scores."""
        found: dict[str, NDArray[np.float64]] = self.sweep.all_scores
        return found

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Features in each subset."""
        return np.asarray(self.sweep.sizes)

    @staticmethod
    def columns(mask: int) -> str:
        """The features of a subset, counted from 0."""
        return "{" + ", ".join(str(j) for j in range(mask.bit_length()) if mask >> j & 1) + "}"


@cache
def swept(n_widths: int) -> SweptSubsets:
    """The sweep over the complete rows; of the widths of the kernel the best one counts, for each subset."""
    widths = tuple(np.geomspace(0.05, 0.8, n_widths).tolist())
    table = load("breast-cancer").drop_missing()
    return SweptSubsets(subset_sweep(table, criterion=["thornton", Alignment(width=widths)]))
