"""Twenty athletes (speed, agility); the first twelve were not drafted.

From D. Greene (2015), slides on nearest-neighbour classifiers, COMP30120, University College Dublin.
"""

from __future__ import annotations

import numpy as np

NOT_DRAFTED = [
    (2.5, 6), (3.75, 8), (2.25, 5.5), (3.25, 8.25), (2.75, 7.5), (4.5, 5),
    (3.5, 5.25), (3, 3.25), (4, 4), (4.25, 3.75), (2, 2), (5, 2.5),
]  # fmt: skip
DRAFTED = [
    (8.25, 8.5), (5.75, 8.75), (4.75, 6.25), (5.5, 6.75),
    (5.25, 9.5), (7, 4.25), (7.5, 8), (7.25, 3.75),
]  # fmt: skip

ATHLETES = np.array(NOT_DRAFTED + DRAFTED, dtype=float)
LABELS = ["no"] * 12 + ["yes"] * 8
