"""A canonical order of the rows from the graph of nearest neighbours, whatever order they stand in.

Each row gets a colour from the colours of those it points at and of those that point at it, again and again, until
equal colours mean equal surroundings (Weisfeiler and Leman, 1968). Parts of the graph that are alike may change places:
it looks the same. Where rows of one part still have one colour, one of them is marked and colours are spread anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.data import columns_by_values, map_order, mixed_bits, plain_cells
from sepal.measures._nearest import NearestGraph
from sepal.neighbors import AnySearch, Search

_MARKS = 20
_STEPS = 64

Colors = NDArray[np.uint64]


def graph_order(graph: NearestGraph, search: AnySearch) -> NDArray[np.intp]:
    """The distinct rows, part by part; the values of the rows decide where the graph does not."""
    rank = np.empty(len(graph.n_copies), dtype=np.intp)
    rank[order_by_value(search)] = np.arange(len(rank))
    part, asked = _parts(graph), np.bincount(graph.target, minlength=len(rank)) > 0
    color = _spread(graph, mixed_bits(graph.n_copies.astype(np.uint64)))
    for _ in range(_MARKS):
        at = _to_mark(part, color, rank, asked)
        if len(at) == 0:
            break
        color[at] = mixed_bits(color[at] + np.uint64(1))
        color = _spread(graph, color)
    whole = np.zeros(len(rank), dtype=np.uint64)
    np.add.at(whole, part, mixed_bits(color))
    first = np.full(len(rank), len(rank))
    np.minimum.at(first, part, rank)
    return np.lexsort((rank, color, first[part], whole[part]))


def _spread(graph: NearestGraph, color: Colors) -> Colors:
    size = np.rint(1.0 / graph.weight).astype(np.uint64)
    n_colors = len(np.unique(color))
    for _ in range(_STEPS):
        there, back = np.zeros_like(color), np.zeros_like(color)
        np.add.at(there, graph.source, mixed_bits(color[graph.target] ^ mixed_bits(size)))
        np.add.at(back, graph.target, mixed_bits(color[graph.source] + mixed_bits(size)))
        color = mixed_bits(color ^ mixed_bits(there) ^ mixed_bits(mixed_bits(back)))
        seen = len(np.unique(color))
        if seen == n_colors:
            break
        n_colors = seen
    return color


def _parts(graph: NearestGraph) -> NDArray[np.intp]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(graph.n_copies)
    edges = coo_array((np.ones(len(graph.source)), (graph.source, graph.target)), shape=(n, n))
    return np.asarray(connected_components(edges, directed=False)[1], dtype=np.intp)


def _to_mark(
    part: NDArray[np.intp], color: Colors, rank: NDArray[np.intp], asked: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """In each part with several rows of one colour, one of these. Rows without incoming edges are alike."""
    rows = np.flatnonzero(asked)
    rows = rows[np.lexsort((rank[rows], color[rows], part[rows]))]
    same = (part[rows][1:] == part[rows][:-1]) & (color[rows][1:] == color[rows][:-1])
    tied = rows[:-1][same]
    return np.asarray(tied[np.unique(part[tied], return_index=True)[1]])


def order_by_value(search: AnySearch) -> NDArray[np.intp]:
    """The distinct rows in an order that follows from their values, not from where they stand."""
    if not isinstance(search, Search):
        rows, rest = search.points.rows, getattr(search.points, "rest", np.zeros((search.copies.n_distinct, 0)))
        rest = rest[:, columns_by_values(rest)] if rest.size else rest
        keys = [
            (rows.indices[a:b].tolist(), rows.data[a:b].tolist(), plain.tolist())
            for a, b, plain in zip(rows.indptr[:-1], rows.indptr[1:], plain_cells(rest).view(np.int64), strict=True)
        ]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
    points, names = search.coordinates(search.copies.first.astype(np.intp)), search.fitted.names
    columns = np.arange(points.shape[1])
    if len(names) == len(columns):
        columns = np.argsort(np.array(names)[search.fitted.order])
    # Columns too follow from what is in them, and from their names only where they hold the same values.
    return map_order(points, columns)
