"""The expansions of all pairs of classes on one set of support rows, and how their votes become classes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from sepal.machines._dual._solvers import NativeKernel, PairSolution, expansion
from sepal.machines._equal_rows import MergedRows

Floats = NDArray[np.float64]
_QUERIES_AT_ONCE = 8192  # bounds the memory of predictions with many classes


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """What a solver gets: distinct rows, and their kernel matrix where the kernel is not native."""

    rows: MergedRows
    kernel: NativeKernel
    gram: Floats | None = None

    @property
    def source(self) -> Floats:
        """Rows of features, or the kernel matrix."""
        return self.rows.x if self.gram is None else self.gram

    def take(self, mask: NDArray[np.bool_]) -> TrainingRows:
        """The distinct rows of a mask only."""
        gram = None if self.gram is None else np.ascontiguousarray(self.gram[np.ix_(mask, mask)])
        return TrainingRows(self.rows.take(mask), self.kernel, gram)


@dataclass(frozen=True, eq=False)
class PairMachines:
    """One machine per pair of classes, the later class positive, as sums over common support rows.

    Attributes
    ----------
    support : ndarray of int
        Positions among the distinct rows, sorted by class.
    x : ndarray
        Their features; unused when the kernel is precomputed.
    start : list of int
        Where each class begins among the support rows.
    coef : ndarray, shape (n_classes - 1, n_support)
        As in libsvm: column i holds the coefficient of row i against each other class.
    bias : ndarray, shape (n_pairs,)
    """

    kernel: NativeKernel
    support: NDArray[np.intp]
    x: Floats
    start: list[int]
    coef: Floats
    bias: Floats

    @property
    def n_classes(self) -> int:
        """How many classes."""
        return len(self.start) - 1

    def decisions(self, queries: Floats, threads: int) -> Floats:
        """The decision value of every pair. Queries are features, or kernel values with the support rows."""
        if self.kernel.name == "precomputed":
            return self.from_values(queries)
        groups = self._class_starts()
        parts = [
            self._combine(expansion(self.x, groups, self.coef, part, self.kernel, threads))
            for part in np.split(queries, range(_QUERIES_AT_ONCE, len(queries), _QUERIES_AT_ONCE))
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def from_values(self, values: Floats) -> Floats:
        """The same from kernel values with the support rows."""
        groups = self._class_starts()
        sums = [values[:, a:b] @ self.coef[:, a:b].T for a, b in pairwise(groups)]
        return self._combine(np.stack(sums, axis=1))

    def over(self, used: NDArray[np.intp], codes: NDArray[np.intp]) -> PairMachines:
        """The same machines as sums over more rows, those not theirs with coefficient 0, for ``from_values``."""
        coef = np.zeros((len(self.coef), len(used)))
        coef[:, np.searchsorted(used, self.support)] = self.coef
        start = np.searchsorted(codes[used], np.arange(self.n_classes + 1)).tolist()
        return PairMachines(NativeKernel("precomputed"), used, self.x, start, coef, self.bias)

    def _class_starts(self) -> list[int]:
        # With two classes there is one machine: no need to tell the classes apart.
        return [0, self.start[-1]] if self.n_classes == 2 else self.start

    def _combine(self, sums: Floats) -> Floats:
        if self.n_classes == 2:
            return sums[:, 0, :] + self.bias
        pairs = combinations(range(self.n_classes), 2)
        return np.stack([sums[:, a, b - 1] + sums[:, b, a] for a, b in pairs], axis=1) + self.bias


def gather(training: TrainingRows, solutions: list[PairSolution]) -> PairMachines:
    """The machines of all pairs from their solutions."""
    rows = training.rows
    n_classes, n = rows.n_classes, len(rows.codes)
    coef = np.zeros((n_classes - 1, n))
    for (a, b), solution in zip(combinations(range(n_classes), 2), solutions, strict=True):
        n_first = rows.start[a + 1] - rows.start[a]
        coef[b - 1, rows.start[a] : rows.start[a + 1]] = solution.beta[:n_first]
        coef[a, rows.start[b] : rows.start[b + 1]] = solution.beta[n_first:]
    support = np.flatnonzero(np.any(coef != 0, axis=0))
    start = np.searchsorted(rows.codes[support], np.arange(n_classes + 1)).tolist()
    x = np.ascontiguousarray(rows.x[support])
    bias = np.array([solution.bias for solution in solutions])
    return PairMachines(training.kernel, support, x, start, np.ascontiguousarray(coef[:, support]), bias)


def votes(decisions: Floats, n_classes: int) -> Floats:
    """One score per class: the pairs it wins, and below 1/3 the sum of its decision values, which settles ties."""
    won, sure = np.zeros((len(decisions), n_classes)), np.zeros((len(decisions), n_classes))
    for k, (a, b) in enumerate(combinations(range(n_classes), 2)):
        won[:, b] += decisions[:, k] > 0
        won[:, a] += decisions[:, k] <= 0
        sure[:, b] += decisions[:, k]
        sure[:, a] -= decisions[:, k]
    return won + sure / (3.0 * (np.abs(sure) + 1.0))


def winners(decisions: Floats, n_classes: int) -> NDArray[np.intp]:
    """The predicted class: by the sign of the one machine, or by votes."""
    if n_classes == 2:
        return (decisions[:, 0] > 0).astype(np.intp)
    return np.asarray(np.argmax(votes(decisions, n_classes), axis=1), dtype=np.intp)
