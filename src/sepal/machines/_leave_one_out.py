"""Leave-one-out decisions of support vector machines, exactly, from the solution of all rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sepal.machines._dual import PairSolution, kernel_matrix, leave_one_out
from sepal.machines._pairs import TrainingRows, gather

Floats = NDArray[np.float64]
MOST_ROWS = 1000  # above, exact leave-one-out takes too long and too much memory


def left_out_decisions(
    training: TrainingRows, solutions: list[PairSolution], *, tol: float, threads: int, gram: Floats | None = None
) -> Floats:
    """For each distinct row the decision values of all pairs, by machines trained without one copy of it.

    A row without weight changes nothing when it goes. A row on the wrong side stays there: its loss cannot be less
    without it. With two classes only the others are solved again, from where the whole solution stands, and the values
    of the rest keep their sign. Pairs that a row has no part in decide as they are.

    Parameters
    ----------
    training : TrainingRows
        The rows.
    solutions : list of PairSolution
        Of all pairs, for all rows.
    tol : float
        As for the solutions.
    threads : int
        How many.
    gram : ndarray, optional
        The kernel matrix, where it is known already.
    """
    rows = training.rows
    K = training.gram if gram is None else gram
    if K is None:
        K = kernel_matrix(rows.x, rows.x, training.kernel, threads)
    machines = gather(training, solutions)
    if rows.n_classes == 2:
        out = np.empty((len(rows.codes), 1))
    else:
        queries = rows.x if training.gram is None else training.gram[:, machines.support]
        out = machines.decisions(np.ascontiguousarray(queries), threads)
    kept = 1.0 - 1.0 / rows.n_copies
    for k, (_pair, solution) in enumerate(zip(combinations(range(rows.n_classes), 2), solutions, strict=True)):
        at = solution.rows
        part = K if len(at) == len(K) else K[np.ix_(at, at)]
        every = rows.n_classes > 2
        out[at, k] = leave_one_out(part, solution, solution.box * kept[at], tol=tol, every=every, threads=threads)
    return out
