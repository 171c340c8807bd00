"""Which pieces of the rows meet in which task, so that all rows meet each other and few of them twice.

A task in which rows ask each other looks at every pair once for both sides. Rows are cut into q^2 + q + 1 pieces, the
points of the projective plane of order q, and a task gets the q + 1 pieces on one of its lines: any two points lie on
one line and no other, so that only pairs within a piece are looked at again. All tasks together look at
(q + 1)^2 / (q^2 + q + 1) times the pairs of one process.
"""

from __future__ import annotations

from functools import cache
from math import inf, isqrt

_LARGEST_ORDER = 512
# What else takes time, in pairs of rows that are compared meanwhile (200,000 x 20, two workers on one machine).
_MERGED = 500.0  # one entry of a list merged with others
_STARTED = 3.5e7  # a task sent and its answer fetched
_READIED = 3300.0  # a row of a task made ready for the search
_ASKED = 2.5  # what a pair costs where rows ask others, in pairs of rows that ask each other
_FEW_COLUMNS = 4  # in which a tree answers, whose cost hardly grows with those it is asked about


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


def best_order(n_rows: int, n_columns: int, together: int, workers: int, depth: int) -> int | None:
    """The order of the plane whose tasks are done first; None where blocks that ask others are.

    ``together`` rows at most may be in a task, ``depth`` entries in a list.

    >>> best_order(1_000_000, 10, 2_000_000, 1, 1), best_order(1_000_000, 20, 400_000, 2, 1)
    (0, 13)
    """
    if workers == 1 and n_rows <= together:
        return 0
    if n_columns <= _FEW_COLUMNS:
        return None

    def cost(order: int) -> float:
        pieces, met = n_pieces(order), order + 1
        if n_rows < pieces or -(-n_rows // pieces) * met > together:
            return inf
        task = n_rows * met / pieces
        merging = 0.0 if order == 0 else _MERGED * met * depth / n_rows
        return -(-pieces // workers) * (task * (task + _READIED) + _STARTED) / n_rows**2 + merging

    found = min((0, *_primes()), key=cost)
    return found if cost(found) < _ASKED / workers else None
