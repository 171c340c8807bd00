"""Which share of the neighbours an approximate search of rows in blocks finds: some rows ask exactly, too."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sepal.data import plural
from sepal.exceptions import SepalWarning
from sepal.neighbors import MEASURED_DEPTH, MEASURED_ROWS, PartSearch, recall_note
from sepal.scale._blocks import RowBlock
from sepal.scale._drawing import Drawn, draw_rows, shares_of
from sepal.scale._sampled import Listed, ask_sample
from sepal.scale._schema import Schema
from sepal.scale._work import Workplace

_SEED = 0  # the same rows for every question, drawn by what is in them


def recall_notes(
    schema: Schema, work: Workplace, search: PartSearch, blocks: Sequence[RowBlock], drawn: Drawn | None = None
) -> tuple[str, ...]:
    """The note that tells the recall of an approximate search, of rows drawn by what is in them; else none.

    The rows are the first of those that are drawn already, where there are such.
    """
    if search.method != "approximate":
        return ()
    some = shares_of(schema.class_counts, min(MEASURED_ROWS, schema.n_rows))
    asking = draw_rows(schema, work, MEASURED_ROWS, _SEED) if drawn is None else drawn.first(some)
    k = min(MEASURED_DEPTH, schema.n_rows - 1)
    exact, found = (
        ask_sample(schema, each, blocks, asking, k, work) for each in (replace(search, method="auto"), search)
    )
    how = f"in {len(blocks)} {plural(len(blocks), 'block')}, each searched by itself"
    note = recall_note(recall_of(exact, found, k), k, len(asking.rows), how)
    warnings.warn(note, SepalWarning, stacklevel=2)
    return (note,)


def recall_of(exact: Listed, found: Listed, k: int) -> float:
    """The share of the k nearest entries that is found, who ties with them counted."""
    start, n = exact.lists.start, len(exact.lists.start) - 1
    there = np.minimum(np.diff(start), k)
    reach = exact.lists.value[start[:-1] + np.maximum(there, 1) - 1] * (1 + 1e-9)
    right = found.lists.value <= reach[found.lists.query]
    right_each = np.minimum(np.bincount(found.lists.query[right], minlength=n), there)
    return float(np.mean(right_each / np.maximum(there, 1)))
