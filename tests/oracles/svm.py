"""Support vector machines as plain quadratic programs: kernels by loops, duals by scipy's general solvers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import LinearConstraint, minimize
from sklearn.svm import SVC

Kernel = Callable[[np.ndarray, np.ndarray], float]


def rbf(gamma: float) -> Kernel:
    return lambda x, z: math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))


def linear() -> Kernel:
    return lambda x, z: sum(a * b for a, b in zip(x, z, strict=True))


def poly(gamma: float, coef0: float, degree: int) -> Kernel:
    return lambda x, z: (gamma * sum(a * b for a, b in zip(x, z, strict=True)) + coef0) ** degree


def sigmoid(gamma: float, coef0: float) -> Kernel:
    return lambda x, z: math.tanh(gamma * sum(a * b for a, b in zip(x, z, strict=True)) + coef0)


def gram(A: np.ndarray, B: np.ndarray, kernel: Kernel) -> np.ndarray:
    return np.array([[kernel(a, b) for b in B] for a in A])


def fast_gram(A: np.ndarray, name: str, gamma: float, coef0: float, degree: int) -> np.ndarray:
    """The same for thousands of rows of a set with itself, column by column, in float64."""
    if name == "rbf":
        return np.exp(-gamma * sum((column[:, None] - column) ** 2 for column in A.T))
    return (gamma * sum(column[:, None] * column for column in A.T) + coef0) ** degree


def dual_value(alpha: np.ndarray, K: np.ndarray, t: np.ndarray) -> float:
    """sum a_i - 1/2 sum a_i a_j t_i t_j K_ij."""
    b = alpha * t
    return float(alpha.sum() - 0.5 * b @ K @ b)


def primal_value(alpha: np.ndarray, bias: float, K: np.ndarray, t: np.ndarray, box: np.ndarray) -> float:
    """|w|^2 / 2 plus the weighted slacks."""
    F = K @ (alpha * t)
    return float(0.5 * (alpha * t) @ F + box @ np.maximum(0.0, 1.0 - t * (F + bias)))


def without_bias(K: np.ndarray, t: np.ndarray, box: np.ndarray, held: float = 0.0) -> np.ndarray:
    """The box-constrained dual by L-BFGS-B; ``held`` is a bias that is not free: slacks 1 - t_i (F_i + held)."""
    Q = K * np.outer(t, t)
    margin = 1.0 - held * t
    found = minimize(
        lambda a: 0.5 * a @ Q @ a - margin @ a,
        np.zeros(len(t)),
        jac=lambda a: Q @ a - margin,
        bounds=[(0.0, float(c)) for c in box],
        method="L-BFGS-B",
        options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 200000, "maxfun": 2000000, "maxcor": 50},
    )
    return found.x


def hard_margin(X: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, float]:
    """The plane (w, b) of least |w|^2 with t_i (w.x_i + b) >= 1 for all rows, by SLSQP from a plane that meets it."""
    start = np.append(t @ X, 0.0)
    start[-1] = -0.5 * ((X[t > 0] @ start[:-1]).min() + (X[t < 0] @ start[:-1]).max())
    rows = np.column_stack([X, np.ones(len(X))]) * t[:, None]
    found = minimize(
        lambda v: 0.5 * v[:-1] @ v[:-1],
        start / max((rows @ start).min(), 1e-9),
        jac=lambda v: np.append(v[:-1], 0.0),
        constraints=LinearConstraint(rows, 1.0, np.inf),
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 5000},
    )
    return found.x[:-1], float(found.x[-1])


def with_bias(K: np.ndarray, t: np.ndarray, box: np.ndarray) -> np.ndarray:
    """The dual with sum a_i t_i = 0 by SLSQP; for a few dozen rows."""
    Q = K * np.outer(t, t)
    found = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(len(t)),
        jac=lambda a: Q @ a - 1.0,
        bounds=[(0.0, float(c)) for c in box],
        constraints=LinearConstraint(t[None, :], 0.0, 0.0),
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 5000},
    )
    assert found.success, found.message
    return found.x


def leave_one_out(K: np.ndarray, t: np.ndarray, C: float, i: int) -> float:
    """The decision value of row i by the machine of the other rows, which libsvm solves afresh."""
    others = [k for k in range(len(t)) if k != i]
    machine = SVC(C=C, kernel="precomputed", tol=1e-9).fit(K[np.ix_(others, others)], t[others])
    return float(machine.decision_function(K[[i]][:, others])[0])


def exact_leave_one_out(K: np.ndarray, t: np.ndarray, C: float, i: int) -> float:
    """The same to the last digits: libsvm, which keeps kernel values in float32, only says which rows are free.

    Their weights and the bias then solve the linear equations decision = sign on the free rows, weights sum to 0.
    """
    others = np.array([k for k in range(len(t)) if k != i])
    K_others, t_others = K[np.ix_(others, others)], t[others]
    machine = SVC(C=C, kernel="precomputed", tol=1e-9).fit(K_others, t_others)
    beta = np.zeros(len(others))
    beta[machine.support_] = machine.dual_coef_[0]
    alpha = np.abs(beta)
    free = np.flatnonzero((alpha > 1e-7 * C) & (alpha < (1 - 1e-7) * C))
    beta[alpha >= (1 - 1e-7) * C] = C * t_others[alpha >= (1 - 1e-7) * C]
    beta[alpha <= 1e-7 * C] = 0.0
    bias = float(machine.intercept_[0])
    held = np.setdiff1d(np.arange(len(others)), free)
    if len(free):
        system = np.zeros((len(free) + 1, len(free) + 1))
        system[0, 1:] = system[1:, 0] = 1.0
        system[1:, 1:] = K_others[np.ix_(free, free)]
        right = np.concatenate([[-beta[held].sum()], t_others[free] - K_others[np.ix_(free, held)] @ beta[held]])
        solved = np.linalg.lstsq(system, right, rcond=1e-13)[0]
        bias, beta[free] = float(solved[0]), solved[1:]
        assert np.all(beta[free] * t_others[free] > -1e-6 * C)
        assert np.all(beta[free] * t_others[free] < (1 + 1e-6) * C)
    return float(K[i, others] @ beta + bias)


def votes(decisions: np.ndarray, n_classes: int) -> list[int]:
    """Classes by one-against-one votes, sums of decision values where votes tie; positive means the later class."""
    out = []
    for row in decisions:
        won, total, k = [0] * n_classes, [0.0] * n_classes, 0
        for a in range(n_classes):
            for b in range(a + 1, n_classes):
                won[b if row[k] > 0 else a] += 1
                total[b] += row[k]
                total[a] -= row[k]
                k += 1
        out.append(max(range(n_classes), key=lambda c: (won[c], total[c], -c)))
    return out
