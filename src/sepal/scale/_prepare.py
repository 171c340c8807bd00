"""Rows in partitions made ready for neighbour questions: the same :class:`sepal.measures.Prepared` as of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from sepal.data import Missing, ScaleName, Table, key_groups
from sepal.distances import FittedDistance
from sepal.exceptions import DataError
from sepal.measures import Prepared
from sepal.neighbors import KEPT_INDEXES, Copies, Method, PartSearch, joined_extent
from sepal.parameters import RandomState, check_whole, checked, generator
from sepal.progress import Progress, stage
from sepal.scale._blocks import KEPT, block_rows, cut_blocks
from sepal.scale._drawing import draw_rows
from sepal.scale._elsewhere import RowsElsewhere
from sepal.scale._fit import fit_to_parts
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._pass_plan import ROW_BYTES, PassPlan, PlanStep
from sepal.scale._recall import recall_notes
from sepal.scale._schema import Schema, read_schema
from sepal.scale._search import BlockSearch, RowsAsking
from sepal.scale._sources import Partitioned, partitioned
from sepal.scale._work import Here, Workplace, place_of_work

BLOCK_BYTES = 256 * 2**20  # coordinates of a block in this process, where one large block is fastest
WORKER_BLOCK_BYTES = 32 * 2**20  # on a worker, which holds several; little is lost with it
TASK_BYTES = 64 * 2**20  # coordinates of the rows that are compared with each other in one task of a worker
_READ_BYTES = 20  # kept of each row once it has been read


@dataclass(frozen=True, eq=False)
class Fitted:
    """Partitions whose columns are known, with a distance fitted to all of them."""

    schema: Schema
    distance: FittedDistance
    scale: ScaleName | None
    params: Mapping[str, Any] | None
    method: Method
    work: Workplace

    @property
    def width(self) -> int:
        """Bytes of a row."""
        return 8 * max(1, self.schema.like.n_columns)

    def block_rows(self) -> int:
        """How many rows a block holds, unless it is said."""
        if isinstance(self.work, Here):
            return max(1_000, BLOCK_BYTES // self.width)
        share = -(-self.schema.n_rows // self.work.workers)
        return max(1_000, min(WORKER_BLOCK_BYTES // self.width, share, self.schema.sent // _READ_BYTES))

    def together(self) -> int:
        """How many rows ask each other in one task, unless it is said."""
        return max(1_000, (BLOCK_BYTES if isinstance(self.work, Here) else TASK_BYTES) // self.width)


def fit_parts(
    source: Partitioned,
    work: Workplace,
    *,
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    method: Method = "auto",
    progress: Progress | None = None,
) -> Fitted:
    """The pass over all partitions, and the distance that follows from it."""
    schema = read_schema(source, work, missing, stage(progress, "reading columns"))
    if len(schema.classes) < 2 and source.reading.target is not False:
        raise DataError(
            f"target: expected at least two classes, found {len(schema.classes)} in all {schema.n_rows} rows",
            hint="separability compares classes; check that the right column is the target",
        )
    fitted = fit_to_parts(schema, work, distance, scale, distance_params)
    return Fitted(schema, fitted, scale, distance_params, method, work)


def prepare_blocks(
    given: Fitted,
    *,
    rows_in_block: int | None = None,
    n_queries: int | None = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> Prepared:
    """Every row known by its class and its copies: what exact answers need. Memory here is some 50 bytes a row.

    With ``n_queries`` a stratified sample of so many rows asks.
    """
    schema, work, fitted = given.schema, given.work, given.distance
    key = uuid4().hex[:12]
    blocks = tuple(cut_blocks(schema, rows_in_block or given.block_rows(), key))
    n = schema.n_rows
    codes, keys = np.empty(n, dtype=np.int32), np.empty((n, 2), dtype=np.uint64)
    alone: NDArray[np.bool_] | None = None
    extents = {}
    jobs = [(block, fitted, schema.classes) for block in blocks]
    for at, found in work.run("read rows", block_rows, jobs, stage(progress, "reading rows"), schema.sent):
        rows = slice(blocks[at].first_row, blocks[at].first_row + blocks[at].n_rows)
        codes[rows], keys[rows], extents[at] = found.codes, found.keys, found.extent
        if found.alone is not None:
            alone = np.zeros(n, dtype=bool) if alone is None else alone
            alone[rows] = found.alone
    groups = key_groups(keys)
    del keys
    if alone is not None:
        groups = np.where(alone, int(groups.max()) + 1 + np.arange(n), groups)
    copies = Copies.by_key(groups)
    part = PartSearch.of(fitted, joined_extent(extents[at] for at in sorted(extents)), given.method)
    recall = recall_notes(schema, work, part, blocks)
    fitted = replace(fitted, notes=(*fitted.notes, *recall))
    table = cast(Table, RowsElsewhere(schema, blocks, work, copies.any))
    points: Any = RowsAsking(copies.first.astype(np.int64))
    together = rows_in_block or given.together()
    search = BlockSearch(
        table, fitted, points, copies, work.threads, part.method, part, blocks, work, together, schema.sent
    )
    every = asking = np.arange(n)
    if n_queries is not None and check_whole("n_queries", n_queries, at_least=1) < n:
        seed = int(generator(random_state).integers(2**63))
        asking = np.sort(draw_rows(schema, work, int(n_queries), seed, None, stage(progress, "drawing rows")).rows)
    notes = (*schema.notes, *fitted.notes)
    plan = PassPlan.of(
        schema,
        work,
        (PlanStep(f"{len(asking):,} rows ask all others, once they are asked", None),),
        len(asking),
        n * (ROW_BYTES + 24),
    )
    return Prepared(search, codes, schema.classes, every, asking, given.scale, given.params, notes, table, plan=plan)


def forget_blocks(prepared: Prepared) -> None:
    """Let go of the blocks that this process still holds, and of indexes of them."""
    KEPT_INDEXES.forget()
    if isinstance(prepared.search, BlockSearch) and prepared.search.blocks:
        KEPT.forget(prepared.search.blocks[0].key.split("-")[0])


@checked(*PARTITION_PARAMETERS)
def prepare_partitions(
    source: Any,
    y: Any = None,
    *,
    target: str | int | None = None,
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    method: Method = "auto",
    n_queries: int | None = None,
    random_state: RandomState = 0,
    block_rows: int | None = None,
    client: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Prepared:
    """Rows in partitions made ready for exact answers: it takes the place of ``X`` in the measures.

    :func:`sepal.thornton_test`, :func:`sepal.expected_accuracy`, :func:`sepal.measures.suspects` and the like give the
    very same answers as for the rows in one table, to the last bit (under ``scale="standard"``, whose means are rounded
    otherwise, to rounding).

    Parameters
    ----------
    source, y, target
        As in :func:`partitioned`.
    distance, distance_params, scale, missing, method
        As in :func:`sepal.prepare`. Distances that learn more from rows than ranges, means and levels are refused.
        ``method="approximate"`` searches every block approximately and by itself, so that what is found depends on how
        rows are cut into blocks; the recall is measured on rows that are drawn by what is in them.
    n_queries : int, optional
        Let only so many rows ask (about all rows), of each class its share: Thornton's index, suspects and margins are
        then those of these rows. By default all ask.
    random_state : int, Generator or None
        For ``n_queries`` only.
    block_rows : int, optional
        Rows that are held together; partitions are joined up to that many.
    client : distributed.Client, optional
        By default the active one; without one the work is done here, in bounded memory.
    n_jobs : int, optional
        Threads, where the work is done here.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    Prepared
        Some 50 bytes for each row are held here, and neighbour lists when they are asked for.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import sepal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         _ = Path(folder, f"{i}.csv").write_text("a,class\\n1,x\\n2,x\\n7,y\\n8,y\\n")
    ...     sepal.thornton_score(prepare_partitions(folder))
    1.0
    """
    given = partitioned(source, y, target=target)
    with place_of_work(client=client, n_jobs=n_jobs) as work:
        fitted = fit_parts(
            given,
            work,
            distance=distance,
            distance_params=distance_params,
            scale=scale,
            missing=missing,
            method=method,
            progress=progress,
        )
        return prepare_blocks(
            fitted, rows_in_block=block_rows, n_queries=n_queries, random_state=random_state, progress=progress
        )
