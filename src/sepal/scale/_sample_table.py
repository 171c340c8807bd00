"""A stratified sample of rows in partitions as one table: for everything that needs its rows together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table
from sepal.parameters import RandomState, checked, generator
from sepal.progress import Progress, stage
from sepal.scale._drawing import Drawn, draw_rows, shares_of
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._pass_plan import PassPlan, drawing_step
from sepal.scale._schema import Schema, read_schema
from sepal.scale._sources import partitioned
from sepal.scale._work import Workplace, place_of_work


@dataclass(frozen=True, eq=False)
class SampledTable:
    """Some rows of partitions.

    Attributes
    ----------
    table : Table
        Its notes say of how many rows it is a sample.
    rows : array of int64
        Their numbers among all rows, counted from 0 through all partitions.
    n_rows : int
        Rows in all partitions.
    plan : PassPlan or None
        What was to be done.
    exact : bool
        Whether these are all rows.
    rows_seen : int
        How many they are.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sepal.scale import partitioned
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "0.csv").write_text("a,class\\n1,x\\n2,x\\n7,y\\n8,y\\n")
    ...     sample_table(partitioned(folder), 4).rows.tolist()
    [0, 1, 2, 3]
    """

    table: Table
    rows: NDArray[np.int64]
    n_rows: int
    plan: PassPlan | None = None

    @property
    def rows_seen(self) -> int:
        """Rows of the table."""
        return len(self.rows)

    @property
    def exact(self) -> bool:
        """Whether these are all rows."""
        return self.rows_seen == self.n_rows


def sample_of(
    schema: Schema,
    work: Workplace,
    n_rows: int,
    random_state: RandomState,
    progress: Progress | None = None,
    drawn: Drawn | None = None,
    say: Callable[[PassPlan], object] | None = None,
) -> SampledTable:
    """A sample of partitions whose columns are known; of rows that are drawn already, where these are given."""
    plan = PassPlan.of(schema, work, (drawing_step(schema, n_rows),), n_rows)
    if say is not None:
        say(plan)
    if drawn is None:
        seed = int(generator(random_state).integers(2**63))
        drawn = draw_rows(schema, work, n_rows, seed, None, stage(progress, "drawing rows"))
    else:
        drawn = drawn.first(shares_of(schema.class_counts, min(n_rows, schema.n_rows)))
    notes = schema.notes
    if len(drawn.rows) < schema.n_rows:
        said = f"a stratified random sample of {len(drawn.rows):,} of {schema.n_rows:,} rows in partitions"
        notes = (*notes, said)
    like = schema.like
    table = Table(
        drawn.values,
        like.names,
        like.kinds,
        like.levels,
        y=schema.classes[drawn.codes],
        target=like.target,
        class_order=tuple(schema.classes.tolist()),
        notes=notes,
        name=like.name,
    )
    return SampledTable(table, drawn.rows, schema.n_rows, plan)


@checked(*PARTITION_PARAMETERS)
def sample_table(
    source: Any,
    n_rows: int,
    *,
    random_state: RandomState = 0,
    client: Any = None,
    cluster: str | None = None,
    workers: int | None = None,
    n_jobs: int | None = None,
    say: Callable[[PassPlan], object] | None = None,
    progress: Progress | None = None,
) -> SampledTable:
    """A stratified random sample of rows in partitions, or all rows if there are no more, as one table.

    Parameters
    ----------
    source
        As in :func:`partitioned`, or what that made; the target must hold classes.
    n_rows : int
        How many rows; of each class its share.
    random_state : int, Generator or None
        A seed draws the same rows however they are cut into files, in whatever order, and however many workers look.
    client, cluster, workers, n_jobs, say, progress
        As in :func:`measure_partitions`.

    Returns
    -------
    SampledTable

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sepal.scale import partitioned
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         _ = Path(folder, f"{i}.csv").write_text("a,class\\n1,x\\n2,x\\n7,y\\n8,y\\n")
    ...     drawn = sample_table(partitioned(folder), 4)
    >>> drawn.table.n_rows, drawn.n_rows
    (4, 8)
    """
    source = partitioned(source)
    with place_of_work(client, cluster, workers, n_jobs) as work:
        schema = read_schema(source, work, progress=stage(progress, "reading columns"))
        return sample_of(schema, work, n_rows, random_state, progress, say=say)
