"""Who is near: exact neighbour search.

In: rows and a distance. Out: a NeighborRanking (who are the k nearest of each row, and which of them are tied), or a
DistinctRanking, the same for distinct rows only, which stays small when many rows are equal; a RadiusRanking (who is
within a radius); or a graph, the same as a sparse matrix. No votes, and no classes
but in a ClassPass, where one look at every pair of rows serves all questions about neighbours inside and outside a
class.

May be imported by measures and everything after it on the road.
"""

from __future__ import annotations

from sepal.neighbors._any_search import AnySearch, DistanceLike, prepare_search
from sepal.neighbors._class_pass import ClassPass
from sepal.neighbors._copies import Copies, DistinctRows
from sepal.neighbors._function_search import FunctionSearch
from sepal.neighbors._graph import GraphMode, as_graph, check_mode, kneighbors_graph, radius_neighbors_graph
from sepal.neighbors._neighbor_ranking import neighbor_ranking
from sepal.neighbors._planner import Method
from sepal.neighbors._precomputed import check_reached, graph_distances, square_distances
from sepal.neighbors._radius import checked_radius
from sepal.neighbors._radius_ranking import RadiusRanking, radius_ranking
from sepal.neighbors._ranking import DistinctRanking, NeighborRanking, segment_positions
from sepal.neighbors._rounding import TIE_TOLERANCE as TIE_TOLERANCE
from sepal.neighbors._search import Search, rank_distances
from sepal.neighbors._sparse_search import SparseSearch
from sepal.neighbors._threads import thread_count

__all__ = [
    "AnySearch",
    "ClassPass",
    "Copies",
    "DistanceLike",
    "DistinctRanking",
    "DistinctRows",
    "FunctionSearch",
    "GraphMode",
    "Method",
    "NeighborRanking",
    "RadiusRanking",
    "Search",
    "SparseSearch",
    "as_graph",
    "check_mode",
    "check_reached",
    "checked_radius",
    "graph_distances",
    "kneighbors_graph",
    "neighbor_ranking",
    "prepare_search",
    "radius_neighbors_graph",
    "radius_ranking",
    "rank_distances",
    "segment_positions",
    "square_distances",
    "thread_count",
]
