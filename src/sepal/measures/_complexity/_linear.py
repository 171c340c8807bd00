"""How far a linear machine gets: L1, L2, L3 of the survey.

A linear support vector machine with C = 1 on standardized columns, for every pair of the classes (of the
largest, where these are many); means over the pairs.
L1 is s / (1 + s) with the survey's s, the mean of the slacks that the machine's optimum has. Its words, and ECoL, mean
the rows on the wrong side only, each by how far it is beyond the boundary in units of the margin: that is L1e, and 0
where L2 is.
"""

from __future__ import annotations

import numpy as np

from sepal.measures._complexity._features import Codes, paired_rows, rows_of_classes
from sepal.measures._complexity._linear_machine import linear_machine
from sepal.measures._within import Matrix

_MOSTLY = 0.75
_ON_THE_BOUNDARY = 1e-6  # in units of the margin: nearer is on it, and wrong, whatever the last digits say


def linear_measures(values: Matrix, codes: Codes, made: Matrix, made_codes: Codes) -> dict[str, float]:
    """L1, L1e, L2 from the rows, L3 from the ``made`` ones."""
    found, made_of = [], rows_of_classes(made_codes)
    for a, b in paired_rows(codes):
        first, second, rows = int(codes[a[0]]), int(codes[b[0]]), np.concatenate([a, b])
        signs = np.where(codes[rows] == second, 1.0, -1.0)
        center, spread = values[rows].mean(axis=0), values[rows].std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        # The offset makes up for any center: columns that are mostly 0 keep their zeros, which saves most of the work.
        center = np.where(np.mean(values[rows] == 0, axis=0) > _MOSTLY, 0.0, center)
        scaled = (values[rows] - center) / spread
        weights, offset = linear_machine(scaled, signs)
        scores = signs * (scaled @ weights + offset)
        at = np.concatenate([made_of[first], made_of[second]])
        between = (made[at] - center) / spread @ weights + offset
        wrong = np.where(made_codes[at] == second, 1.0, -1.0) * between <= _ON_THE_BOUNDARY
        slack, beyond = (float(np.mean(np.maximum(0.0, v))) for v in (1 - scores, -scores))
        errors = float(np.mean(scores <= _ON_THE_BOUNDARY)), float(np.mean(wrong))
        found.append((slack / (1 + slack), beyond / (1 + beyond), *errors))
    return dict(zip(("L1", "L1e", "L2", "L3"), np.mean(found, axis=0).tolist(), strict=True))
