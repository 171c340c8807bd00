"""How often chance alone makes an angle as large: labels of two classes shuffled.

The scatter M of the two classes taken as one (plus that inside the other classes) does not change when labels are
shuffled, and W = M - c dd' with c = n1 n2 / (n1 + n2). So one decomposition of M serves every shuffle:
W^+ d = M^+ d / (1 - c d'M^+ d).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.data import content_order
from sepal.measures._within import Matrix, length, within_classes

# Below this share of M's spread left inside the classes, W is singular in the direction of d.
_SEPARATED = 1e-9
_CELLS = 2_000_000  # of the rows of all shuffles that are worked on at once


def permutation_p(
    values: Matrix,
    codes: NDArray[np.int32],
    pair: tuple[int, int],
    tangent: float,
    kappa: float,
    n_permutations: int,
    rng: np.random.Generator,
) -> float:
    """Share of shuffles whose angle is at least the one with this tangent, the given labels counted in."""
    first, second = pair
    order = content_order(values, codes)  # where a row stood must not decide which label it is dealt
    rows = order[(codes[order] == first) | (codes[order] == second)]
    merged = np.unique(np.where(codes == second, first, codes), return_inverse=True)[1].astype(np.int32)
    if values.shape[1] > len(values):  # a rotation into fewer coordinates changes no angle
        around = values - values.mean(axis=0)
        left, singular, _ = np.linalg.svd(around, full_matrices=False)
        values = left * singular
    both = within_classes(values, merged, int(merged.max()) + 1)
    n1, n2 = int(np.sum(codes == first)), int(np.sum(codes == second))
    c, dof = n1 * n2 / (n1 + n2), both.degrees_of_freedom - 1
    part = values[rows] - values[rows].mean(axis=0)
    hits, at_once = 0, max(1, _CELLS // part.size)
    for begin in range(0, n_permutations, at_once):
        picked = np.array([rng.permutation(len(rows))[:n1] for _ in range(min(at_once, n_permutations - begin))])
        d = part[picked].sum(axis=1) * (1 / n1 + 1 / n2)  # the parts sum to zero, so the other mean is known
        solved = both.solve(d) / both.degrees_of_freedom
        left_inside = 1 - c * np.sum(d * solved, axis=1)
        regular = left_inside > _SEPARATED
        tangents = 0.5 * kappa * dof * length(solved) / np.where(regular, left_inside, 1.0)
        for i in np.flatnonzero(~regular):
            tangents[i] = _tangent_of(values, codes, rows, picked[i], pair, kappa)
        hits += int(np.sum(tangents >= tangent * (1 - 1e-9)))
    return (1 + hits) / (1 + n_permutations)


def _tangent_of(
    values: Matrix,
    codes: NDArray[np.int32],
    rows: NDArray[np.intp],
    picked: NDArray[np.intp],
    pair: tuple[int, int],
    kappa: float,
) -> float:
    """The long way, for shuffles that separate the classes perfectly."""
    shuffled = codes.copy()
    shuffled[rows] = pair[1]
    shuffled[rows[picked]] = pair[0]
    within = within_classes(values, shuffled, int(codes.max()) + 1)
    d = within.means[pair[0]] - within.means[pair[1]]
    return angle_tangent(float(length(within.solve(d))), float(length(within.null_part(d))), kappa)


def angle_tangent(solution: float, null: float, kappa: float) -> float:
    """The tangent of the angle from |S^+ d| and |Qd|."""
    return 0.5 * float(np.hypot(kappa * solution, null))
