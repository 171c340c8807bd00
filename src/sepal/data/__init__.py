"""Tables in: files, arrays and data frames become a :class:`Table` with known column kinds.

Comes in: CSV and its relatives, ARFF and Parquet files, numpy arrays, lists, pandas, polars and pyarrow
frames. Goes out: frozen Tables, class codes, scalings, the bundled data sets.
Every other room may import this one; it imports none of them. It is the only place that knows data frames.
"""

from __future__ import annotations

from sepal.data._bundled import SETS, BundledSet, load, names
from sepal.data._columns import Kind, KindsSpec
from sepal.data._content_order import content_columns, content_order, geometric_rank, rows_by_content
from sepal.data._convert import as_table
from sepal.data._foreign_frames import is_frame
from sepal.data._labels import class_codes
from sepal.data._left_out import LeftOut, Together, copies_of, group_codes, left_out_together, records_repeated
from sepal.data._matching import match_table
from sepal.data._read import read_table
from sepal.data._scaling import SCALES, ScaleName, Scaling, fit_scaling, unit_of
from sepal.data._sparse_reading import Rows, as_rows
from sepal.data._sparse_rows import SparseRows, equal_sparse_rows
from sepal.data._table import Table
from sepal.data._weights import as_weights
from sepal.data._whole_files import write_whole

__all__ = [
    "SCALES",
    "SETS",
    "BundledSet",
    "Kind",
    "KindsSpec",
    "LeftOut",
    "Rows",
    "ScaleName",
    "Scaling",
    "SparseRows",
    "Table",
    "Together",
    "as_rows",
    "as_table",
    "as_weights",
    "class_codes",
    "content_columns",
    "content_order",
    "copies_of",
    "equal_sparse_rows",
    "fit_scaling",
    "geometric_rank",
    "group_codes",
    "is_frame",
    "left_out_together",
    "load",
    "match_table",
    "names",
    "read_table",
    "records_repeated",
    "rows_by_content",
    "unit_of",
    "write_whole",
]
