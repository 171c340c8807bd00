"""The only door to the native sweep: a program and questions in, an answer per subset out.

All questions of one call are answered on one walk over the subsets: the distances are made once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal.progress import Share, part
from sepal.selection._problem import FeatureProblem, Packed
from sepal.selection._program import Program

_PAIRS_PER_THREAD = 4e6
BIN_BITS, N_BINS = 5, 64 << 5  # bins per binade of a histogram of squared distances, as a power of two; 64 binades


def _rows(packed: Packed, heed_groups: bool = True) -> dict[str, Any]:
    groups = packed.group_of if heed_groups else packed.group_of[:0]
    names = ("x", "row_of", "class_of", "class_start", "term", "cost")
    return {name: getattr(packed, name) for name in names} | {"group_of": groups}


def _threads(problem: FeatureProblem, program: Program) -> int:
    """Small work is done faster by one thread than it is shared out."""
    pairs = (len(program.depth) + len(program.base)) * float(problem.n_rows) ** 2
    return max(1, min(problem.threads, int(pairs / _PAIRS_PER_THREAD)))


def _steps(program: Program) -> dict[str, Any]:
    return {name: getattr(program, name) for name in ("depth", "column", "out", "n_out", "base", "scores_base")}


class Question(ABC):
    """Something to be known of the distances of every subset."""

    @property
    def leaves_out(self) -> bool:
        """Whether it is about rows that are left out, with their groups, and not about all pairs of rows."""
        return False

    @abstractmethod
    def told(self, problem: FeatureProblem) -> dict[str, Any]:
        """The question as keyword arguments of the native code: what is ``asked``, and its parameters."""

    def shaped(self, problem: FeatureProblem, program: Program, answer: NDArray[np.float64]) -> NDArray[np.float64]:
        """The answer, one row per subset."""
        return answer.reshape(program.n_out, -1)


@dataclass(frozen=True)
class Agreement(Question):
    """How far the nearest neighbour agrees: the sum over rows, or with ``samples`` each row."""

    ties: str
    samples: bool = False
    leaves_out = True

    def told(self, problem: FeatureProblem) -> dict[str, Any]:
        return {"asked": "agreement", "ties": self.ties, "samples": self.samples}


@dataclass(frozen=True, eq=False)
class Neighbors(Question):
    """Leave-one-out votes of the 1 .. k_max nearest, or the accuracy over all splits with a table of survival.

    Sums over rows for each k, or with ``samples`` each row for k = k_max.
    """

    ranks: int
    k_max: int = 1
    survival: NDArray[np.float64] | None = None
    ties: str = "expected"
    samples: bool = False

    @property
    def leaves_out(self) -> bool:
        return self.survival is None

    def told(self, problem: FeatureProblem) -> dict[str, Any]:
        return {
            "asked": "neighbors",
            "ties": self.ties,
            "samples": self.samples,
            "k_max": self.k_max,
            "ranks": self.ranks,
            "survival": np.zeros(0) if self.survival is None else self.survival,
        }


@dataclass(frozen=True, eq=False)
class Kernels(Question):
    """Sums of exp(-gamma D) for each gamma (n_subsets, n_gammas) and its doubles: (n_subsets, n_widths, 5).

    The five are: same class, other classes, squares, and with ``row_sums`` squared row sums, and row sums weighted by
    the size of the class.
    """

    gamma: NDArray[np.float64]
    n_doublings: int
    row_sums: bool

    def told(self, problem: FeatureProblem) -> dict[str, Any]:
        gamma = np.ascontiguousarray(self.gamma / problem.packed.unit)
        return {"asked": "kernels", "gamma": gamma, "n_doublings": self.n_doublings, "row_sums": self.row_sums}

    def shaped(self, problem: FeatureProblem, program: Program, answer: NDArray[np.float64]) -> NDArray[np.float64]:
        return answer.reshape(program.n_out, -1, 5)


@dataclass(frozen=True)
class Spread(Question):
    """How the squared distances are distributed: counts of pairs (n_subsets, n_bins); see ``bin_edges``."""

    def told(self, problem: FeatureProblem) -> dict[str, Any]:
        return {"asked": "histogram", "first_bin": _first_bin(problem)}


def _first_bin(problem: FeatureProblem) -> int:
    """So that no squared distance is beyond the last bin. The first one holds 0 and what is 2**-62 of the largest."""
    largest = np.float32(min(problem.packed.largest * (1 + 2.0**-BIN_BITS), float(np.finfo(np.float32).max)))
    return max(int(largest.view(np.uint32) >> (23 - BIN_BITS)) + 2 - N_BINS, 0)


def bin_edges(problem: FeatureProblem) -> NDArray[np.float64]:
    """Between which squared distances the bins of ``Spread`` lie; the first edge is 0."""
    bits = (np.arange(N_BINS + 1, dtype=np.uint32) + np.uint32(_first_bin(problem))) << np.uint32(23 - BIN_BITS)
    edges = bits.view(np.float32).astype(np.float64)
    edges[0] = 0.0
    return edges / problem.packed.unit


def sweep(
    problem: FeatureProblem, program: Program, questions: Sequence[Question], progress: Share | None = None
) -> list[NDArray[np.float64]]:
    """The answer to each question, from one walk; from two where only some of them heed groups."""
    packed = problem.packed
    found: dict[int, NDArray[np.float64]] = {}
    heeds = [question.leaves_out and problem.groups is not None for question in questions]
    walks = sorted(set(heeds))
    for at, heed in enumerate(walks):
        asked = [question for question, each in zip(questions, heeds, strict=True) if each == heed]
        answers = _native.sweep(
            rows=_rows(packed, heed),
            steps=_steps(program),
            questions=[question.told(problem) for question in asked],
            tie=packed.tie,
            threads=_threads(problem, program),
            progress=part(progress, at / len(walks), (at + 1) / len(walks)),
        )
        found |= dict(zip(map(id, asked), answers, strict=True))
    return [question.shaped(problem, program, found[id(question)]) for question in questions]


def labeling_sums(
    problem: FeatureProblem, program: Program, labels: NDArray[np.integer], progress: Share | None
) -> NDArray[np.float64]:
    """The same sums under other labels of the rows: labels (n_rows, n_labelings) to sums (n_subsets, n_labelings)."""
    packed = problem.packed
    by_position = np.zeros((len(packed.row_of), labels.shape[1]), dtype=np.uint16)
    real = packed.row_of >= 0
    by_position[real] = labels[packed.row_of[real]]
    flat = _native.sweep_labelings(
        rows=_rows(packed),
        steps=_steps(program),
        labels=by_position,
        tie=packed.tie,
        threads=_threads(problem, program),
        progress=progress,
    )
    return flat.reshape(program.n_out, labels.shape[1])
