"""The linear support vector machine by an interior point method: exact, deterministic, a small system at each step.

The dual min_a 1/2 |Z'a|^2 - sum a with 0 <= a <= C and signs'a = 0, where the rows of Z are the signed rows. All of
its Newton systems have the matrix ZZ' + D with a diagonal D, which the identity of Woodbury turns into one of columns
times columns. Mehrotra's predictor and corrector.

Reference: M. C. Ferris and T. S. Munson, "Interior-point methods for massive support vector machines", SIAM Journal on
Optimization 13, 2002.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse import csr_array

Floats = NDArray[np.float64]

_MOST_STEPS = 100
_FEW_OF = 4  # a column is an indicator worth a diagonal if at most 1 of so many cells differs from 0
_WORTH_IT = 32  # columns
_GAP, _UNMET = 1e-9, 1e-6  # per row, in units of the cost; of the conditions, in units of the margin


def linear_machine(values: Floats, signs: Floats, cost: float = 1.0) -> tuple[Floats, float]:
    """Weights w and offset b that minimize |w|^2 / 2 + cost * sum_i max(0, 1 - signs_i (w'x_i + b))."""
    lonely, others = _never_together(values)
    if len(others) > len(values):  # the solution is invariant under rotations: fewer coordinates will do
        left, singular, right = np.linalg.svd(values, full_matrices=False)
        inside, offset = linear_machine(left * singular, signs, cost)
        return inside @ right, offset
    signed = signs[:, None] * values
    # room is cost - a, kept by itself: the difference would lose its digits where a comes near to the cost.
    a, room = np.full(len(signs), cost / 2), np.full(len(signs), cost / 2)
    low, high = np.ones(len(signs)), np.ones(len(signs))  # multipliers of a >= 0 and of a <= cost
    offset = 0.0
    for _ in range(_MOST_STEPS):
        slope = signed @ (signed.T @ a) - 1 + offset * signs
        balance, gap = float(signs @ a), float(a @ low + room @ high) / (2 * len(a))
        unmet = max(float(np.abs(slope - low + high).max()), abs(balance) / len(a))
        if gap < _GAP * cost and unmet < _UNMET:
            break
        try:
            newton = _newton(signed, signs, a, room, low, high, slope, balance, lonely, others)
        except LinAlgError:  # digits are exhausted: this is as near as it gets
            break
        guess = newton(0.0, 0.0)
        reach = _reach(a, room, low, high, guess)
        da, dl, dh, _ = guess
        after = float((a + reach * da) @ (low + reach * dl) + (room - reach * da) @ (high + reach * dh)) / (2 * len(a))
        center = (after / gap) ** 3 * gap
        step = newton(center - da * dl, center + da * dh)
        if not np.isfinite(step[0]).all():
            break
        reach = 0.995 * _reach(a, room, low, high, step)
        a, room = a + reach * step[0], room - reach * step[0]
        low, high = low + reach * step[1], high + reach * step[2]
        offset += reach * step[3]
    return signed.T @ a, offset


NewtonStep = tuple[Floats, Floats, Floats, float]


def _never_together(values: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Columns no two of which differ from 0 in the same row, as the levels of a nominal column; and all others."""
    every = np.arange(values.shape[1])
    held = values != 0
    taken, lonely = np.zeros(len(values), dtype=bool), []
    for j in np.flatnonzero(held.sum(axis=0) * _FEW_OF <= len(values)):
        if not (taken & held[:, j]).any():
            taken |= held[:, j]
            lonely.append(j)
    if len(lonely) < _WORTH_IT:
        return every[:0], every
    return np.array(lonely), np.setdiff1d(every, lonely)


def _solver(half: Floats, lonely: NDArray[np.intp], others: NDArray[np.intp]) -> Callable[[Floats], Floats]:
    """Give v -> (I + half'half)^-1 v. The block of columns that never stand together is a diagonal, and eliminated."""
    rest = half[:, others]
    gram = np.eye(len(others)) + rest.T @ rest  # a product with itself takes half the time
    if not len(lonely):
        factor = cho_factor(gram)
        return lambda v: np.asarray(cho_solve(factor, v, check_finite=False))
    alone = csr_array(half[:, lonely])
    diagonal = 1.0 + np.asarray(alone.multiply(alone).sum(axis=0)).ravel()
    beside = np.asarray(alone.T @ rest)
    factor = cho_factor(gram - beside.T @ (beside / diagonal[:, None]))

    def solve(v: Floats) -> Floats:
        out = np.empty_like(v)
        out[others] = cho_solve(factor, v[others] - beside.T @ (v[lonely] / diagonal), check_finite=False)
        out[lonely] = (v[lonely] - beside @ out[others]) / diagonal
        return out

    return solve


def _newton(
    signed: Floats,
    signs: Floats,
    a: Floats,
    room: Floats,
    low: Floats,
    high: Floats,
    slope: Floats,
    balance: float,
    lonely: NDArray[np.intp],
    others: NDArray[np.intp],
) -> Callable[[Floats | float, Floats | float], NewtonStep]:
    """One factorization; the step for given targets of a * low and of (cost - a) * high."""
    inverse = a * room / (low * room + high * a)
    within = _solver(np.sqrt(inverse)[:, None] * signed, lonely, others)

    def solve(v: Floats) -> Floats:
        u = inverse * v
        return np.asarray(u - inverse * (signed @ within(signed.T @ u)))

    along = solve(signs)
    weight = float(signs @ along)

    def step(low_target: Floats | float, high_target: Floats | float) -> NewtonStep:
        base = solve(low_target / a - high_target / room - slope)
        shift = (float(signs @ base) + balance) / weight
        da = base - shift * along
        return da, (low_target - low * da) / a - low, (high_target + high * da) / room - high, shift

    return step


def _reach(a: Floats, room: Floats, low: Floats, high: Floats, step: NewtonStep) -> float:
    """How far the step may go, at most 1, until something positive would become negative."""
    da, dl, dh, _ = step
    longest = 1.0
    for value, change in ((a, da), (room, -da), (low, dl), (high, dh)):
        falling = change < 0
        if falling.any():
            longest = min(longest, float(np.min(-value[falling] / change[falling])))
    return longest
