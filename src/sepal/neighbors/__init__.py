"""Who is near: exact neighbour search.

In: rows and a distance. Out: a NeighborRanking (who are the k nearest of each row, and which of them are tied), or a
DistinctRanking, the same for distinct rows only, which stays small when many rows are equal. No votes, and no classes
but in a ClassPass, where one look at every pair of rows serves all questions about neighbours inside and outside a
class.

May be imported by measures and everything after it on the road.
"""

from __future__ import annotations

from sepal.neighbors._any_search import AnySearch, prepare_search
from sepal.neighbors._class_pass import ClassPass
from sepal.neighbors._copies import Copies, DistinctRows
from sepal.neighbors._neighbor_ranking import neighbor_ranking
from sepal.neighbors._planner import Method
from sepal.neighbors._precomputed import square_distances
from sepal.neighbors._ranking import DistinctRanking, NeighborRanking, segment_positions
from sepal.neighbors._search import Search, rank_distances
from sepal.neighbors._sparse_search import SparseSearch
from sepal.neighbors._threads import thread_count

__all__ = [
    "AnySearch",
    "ClassPass",
    "Copies",
    "DistinctRanking",
    "DistinctRows",
    "Method",
    "NeighborRanking",
    "Search",
    "SparseSearch",
    "neighbor_ranking",
    "prepare_search",
    "rank_distances",
    "segment_positions",
    "square_distances",
    "thread_count",
]
