"""How often chance alone makes an angle as large: labels of two classes shuffled.

The scatter M of the two classes taken as one (plus that inside the other classes) does not change when labels are
shuffled, and W = M - c dd' with c = n1 n2 / (n1 + n2). So one M^+ serves every shuffle:
W^+ d = M^+ d / (1 - c d'M^+ d), and the decomposition of the given W gives M^+ in the same way. Where a shuffle
separates the two classes perfectly, c d'M^+ d = 1 and W is singular in the direction u = M^+ d. With P = I - uu'/|u|^2
then W^+ = P M^+ P (Meyer 1973), hence, with v = M^+ u, W^+ d = -P v / (c |u|^2) and |Qd| = 1 / (c |u|).

Reference: C. D. Meyer, "Generalized inversion of modified matrices", SIAM J. Appl. Math. 24, 1973.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sepal.measures._within import Matrix, Within, length, within_classes
from sepal.progress import Share

# Below this share of M's spread left inside the classes, W is singular in the direction of d.
_SEPARATED = 1e-9
_SURE = 1e-6  # above this share the given W serves for M without a loss of digits that matters
_CELLS = 2_000_000  # of all shuffles that are worked on at once

Solve = Callable[[Matrix], Matrix]


def permutation_p(
    values: Matrix,
    codes: NDArray[np.int32],
    pair: tuple[int, int],
    within: Within,
    order: NDArray[np.intp],
    tangent: float,
    kappa: float,
    n_permutations: int,
    rng: np.random.Generator,
    progress: Share | None = None,
) -> float:
    """Share of shuffles whose angle is at least the one with this tangent, the given labels counted in.

    ``within`` is the decomposition for the given labels; ``order`` the rows by what they hold, since where a row stood
    must not decide which label it is dealt.
    """
    first, second = pair
    rows = order[(codes[order] == first) | (codes[order] == second)]
    n1, n2 = int(np.sum(codes == first)), int(np.sum(codes == second))
    c, dof = n1 * n2 / (n1 + n2), within.degrees_of_freedom
    solve = _merged_solve(within, pair, c)
    if solve is None:
        values, solve = _decomposed_solve(values, codes, pair)
    part = values[rows] - values[rows].mean(axis=0)
    hits, at_once = 0, max(1, _CELLS // max(part.shape))
    for begin in range(0, n_permutations, at_once):
        if progress is not None:
            progress(begin / n_permutations)
        dealt = np.zeros((min(at_once, n_permutations - begin), len(rows)))
        for deal in dealt:
            deal[rng.permutation(len(rows))[:n1]] = 1 / n1 + 1 / n2
        d = dealt @ part  # the parts sum to zero, so the other mean is known
        solved = solve(d)
        left_inside = 1 - c * np.sum(d * solved, axis=1)
        regular = left_inside > _SEPARATED
        tangents = 0.5 * kappa * dof * length(solved) / np.where(regular, left_inside, 1.0)
        if not regular.all():
            tangents[~regular] = _separated_tangents(solve, solved[~regular], c, dof, kappa)
        hits += int(np.sum(tangents >= tangent * (1 - 1e-9)))
    return (1 + hits) / (1 + n_permutations)


def _merged_solve(within: Within, pair: tuple[int, int], c: float) -> Solve | None:
    """M^+ from the decomposition of W; None where the given labels (nearly) separate the classes perfectly."""
    given = within.means[pair[0]] - within.means[pair[1]]
    if within.null_part(given).any():
        return None
    u = within.solve(given) / within.degrees_of_freedom
    share = 1 / (1 + c * float(given @ u))
    if not share > _SURE:
        return None

    def solve(d: Matrix) -> Matrix:
        return within.solve(d) / within.degrees_of_freedom - np.outer(c * share * (d @ u), u)

    return solve


def _decomposed_solve(values: Matrix, codes: NDArray[np.int32], pair: tuple[int, int]) -> tuple[Matrix, Solve]:
    """The values, in fewer coordinates where there are more columns than rows, and M^+ by a decomposition of M."""
    merged = np.unique(np.where(codes == pair[1], pair[0], codes), return_inverse=True)[1].astype(np.int32)
    if values.shape[1] > len(values):  # a rotation into fewer coordinates changes no angle
        around = values - values.mean(axis=0)
        left, singular, _ = np.linalg.svd(around, full_matrices=False)
        values = left * singular
    both = within_classes(values, merged, int(merged.max()) + 1)
    return values, lambda d: both.solve(d) / both.degrees_of_freedom


def _separated_tangents(solve: Solve, u: Matrix, c: float, dof: int, kappa: float) -> NDArray[np.float64]:
    """Tangents of shuffles that separate the classes perfectly, from u = M^+ d of each."""
    unit = u / np.maximum(length(u), np.finfo(float).tiny)[:, None]
    v = solve(unit)
    v -= unit * np.sum(v * unit, axis=1)[:, None]
    size = c * length(u)
    return np.asarray(0.5 * np.hypot(kappa * dof * length(v) / size, 1 / size))


def angle_tangent(solution: float, null: float, kappa: float) -> float:
    """The tangent of the angle from |S^+ d| and |Qd|."""
    return 0.5 * float(np.hypot(kappa * solution, null))
