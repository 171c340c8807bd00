"""Tasks of an exact self-join: which pieces of the rows are compared in which task, so that few pairs come twice.

A task in which rows ask each other looks at every pair once for both sides. Rows are cut into q^2 + q + 1 pieces, the
points of the projective plane of order q, and a task gets the q + 1 pieces on one of its lines: any two points lie on
one line and no other, so that only pairs within a piece are looked at again. All tasks together look at
(q + 1)^2 / (q^2 + q + 1) times the pairs of one process. Where more tasks are wanted than there are lines, those of one
line share its pairs by turns: none is looked at twice, but every turn gives a list of every row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf, isqrt

_LARGEST_ORDER = 512
_MOST_TURNS = 16
# What else takes time, in pairs of rows that are compared meanwhile: processor time at 200,000 x 20, where a pair takes
# 0.08 ns of a core (the search shares its work by turns, so that a whole, a half and a quarter tell both parts of it).
_MERGED = 2000.0  # one entry of a list fetched and merged with others
_STARTED = 1.2e8  # a task sent and its answer announced
_READIED = 45_000.0  # a row of a task packed for the search, and its first neighbours found
_ASKED = 2.5  # cost of a pair of two different blocks, in pairs within one block, which serve both rows
_ASKING_TASKS = 4  # tasks for each worker, at least, where blocks are compared with other blocks
_FEW_COLUMNS = 4  # up to here a k-d tree is used, whose cost hardly grows with the number of points


@dataclass(frozen=True)
class Cut:
    """How the pairs of all rows are cut into tasks: by lines of a plane, and each line by turns."""

    order: int
    turns: int = 1

    @property
    def pieces(self) -> int:
        """Of the rows, and lines of the plane."""
        return n_pieces(self.order)

    @property
    def tasks(self) -> int:
        """Lines times turns."""
        return self.pieces * self.turns

    @property
    def lists(self) -> int:
        """How many lists of each row are merged."""
        return (self.order + 1) * self.turns


@cache
def _primes() -> tuple[int, ...]:
    return tuple(q for q in range(2, _LARGEST_ORDER) if all(q % d for d in range(2, isqrt(q) + 1)))


def n_pieces(order: int) -> int:
    """How many points, and lines, a projective plane of this order has; of order 0 one.

    >>> [n_pieces(order) for order in (0, 2, 3)]
    [1, 7, 13]
    """
    return order * order + order + 1


def plane_lines(order: int) -> list[tuple[int, ...]]:
    """The points on each line of the projective plane of a prime order; of order 0 one point.

    The point (x, y) has the number x * order + y; then come the directions, the last of them upright.

    >>> plane_lines(2)
    [(0, 2, 4), (1, 3, 4), (0, 3, 5), (1, 2, 5), (0, 1, 6), (2, 3, 6), (4, 5, 6)]
    """
    if order == 0:
        return [(0,)]
    q, far = order, order * order
    sloped = [(*(x * q + (slope * x + at) % q for x in range(q)), far + slope) for slope in range(q) for at in range(q)]
    upright = [(*(x * q + y for y in range(q)), far + q) for x in range(q)]
    return [*sloped, *upright, tuple(range(far, far + q + 1))]


def best_cut(n_rows: int, n_columns: int, together: int, workers: int, depth: int) -> Cut | None:
    """The cut whose tasks are done first; None where blocks that ask others are.

    ``together`` rows at most may be in a task, ``depth`` entries in a list.

    >>> best_cut(1_000_000, 10, 2_000_000, 1, 1), best_cut(200_000, 20, 400_000, 2, 1)
    (Cut(order=0, turns=1), Cut(order=0, turns=2))
    """
    if workers == 1 and n_rows <= together:
        return Cut(0)

    def cost(cut: Cut) -> float:
        met = cut.order + 1
        if n_rows < cut.pieces or -(-n_rows // cut.pieces) * met > together:
            return inf
        task = n_rows * met / cut.pieces
        merging = 0.0 if cut.lists == 1 else _MERGED * cut.lists * depth / n_rows
        each = task * (task / cut.turns + _READIED) + _STARTED
        return -(-cut.tasks // workers) * each / n_rows**2 + merging

    orders = (0,) if n_columns <= _FEW_COLUMNS else (0, *_primes())
    found = min((Cut(order, turns) for order in orders for turns in range(1, _MOST_TURNS + 1)), key=cost)
    block = min(n_rows / workers, together / 2)
    asking = (_ASKED + _READIED / block) / workers + _ASKING_TASKS * _STARTED / n_rows**2
    return found if cost(found) < asking else None
