"""Exact nearest-neighbour search: who is near.

In: rows and a distance. Out: a NeighborRanking (who are the k nearest of each row, and which of them are tied), or a
DistinctRanking, the same for distinct rows only, which stays small when many rows are equal; a RadiusRanking (who is
within a radius); or a graph, the same as a sparse matrix. No votes, and no classes
but in a ClassPass, where one look at every pair of rows serves all questions about neighbours inside and outside a
class.

May be imported by measures and everything after it on the road.
"""

from __future__ import annotations

from sepal.data import thread_count as thread_count
from sepal.data import threads_by_default as threads_by_default
from sepal.neighbors._any_search import AnySearch as AnySearch
from sepal.neighbors._any_search import DistanceLike as DistanceLike
from sepal.neighbors._any_search import prepare_search as prepare_search
from sepal.neighbors._cells import KEPT_INDEXES as KEPT_INDEXES
from sepal.neighbors._cells import MEASURED_DEPTH as MEASURED_DEPTH
from sepal.neighbors._cells import MEASURED_ROWS as MEASURED_ROWS
from sepal.neighbors._class_pass import ClassPass as ClassPass
from sepal.neighbors._copies import Copies as Copies
from sepal.neighbors._copies import DistinctRows as DistinctRows
from sepal.neighbors._function_search import FunctionSearch as FunctionSearch
from sepal.neighbors._graph import GraphMode as GraphMode
from sepal.neighbors._graph import as_graph as as_graph
from sepal.neighbors._graph import check_mode as check_mode
from sepal.neighbors._graph import kneighbors_graph, radius_neighbors_graph
from sepal.neighbors._growing import GrowingSearch as GrowingSearch
from sepal.neighbors._neighbor_ranking import neighbor_ranking
from sepal.neighbors._parts import PartLists as PartLists
from sepal.neighbors._parts import PartSearch as PartSearch
from sepal.neighbors._parts import extent_of as extent_of
from sepal.neighbors._parts import joined_extent as joined_extent
from sepal.neighbors._parts import lists_in_order as lists_in_order
from sepal.neighbors._planner import SEARCH_METHODS as SEARCH_METHODS
from sepal.neighbors._planner import Method as Method
from sepal.neighbors._precomputed import check_reached as check_reached
from sepal.neighbors._precomputed import graph_distances as graph_distances
from sepal.neighbors._precomputed import square_distances as square_distances
from sepal.neighbors._radius import checked_radius as checked_radius
from sepal.neighbors._radius_ranking import RadiusRanking, radius_ranking
from sepal.neighbors._ranking import DistinctRanking as DistinctRanking
from sepal.neighbors._ranking import NeighborRanking
from sepal.neighbors._ranking import Ties as Ties
from sepal.neighbors._ranking import segment_positions as segment_positions
from sepal.neighbors._recall import ToldOfRows as ToldOfRows
from sepal.neighbors._recall import recall_among as recall_among
from sepal.neighbors._recall import recall_html as recall_html
from sepal.neighbors._recall import recall_in as recall_in
from sepal.neighbors._recall import recall_note as recall_note
from sepal.neighbors._recall import recall_said as recall_said
from sepal.neighbors._recall import recall_told as recall_told
from sepal.neighbors._recall import refuse_approximate as refuse_approximate
from sepal.neighbors._rounding import TIE_TOLERANCE as TIE_TOLERANCE
from sepal.neighbors._rounding import Extent as Extent
from sepal.neighbors._rounding import is_exact as is_exact
from sepal.neighbors._search import WHOLE as WHOLE
from sepal.neighbors._search import Search as Search
from sepal.neighbors._search import Turn as Turn
from sepal.neighbors._search import nearest_squares as nearest_squares
from sepal.neighbors._search import rank_distances as rank_distances
from sepal.neighbors._sparse_index import SparseIndex as SparseIndex
from sepal.neighbors._sparse_search import SparseSearch as SparseSearch
from sepal.neighbors._text_search import MixedSearch as MixedSearch
from sepal.neighbors._text_search import TextSearch as TextSearch
from sepal.neighbors._voronoi import VoronoiEdges, voronoi_edges

__all__ = [
    "NeighborRanking",
    "RadiusRanking",
    "VoronoiEdges",
    "kneighbors_graph",
    "neighbor_ranking",
    "radius_neighbors_graph",
    "radius_ranking",
    "voronoi_edges",
]
