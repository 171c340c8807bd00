"""The planes of linear machines in the units of the columns as they were given."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.machines._dual._pairs import PairMachines

Floats = NDArray[np.float64]


def planes(
    machines: PairMachines, support: Any, shift: Floats, factor: Floats, origin: Floats
) -> tuple[Floats, Floats]:
    """Normals (n_pairs, n_columns) and intercepts of all pairs, the later class positive.

    What the machines compare is a given row times ``factor`` less ``origin``; of the support rows that is ``support``
    less ``shift``.
    """
    groups = [0, machines.start[-1]] if machines.n_classes == 2 else machines.start
    parts = [(machines.coef[:, a:b] @ support[a:b], machines.coef[:, a:b].sum(axis=1)) for a, b in pairwise(groups)]
    if machines.n_classes == 2:
        ((sums, masses),) = parts
    else:
        pairs = list(combinations(range(machines.n_classes), 2))
        sums = np.array([parts[a][0][b - 1] + parts[b][0][a] for a, b in pairs])
        masses = np.array([parts[a][1][b - 1] + parts[b][1][a] for a, b in pairs])
    normals = sums - masses[:, None] * shift
    return normals * factor, machines.bias - normals @ origin
