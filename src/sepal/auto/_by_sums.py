"""Members fitted again to rows in partitions, from sums over the partitions.

A model that was fitted to a sample has chosen its views, points, widths, ridges and weights. What a kernel at a few
points and Fisher's discriminant need of further rows are sums: these members are solved again with the sums over all
rows, by the code that fitted them. Trees, weights and calibration stay those of the sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sepal.auto._classifier import SepalClassifier
from sepal.auto._kernel_member import KernelMember, MemberFit, gaussian
from sepal.auto._linear_member import LinearMember, linear_of
from sepal.auto._stable_fit import stable_fit
from sepal.auto._stream import Whitened, solve_sums
from sepal.data import Table
from sepal.estimators import View
from sepal.kernels import squared_distances
from sepal.measures import ClassScatter

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KernelSums:
    """Sums over all rows with coordinates Z: Z'Z, and of each class the sum of Z and the number of rows."""

    products: Array
    class_sums: Array  # (m, n_classes)
    counts: Array


class AllRows(Protocol):
    """Rows in memory or in partitions over which sums can be taken; classes in the order of the model."""

    def kernel_sums(self, rows_of: RowsOf, whitened: Whitened) -> KernelSums:
        """Sums of kernel coordinates."""

    def scatters(self, rows_of: RowsOf, view: View) -> tuple[list[ClassScatter], Array] | None:
        """Scatter of each class in coordinates of a view, and their offset; None where columns are too many."""


@dataclass(frozen=True, eq=False)
class RowsOf:
    """Rows as the members of a model see them: columns in their order."""

    column_order: tuple[int, ...]

    def __call__(self, table: Table) -> Table:
        return table.select(list(self.column_order))


def refit_by_sums(model: SepalClassifier, sample: Table, rows: AllRows, n_rows: int) -> tuple[str, ...]:
    """Fit what can be fitted by sums to all rows; the model is changed. Returns the names of these members.

    Parameters
    ----------
    model : SepalClassifier
        Fitted to the sample.
    sample : Table
        Rows it was fitted to.
    rows : AllRows
        All rows.
    n_rows : int
        How many they are.
    """
    if model.texts_ is not None:
        return ()
    seen = RowsOf(tuple(model.column_order_.tolist()))
    some = seen(sample.take(np.unique(np.linspace(0, sample.n_rows - 1, 512).astype(np.intp))))
    average, done = model.average_, list[str]()
    kernels, others = list[KernelMember](), list[Any]()
    for member in average.kernels:
        if member.ridge is None or len(member.widths) != 1:
            kernels.append(member)
            continue
        kernels.append(_kernel(member, seen, some, rows))
        done.append(member.name)
    for other in average.others:
        found = _linear(other, seen, rows) if isinstance(other, LinearMember) else None
        others.append(found or other)
        if found is not None:
            done.append(other.name)
    model.average_ = replace(average, kernels=tuple(kernels), others=tuple(others))
    note = (
        f"fitted to all {n_rows:,} rows by sums over partitions: {', '.join(done) or 'nothing'}; all else, the scores "
        f"included, is of a sample of {sample.n_rows:,} rows"
    )
    model.trace_ = replace(model.trace_, notes=(*model.trace_.notes, note))
    return tuple(done)


def _kernel(member: KernelMember, seen: RowsOf, some: Table, rows: AllRows) -> KernelMember:
    whitened = Whitened.of(member.view, member.points, float(member.widths[0]))
    sums = rows.kernel_sums(seen, whitened)
    total = float(sums.counts.sum())
    mean = sums.counts / total
    whole = sums.class_sums.sum(axis=1)
    scores = sums.class_sums - np.outer(whole, mean)
    K = gaussian(squared_distances(member.view.coordinates(some), member.points), whitened.width)

    def fit(least_ridge: float) -> MemberFit:
        ridge = max(float(member.ridge or 0.0), least_ridge)
        solved = solve_sums(whitened, sums.products, whole, scores, mean, total, ridge)
        said = solved.fit_of(K)
        return MemberFit(solved.member, said, said)

    return stable_fit(fit, some)[0].member


def _linear(member: LinearMember, seen: RowsOf, rows: AllRows) -> LinearMember | None:
    found = rows.scatters(seen, member.view)
    if found is None:
        return None
    scatters, shift = found
    counts = np.array([each.count for each in scatters], dtype=np.float64)
    means = np.array([each.mean for each in scatters]) + shift
    scatter = np.sum([each.rest.T @ each.rest for each in scatters], axis=0)
    return linear_of(member.view, counts, means, scatter, member.ridge)
