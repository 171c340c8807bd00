"""What is done besides asking for neighbours: passes over all partitions and work on a sample, said beforehand."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sepal.data import plural
from sepal.scale._part_notes import PartNote
from sepal.scale._schema import Schema
from sepal.scale._work import Here, Workplace

DRAWING = 1.0  # what a pass takes in which rows are drawn, in passes over the columns
ADDING = 1.0  # and one in which products are added up,
_PRODUCT = 0.6e-9  # with so many seconds of a worker for each product of two cells, which is exact;
ROW_BYTES = 50  # memory here for each row of an exact answer, neighbour lists aside
_DRAWN_BYTES = 8 * 2**20  # in which rows are counted while some are drawn
_KERNEL, _KERNEL_PRODUCT = 1.5e-8, 3e-11  # for a kernel at a point, and for a product of two of these


@dataclass(frozen=True)
class PlanStep:
    """Something that will be done, and about how many seconds it takes; None where nobody can tell."""

    what: str
    seconds: float | None


@dataclass(frozen=True)
class PassPlan:
    """What will be done to rows in partitions, step by step.

    Attributes
    ----------
    n_rows, n_columns, n_partitions, n_workers : int
    exact : bool
        Whether all rows take part in everything.
    rows_seen : int
        Rows that do.
    steps : tuple of PlanStep
        In their order, the pass over the columns that is already done left out.
    n_bytes : int
        Memory here for the rows that are held at a time; what a learner needs besides is left out.
    notes : tuple of PartNote
        What was noted when the files were read.

    Examples
    --------
    >>> steps = (PlanStep("a sample of 100 rows is drawn", 0.5), PlanStep("KNNClassifier is fitted to it", 1.0))
    >>> print(PassPlan(1000, 5, 2, 1, False, 100, steps, 3_000_000))
    1,000 rows x 5 columns in 2 partitions, 1 worker
    doing:  a sample of 100 rows is drawn, about 0.5 s
            KNNClassifier is fitted to it, about 1.0 s
            all together about 1.5 s, 3 MB here
    """

    n_rows: int
    n_columns: int
    n_partitions: int
    n_workers: int
    exact: bool
    rows_seen: int
    steps: tuple[PlanStep, ...]
    n_bytes: int = 0
    notes: tuple[PartNote, ...] = ()

    @classmethod
    def of(
        cls,
        schema: Schema,
        work: Workplace,
        steps: tuple[PlanStep, ...],
        rows_seen: int | None = None,
        n_bytes: int | None = None,
    ) -> PassPlan:
        """For partitions whose columns are known; all rows take part unless fewer are said to.

        By default rows that are said to take part are drawn and held here, else one partition after the other, where
        the work is done here.
        """
        n, seen = schema.n_rows, schema.n_rows if rows_seen is None else min(rows_seen, schema.n_rows)
        columns, parts = schema.like.n_columns, len(schema.source.parts)
        if n_bytes is None:
            row = 8 * (columns + 2)
            one = row * int(schema.part_rows.max()) if isinstance(work, Here) else 0
            n_bytes = one if rows_seen is None else one + row * seen + _DRAWN_BYTES
        first = replace(steps[0], what="; ".join((*schema.of_parts, steps[0].what)))
        return cls(n, columns, parts, work.workers, seen == n, seen, (first, *steps[1:]), n_bytes, schema.of_cells)

    @property
    def seconds(self) -> float | None:
        """Of all steps; None where one of them cannot be told."""
        each = [step.seconds for step in self.steps]
        return None if None in each else sum(seconds for seconds in each if seconds is not None)

    def __str__(self) -> str:
        lines = [sized(self.n_rows, self.n_columns, self.n_partitions, self.n_workers)]
        for at, step in enumerate(self.steps):
            about = "" if step.seconds is None else f", about {spoken(step.seconds)}"
            lines.append(f"{'doing:  ' if at == 0 else '        '}{step.what}{about}")
        if len(self.steps) > 1 and self.seconds is not None:
            lines.append(f"        all together about {spoken(self.seconds)}")
        return "\n".join(lines) + f", {megabytes(self.n_bytes)} here"


def sized(n_rows: int, n_columns: int, n_partitions: int, n_workers: int) -> str:
    """The first line of a plan.

    >>> sized(1000, 1, 2, 1)
    '1,000 rows x 1 column in 2 partitions, 1 worker'
    """
    columns, parts, workers = (
        f"{n} {plural(n, what)}"
        for n, what in ((n_columns, "column"), (n_partitions, "partition"), (n_workers, "worker"))
    )
    return f"{n_rows:,} rows x {columns} in {parts}, {workers}"


def megabytes(n_bytes: int) -> str:
    """Memory as a person says it.

    >>> megabytes(40_000), megabytes(1_500_000_000)
    ('less than 1 MB', '1,500 MB')
    """
    return f"{n_bytes / 1e6:,.0f} MB" if n_bytes >= 1e6 else "less than 1 MB"


def spoken(seconds: float) -> str:
    """A time as a person says it.

    >>> spoken(0.5), spoken(30.0), spoken(150.0), spoken(7200.0)
    ('0.5 s', '30 s', '2.5 min', '2.0 hours')
    """
    for size, unit in ((86400.0, "days"), (3600.0, "hours"), (120.0, "min")):
        if seconds >= size:
            return f"{seconds / (60.0 if unit == 'min' else size):,.1f} {unit}"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def drawing_step(schema: Schema, n_rows: int) -> PlanStep:
    """A sample that is drawn in one pass; of all rows if there are no more."""
    what = f"a stratified sample of {n_rows:,} rows is drawn" if n_rows < schema.n_rows else "all rows are read"
    return PlanStep(what, DRAWING * schema.seconds)


def adding_step(schema: Schema, work: Workplace, what: str) -> PlanStep:
    """Products of columns added up in one pass."""
    return PlanStep(what, ADDING * schema.seconds + _PRODUCT * schema.n_rows * schema.like.n_columns**2 / work.workers)


def kernels_step(schema: Schema, work: Workplace, what: str, points: int, passes: int) -> PlanStep:
    """Products of kernels at so many points added up, in so many passes."""
    each = points * (_KERNEL + _KERNEL_PRODUCT * points)
    return PlanStep(what, passes * (ADDING * schema.seconds + schema.n_rows * each / work.workers))
