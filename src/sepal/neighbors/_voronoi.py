"""Voronoi cells on a plane: the lines on which the nearest row changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.data import ScaleName, fit_scaling, sorted_groups
from sepal.exceptions import DataError
from sepal.parameters import check_cells, check_numbers

Array = NDArray[np.float64]
MOST_POINTS = 20_000


@dataclass(frozen=True, eq=False)
class VoronoiEdges:
    """The edges of the Voronoi cells of some points. Made by :func:`voronoi_edges`.

    Attributes
    ----------
    lines : (n, 4) array
        Both ends of each edge, x0, y0, x1, y1.
    pairs : (n, 2) array
        The two points on its sides.
    between : (n,) array of bool
        Whether points of different classes are on its sides: there the answer of the nearest neighbour changes.

    Examples
    --------
    >>> found = voronoi_edges([[0, 0], [2, 0]], ["a", "b"], low=[-1, -1], high=[3, 1], scale=None)
    >>> sorted(found.lines.round(6)[0, 1::2].tolist()), found.between.tolist()
    ([-1.0, 1.0], [True])
    """

    lines: Array
    pairs: NDArray[np.intp]
    between: NDArray[np.bool_]


def voronoi_edges(
    points: ArrayLike, y: Any = None, *, low: ArrayLike, high: ArrayLike, scale: ScaleName | None = "minmax"
) -> VoronoiEdges:
    """The edges of the Voronoi cells of points on a plane, for the Euclidean distance of scaled columns.

    Parameters
    ----------
    points : array-like, shape (n, 2)
        Coincident points count once: with another class at the same place its edges lie between classes.
    y : array-like, optional
        Classes.
    low, high : array-like, shape (2,)
        The corners of the picture; edges end there.
    scale : {"minmax", "standard"} or None
        As the distance scales the two columns.

    Returns
    -------
    VoronoiEdges

    Examples
    --------
    >>> import sepal
    >>> plane = sepal.data.plane(sepal.datasets.load("athletes"), ("speed", "agility"))
    >>> voronoi_edges(plane.points, plane.table.y, low=plane.low, high=plane.high).lines.shape[1]
    4
    """
    given = check_cells("points", points)
    if given.ndim != 2 or given.shape[1] != 2 or not np.isfinite(given).all():
        raise DataError(f"points: expected finite points on a plane, found an array of shape {given.shape}")
    first, number = sorted_groups(given)
    distinct = given[first]
    if len(distinct) > MOST_POINTS:
        raise DataError(
            f"{len(distinct):,} different points have too many cells to draw; {MOST_POINTS:,} at most",
            hint="the map for k = 1 shows the same borders",
        )
    scaling = fit_scaling(given, ("numeric", "numeric"), scale)
    corners = np.array([check_numbers("low", low, length=2), check_numbers("high", high, length=2)])
    places, box = scaling.apply(distinct), scaling.apply(corners)
    lines, pairs = _edges(places, np.sort(box, axis=0))
    back = lines.reshape(-1, 2) * scaling.divisor + scaling.offset if scale is not None else lines.reshape(-1, 2)
    labels = _sides(y, number, len(distinct))
    between = np.array([_differ(labels[a], labels[b]) for a, b in pairs.tolist()], dtype=bool)
    return VoronoiEdges(back.reshape(-1, 4), first[pairs], between)


def _sides(y: Any, number: NDArray[np.intp], n: int) -> list[set[Any]]:
    """The classes at each place."""
    found: list[set[Any]] = [set() for _ in range(n)]
    if y is not None:
        for at, label in zip(number.tolist(), np.asarray(y).tolist(), strict=True):
            found[at].add(label)
    return found


def _differ(one: set[Any], other: set[Any]) -> bool:
    return len(one | other) > 1


def _edges(places: Array, box: Array) -> tuple[Array, NDArray[np.intp]]:
    """Edges within the box, from a diagram that four far points close, and the pairs of points at their sides."""
    from scipy.spatial import Voronoi

    if len(places) < 2:
        return np.zeros((0, 4)), np.zeros((0, 2), dtype=np.intp)
    middle, reach = box.mean(axis=0), float(max(np.ptp(np.vstack([places, box]), axis=0).max(), 1e-300))
    # Cells of the points end far outside the box, so that no edge within it is open.
    far = middle + 20.0 * reach * np.array([[-1.0, -1.3], [1.1, -1.0], [1.0, 1.2], [-1.2, 1.0]])
    diagram = Voronoi(np.vstack([places, far]))
    lines, pairs = [], []
    for (a, b), corners in zip(diagram.ridge_points, diagram.ridge_vertices, strict=True):
        if max(a, b) >= len(places) or -1 in corners:
            continue
        ends = _clipped(diagram.vertices[corners[0]], diagram.vertices[corners[1]], box)
        if ends is not None:
            lines.append(ends)
            pairs.append((min(a, b), max(a, b)))
    order = sorted(range(len(pairs)), key=lambda at: pairs[at])
    return (
        np.array([lines[at] for at in order]).reshape(-1, 4),
        np.array([pairs[at] for at in order], dtype=np.intp).reshape(-1, 2),
    )


def _clipped(start: Array, end: Array, box: Array) -> Array | None:
    """The part of a line within a box, by Liang and Barsky; None where there is none."""
    step = end - start
    first, last = 0.0, 1.0
    for axis in (0, 1):
        for side, sign in ((box[0, axis], -1.0), (box[1, axis], 1.0)):
            rate, room = sign * step[axis], sign * (side - start[axis])
            if rate == 0.0:
                if room < 0.0:
                    return None
            elif rate > 0.0:
                last = min(last, room / rate)
            else:
                first = max(first, room / rate)
    if first >= last:
        return None
    return np.concatenate([start + first * step, start + last * step])
