"""The only door to the native sweep: programs in, sums per subset out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal.selection._problem import Packed, Problem
from sepal.selection._program import Program

Progress = Callable[[float], object]
_PAIRS_PER_THREAD = 4e6
BIN_BITS = 5  # bins per binade of a histogram of squared distances, as a power of two


def _rows(packed: Packed) -> Any:
    return packed.x, packed.row_of, packed.class_of, packed.class_start, packed.term, packed.cost


def _threads(problem: Problem, program: Program) -> int:
    """Small work is done faster by one thread than it is shared out."""
    pairs = (len(program.depth) + len(program.base)) * float(problem.n_rows) ** 2
    return max(1, min(problem.threads, int(pairs / _PAIRS_PER_THREAD)))


def _steps(program: Program) -> Any:
    return program.depth, program.column, program.out, program.n_out, program.base, program.scores_base


def agreement_sums(problem: Problem, program: Program, ties: str, progress: Progress | None) -> NDArray[np.float64]:
    """For each subset the sum over rows of how far the nearest neighbour agrees."""
    packed = problem.packed
    return _native.sweep_thornton(
        _rows(packed), _steps(program), ties, packed.tie, 0, _threads(problem, program), progress
    )


def agreement_samples(problem: Problem, program: Program, ties: str, progress: Progress | None) -> NDArray[np.float64]:
    """For each subset and row how far the nearest neighbour agrees: (n_subsets, n_rows)."""
    packed = problem.packed
    flat = _native.sweep_thornton(
        _rows(packed), _steps(program), ties, packed.tie, problem.n_rows, _threads(problem, program), progress
    )
    return flat.reshape(program.n_out, problem.n_rows)


def labeling_sums(
    problem: Problem, program: Program, labels: NDArray[np.integer], progress: Progress | None
) -> NDArray[np.float64]:
    """The same sums under other labels of the rows: labels (n_rows, n_labelings) to sums (n_subsets, n_labelings)."""
    packed = problem.packed
    by_position = np.zeros((len(packed.row_of), labels.shape[1]), dtype=np.uint16)
    real = packed.row_of >= 0
    by_position[real] = labels[packed.row_of[real]]
    flat = _native.sweep_labelings(
        _rows(packed), _steps(program), by_position, packed.tie, _threads(problem, program), progress
    )
    return flat.reshape(program.n_out, labels.shape[1])


def neighbor_sums(
    problem: Problem,
    program: Program,
    *,
    k_max: int = 1,
    ranks: int,
    survival: NDArray[np.float64] | None = None,
    ties: str,
    samples: bool = False,
    progress: Progress | None,
) -> NDArray[np.float64]:
    """Leave-one-out votes of the 1 .. k_max nearest, or the accuracy over all splits with a table of survival."""
    packed = problem.packed
    flat = _native.sweep_neighbors(
        _rows(packed),
        _steps(program),
        k_max,
        ranks,
        np.zeros(0) if survival is None else survival,
        ties,
        packed.tie,
        problem.n_rows if samples else 0,
        _threads(problem, program),
        progress,
    )
    return flat.reshape(program.n_out, -1)


def kernel_sums(
    problem: Problem, program: Program, gamma: NDArray[np.float64], n_doublings: int, progress: Progress | None
) -> NDArray[np.float64]:
    """Sums of exp(-gamma D) for each gamma (n_subsets, n_gammas) and its doubles: (n_subsets, n_widths, 5).

    The five are: same class, other classes, squares, squared row sums, row sums weighted by the size of the class.
    """
    native_gamma = np.ascontiguousarray(gamma / problem.packed.unit)
    flat = _native.sweep_kernels(
        _rows(problem.packed), _steps(program), native_gamma, n_doublings, _threads(problem, program), progress
    )
    return flat.reshape(len(gamma), -1, 5)


def distance_histogram(
    problem: Problem, program: Program, progress: Progress | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How the squared distances of each subset are distributed: counts (n_subsets, n_bins), and the edges of bins."""
    flat = _native.sweep_histogram(_rows(problem.packed), _steps(program), _threads(problem, program), progress)
    counts = flat.reshape(program.n_out, -1)[:, : 255 << BIN_BITS]  # the last binade is infinity
    bits = np.arange(counts.shape[1], dtype=np.uint32) << np.uint32(23 - BIN_BITS)
    edges: NDArray[np.float64] = np.append(bits.view(np.float32).astype(np.float64), np.finfo(np.float32).max)
    return counts, edges / problem.packed.unit
