"""Sums of what partitions give, the same in whatever order they come in, and the tasks that give it for models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.auto import KernelSums, RowsOf, Whitened
from sepal.data import Kind, Table
from sepal.estimators import View
from sepal.machines import PathRows, VectorMap
from sepal.measures import ClassScatter
from sepal.progress import Progress, stage
from sepal.scale._blocks import Loading
from sepal.scale._parts import Partition
from sepal.scale._products import MOST_ADDED, class_scatters, places_of
from sepal.scale._schema import Schema
from sepal.scale._work import Workplace

Array = NDArray[np.float64]
_STEP = 80  # bits after the point: what is smaller is left out, wherever it comes from
_whole = np.frompyfunc(int, 1, 1)


class Totals:
    """Arrays added up as whole numbers of 2**-80, which no order of adding changes."""

    def __init__(self) -> None:
        self._sums: list[NDArray[Any]] = []

    def add(self, arrays: Sequence[Array]) -> None:
        """One partition more."""
        found = [np.asarray(_whole(np.ldexp(each, _STEP))) for each in arrays]
        self._sums = [a + b for a, b in zip(self._sums, found, strict=True)] if self._sums else found

    def arrays(self) -> list[Array]:
        """What was added up."""
        return [np.asarray(each / (1 << _STEP), dtype=np.float64) for each in self._sums]


@dataclass(frozen=True, eq=False)
class PathOf:
    """How rows of a partition become rows of a path of models on feature vectors."""

    loading: Loading
    numbers: View | None  # what makes numbers of a table of any kind; None where its cells are the numbers
    mapping: VectorMap
    factors: Array

    def rows(self, part: Partition) -> PathRows:
        """The rows of a partition."""
        table, codes = self.loading.rows(part)
        weights = self.factors[codes]
        Z = self.mapping.transform(numbers_by(self.numbers, table))
        return PathRows(Z, np.eye(len(self.factors))[codes], weights, weights, codes)


def numbers_by(view: View | None, table: Table) -> Table:
    """Rows as a machine for numbers sees them."""
    if view is None:
        return table
    values = view.coordinates(table)
    names = tuple(f"x{j + 1}" for j in range(values.shape[1]))
    kind: Kind = "numeric"
    return Table(values, names, (kind,) * len(names), (None,) * len(names))


def path_products(part: Partition, how: PathOf, R: Array | None) -> list[Array]:
    """A'A of a partition, or Q'Q."""
    size = len(how.mapping.factor) + 1
    return [how.rows(part).products(R, np.zeros((size, size)))]


def path_triangle(part: Partition, how: PathOf) -> Array:
    """R of a partition."""
    return how.rows(part).triangle(np.zeros((0, len(how.mapping.factor) + 1)))


def path_scores(part: Partition, how: PathOf, R: Array) -> list[Array]:
    """Q'y of a partition."""
    return [how.rows(part).scores(R)]


def path_losses(part: Partition, how: PathOf, R: Array, scores: Array) -> list[Array]:
    """Errors of the rows of a partition, each left out."""
    return [*how.rows(part).losses(R, scores)]


@dataclass(frozen=True, eq=False)
class PartsPath:
    """Sums over partitions for models on feature vectors: what :class:`PathRows` gives of rows in memory."""

    parts: tuple[Partition, ...]
    work: Workplace
    how: PathOf
    total: float
    most: int  # bytes of an answer
    progress: Progress | None

    def _sum(self, name: str, task: Any, *given: Any) -> list[Array]:
        totals = Totals()
        jobs = [(part, self.how, *given) for part in self.parts]
        for _, found in self.work.run(name, task, jobs, stage(self.progress, name), self.most):
            totals.add(found)
        return totals.arrays()

    def products(self, R: Array | None, start: Array) -> Array:
        """A'A, or Q'Q, added to ``start``."""
        return start + self._sum("add up products", path_products, R)[0]

    def triangle(self, start: Array) -> Array:
        """R of the rows of ``start`` and all rows, in the order of the partitions."""
        R, tell = start, stage(self.progress, "decompose rows")
        jobs, at_a_time = [(part, self.how) for part in self.parts], 2 * self.work.workers
        for begin in range(0, len(jobs), at_a_time):  # so many are held here, however many there are
            found = dict(
                self.work.run("decompose rows", path_triangle, jobs[begin : begin + at_a_time], None, self.most)
            )
            for at in range(len(found)):
                R = np.asarray(np.linalg.qr(np.vstack([R, found[at]]), mode="r"))
            if tell is not None:
                tell((begin + len(found)) / len(jobs))
        return R

    def scores(self, R: Array) -> Array:
        """Q'y."""
        return self._sum("add up answers", path_scores, R)[0]

    def losses(self, R: Array, scores: Array) -> tuple[Array, Array]:
        """Sums of the errors of all rows, each left out."""
        squared, wrong = self._sum("leave rows out", path_losses, R, scores)
        return squared, wrong


def kernel_part(
    part: Partition, loading: Loading, rows_of: RowsOf, view: View, points: Array, width: float
) -> list[Array]:
    """Z'Z, and Z'Y with the classes as indicators, of a partition."""
    table, codes = loading.rows(part)
    rows, m, whitened = (
        rows_of(table),
        len(points),
        Whitened.of(view, points, width),
    )  # its factor is large, and made here
    targets = np.eye(len(loading.classes))[codes]
    products, sums = np.zeros((m, m)), np.zeros((m, targets.shape[1]))
    for at, Z in whitened.blocks(rows):
        products += Z @ Z.T
        sums += Z @ targets[at]
    return [products, sums, targets.sum(axis=0)]


@dataclass(frozen=True, eq=False)
class ViewOf:
    """Rows as coordinates of a view of the rows that a model sees."""

    rows_of: RowsOf
    view: View

    def __call__(self, table: Table) -> Array:
        return self.view.coordinates(self.rows_of(table))


@dataclass(frozen=True, eq=False)
class PartsSums:
    """Sums over partitions for the members of the classifier without choices."""

    schema: Schema
    work: Workplace
    classes: NDArray[Any]
    progress: Progress | None

    def kernel_sums(self, rows_of: RowsOf, whitened: Whitened) -> KernelSums:
        """Sums of kernel coordinates."""
        schema, totals = self.schema, Totals()
        loading = Loading.of(schema, self.classes)
        fixed = (loading, rows_of, whitened.view, whitened.points, whitened.width)
        jobs = [(part, *fixed) for part in schema.source.parts]
        tell = stage(self.progress, f"adding up {whitened.view.how}")
        for _, found in self.work.run("add up products", kernel_part, jobs, tell, schema.sent):
            totals.add(found)
        return KernelSums(*totals.arrays())

    def scatters(self, rows_of: RowsOf, view: View) -> tuple[list[ClassScatter], Array] | None:
        """Of each class in the coordinates of a view, and what was taken off them."""
        if view.n_coordinates > MOST_ADDED:
            return None
        coordinates = ViewOf(rows_of, view)
        places = places_of(self.schema.like, coordinates)
        tell = stage(self.progress, "adding up the plane")
        found = class_scatters(self.schema, self.work, coordinates, places, tell)
        place = {label: at for at, label in enumerate(self.schema.classes.tolist())}
        return [found[place[label]] for label in self.classes.tolist()], places.shift
