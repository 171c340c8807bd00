"""Tables in: files, arrays and data frames become a :class:`Table` with known column kinds.

Comes in: CSV and its relatives, ARFF and Parquet files, numpy arrays, lists, pandas, polars and pyarrow
frames. Goes out: frozen Tables, class codes, scalings, the bundled data sets.
Every other room may import this one; it imports none of them. It is the only place that knows data frames.
"""

from __future__ import annotations

from sepal.data._apart import Apart
from sepal.data._apart import ColumnSums as ColumnSums
from sepal.data._apart import is_identifier_name as is_identifier_name
from sepal.data._apart import sums_tell_apart as sums_tell_apart
from sepal.data._apart import why_apart as why_apart
from sepal.data._bundled import SETS, BundledSet, load, names
from sepal.data._cautions import Caution
from sepal.data._cautions import all_cautions as all_cautions
from sepal.data._cautions import caution_texts as caution_texts
from sepal.data._cells import apart_cells as apart_cells
from sepal.data._cells import cell_of as cell_of
from sepal.data._cells import column_cells as column_cells
from sepal.data._cells import label_cells as label_cells
from sepal.data._cells import row_cells as row_cells
from sepal.data._cells import row_identifiers as row_identifiers
from sepal.data._column_names import array_names as array_names
from sepal.data._column_names import column_places as column_places
from sepal.data._column_names import given_names as given_names
from sepal.data._column_names import in_order_of as in_order_of
from sepal.data._column_names import named_by_nobody as named_by_nobody
from sepal.data._column_names import rows_in_order as rows_in_order
from sepal.data._columns import KINDS as KINDS
from sepal.data._columns import Kind, KindsSpec
from sepal.data._columns import column_position as column_position
from sepal.data._complete_rows import Missing as Missing
from sepal.data._complete_rows import as_labelled_table as as_labelled_table
from sepal.data._complete_rows import complete_part as complete_part
from sepal.data._complete_rows import first_missing as first_missing
from sepal.data._content_order import columns_by_values as columns_by_values
from sepal.data._content_order import content_columns as content_columns
from sepal.data._content_order import content_order as content_order
from sepal.data._content_order import geometric_rank as geometric_rank
from sepal.data._content_order import map_order as map_order
from sepal.data._content_order import rows_by_content as rows_by_content
from sepal.data._content_order import sorted_groups as sorted_groups
from sepal.data._content_order import telling_columns as telling_columns
from sepal.data._convert import as_table
from sepal.data._convert import rows_inside as rows_inside
from sepal.data._equal_rows import bit_order as bit_order
from sepal.data._equal_rows import copies_of as copies_of
from sepal.data._equal_rows import equal_groups as equal_groups
from sepal.data._equal_rows import equal_rows as equal_rows
from sepal.data._equal_rows import key_groups as key_groups
from sepal.data._equal_rows import mixed_bits as mixed_bits
from sepal.data._equal_rows import places as places
from sepal.data._equal_rows import plain_cells as plain_cells
from sepal.data._equal_rows import row_groups as row_groups
from sepal.data._equal_rows import row_hash as row_hash
from sepal.data._equal_rows import row_marks as row_marks
from sepal.data._error_words import constant_note as constant_note
from sepal.data._error_words import dropped_note as dropped_note
from sepal.data._error_words import p_phrase as p_phrase
from sepal.data._error_words import p_text as p_text
from sepal.data._error_words import plural as plural
from sepal.data._error_words import shown as shown
from sepal.data._foreign_frames import as_plain_array as as_plain_array
from sepal.data._foreign_frames import is_frame as is_frame
from sepal.data._frames import data_frame as data_frame
from sepal.data._frames import frame_html as frame_html
from sepal.data._group_column import group_labels
from sepal.data._group_column import set_apart as set_apart
from sepal.data._group_column import without_empty as without_empty
from sepal.data._joined import RoomForMore as RoomForMore
from sepal.data._joined import joined_rows as joined_rows
from sepal.data._joined import joined_table as joined_table
from sepal.data._kind_words import kind_said as kind_said
from sepal.data._kind_words import kind_words as kind_words
from sepal.data._labels import MOST_FLOAT_CLASSES as MOST_FLOAT_CLASSES
from sepal.data._labels import check_class_labels as check_class_labels
from sepal.data._labels import class_codes as class_codes
from sepal.data._labels import is_continuous as is_continuous
from sepal.data._labels import label_array as label_array
from sepal.data._left_out import LeftOut as LeftOut
from sepal.data._left_out import Together as Together
from sepal.data._left_out import group_codes as group_codes
from sepal.data._left_out import groups_by_class as groups_by_class
from sepal.data._left_out import groups_in_order as groups_in_order
from sepal.data._left_out import in_group_order as in_group_order
from sepal.data._left_out import left_out_together as left_out_together
from sepal.data._left_out import numbered_by_first_row as numbered_by_first_row
from sepal.data._left_out import records_repeated as records_repeated
from sepal.data._left_out import rows_in_groups as rows_in_groups
from sepal.data._left_out import shared_places as shared_places
from sepal.data._level_order import levels_by_name as levels_by_name
from sepal.data._matching import match_table as match_table
from sepal.data._name_order import name_key as name_key
from sepal.data._name_order import name_order as name_order
from sepal.data._partition import PartReading as PartReading
from sepal.data._partition import names_partitions as names_partitions
from sepal.data._partition import read_partition as read_partition
from sepal.data._plane import Plane, plane
from sepal.data._read import read_table
from sepal.data._read_only import read_only as read_only
from sepal.data._retarget import dated_target as dated_target
from sepal.data._row_page import RowPage, row_page
from sepal.data._same_labels import same_labels as same_labels
from sepal.data._sampling import draw_by_class as draw_by_class
from sepal.data._sampling import sample_by_class as sample_by_class
from sepal.data._sampling import sampled
from sepal.data._scaling import SCALES, ScaleName
from sepal.data._scaling import Scaling as Scaling
from sepal.data._scaling import column_ranges as column_ranges
from sepal.data._scaling import far_unit as far_unit
from sepal.data._scaling import fit_scaling as fit_scaling
from sepal.data._scaling import ranges_and_gaps as ranges_and_gaps
from sepal.data._scaling import unit_of as unit_of
from sepal.data._source import FolderColumn as FolderColumn
from sepal.data._sparse_reading import Rows as Rows
from sepal.data._sparse_reading import as_rows as as_rows
from sepal.data._sparse_reading import as_sets as as_sets
from sepal.data._sparse_rows import SparseRows as SparseRows
from sepal.data._sparse_rows import equal_sparse_rows as equal_sparse_rows
from sepal.data._summary import ColumnSummary, TableSummary, summarize
from sepal.data._summary import coded_target as coded_target
from sepal.data._table import Table
from sepal.data._text_options import TextOptions
from sepal.data._threads import thread_count as thread_count
from sepal.data._threads import threads_by_default as threads_by_default
from sepal.data._weights import as_weights as as_weights
from sepal.data._whole_files import write_whole as write_whole
from sepal.data._words import Words as Words
from sepal.data._words import learn_words as learn_words
from sepal.data._words import refuse_texts as refuse_texts
from sepal.data._words import text_cells as text_cells
from sepal.data._words import text_columns as text_columns
from sepal.data._written import Written as Written

__all__ = [
    "SCALES",
    "SETS",
    "Apart",
    "BundledSet",
    "Caution",
    "ColumnSummary",
    "Kind",
    "KindsSpec",
    "Plane",
    "RowPage",
    "ScaleName",
    "Table",
    "TableSummary",
    "TextOptions",
    "as_table",
    "group_labels",
    "load",
    "names",
    "plane",
    "read_table",
    "row_page",
    "sampled",
    "summarize",
]
from sepal.data._written import written_number as written_number
