"""Leave-one-out of k-NN for all k over rows in partitions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import left_out_together
from sepal.distances import FittedDistance
from sepal.exceptions import ParameterError
from sepal.measures import Prepared
from sepal.neighbors import recall_among
from sepal.parameters import check_whole, checked
from sepal.scale._blocks import RowBlock, block_table, codes_of
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._search import BlockSearch

if TYPE_CHECKING:
    from sepal.learners import LeaveOneOutCurve

_HALF = 26  # bits of a whole number that are added up apart from the others


@checked(*PARTITION_PARAMETERS)
def partitions_loo_curve(ready: Prepared, k_max: int | None = None) -> LeaveOneOutCurve:
    """How good k-NN is for every k, each row left out in turn: as :func:`sepal.leave_one_out_curve`, of partitions.

    Parameters
    ----------
    ready : Prepared
        What :func:`prepare_partitions` made.
    k_max : int, optional
        By default 100, or all rows but one. Each row is left out alone, its copies stay; ``notes`` say so.

    Returns
    -------
    LeaveOneOutCurve

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sepal.scale import prepare_partitions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         _ = Path(folder, f"{i}.csv").write_text("a,class\\n1,x\\n2,x\\n7,y\\n8,y\\n")
    ...     partitions_loo_curve(prepare_partitions(folder), 1).score.tolist()
    [1.0]
    """
    from sepal.learners import MOST_K, curve_of_search  # late: what measures partitions needs no learner

    search = ready.search
    if not isinstance(search, BlockSearch):
        raise ParameterError("ready must be what prepare_partitions made", hint="use sepal.leave_one_out_curve")
    most = ready.n_rows - 1
    k = min(MOST_K, most) if k_max is None else int(check_whole("k_max", k_max, at_most=most))
    curve = curve_of_search(search, ready.codes, ready.classes, lambda: class_order(search, ready.classes), k)
    note = left_out_together(search.table, "rows").note(ready.n_rows)
    notes = (*curve.notes, *recall_among(ready.notes), *(() if note is None else (note,)))
    return replace(curve, notes=notes, plan=ready.plan)


def class_sums(block: RowBlock, fitted: FittedDistance, classes: NDArray[Any], exponent: int) -> list[tuple[int, int]]:
    """Of each class in a block the sum of all coordinates, and that of their squares, as whole numbers.

    No coordinate is larger than 2**exponent.
    """
    table = block_table(block)
    points = fitted.embed(table)
    codes = codes_of(np.asarray(table.y), classes)
    found = []
    for code in range(len(classes)):
        cells = points[codes == code].ravel()
        cells = cells[~np.isnan(cells)]
        found.append((_whole_sum(cells, exponent), _whole_sum(cells**2, 2 * exponent)))
    return found


def _whole_sum(cells: NDArray[np.float64], exponent: int) -> int:
    """In steps of 2**(exponent - 52): exact, so that no order of adding changes it."""
    whole = np.rint(np.ldexp(cells, 52 - exponent)).astype(np.int64)
    return (int((whole >> _HALF).sum()) << _HALF) + int((whole & ((1 << _HALF) - 1)).sum())


def class_order(search: BlockSearch, classes: NDArray[Any]) -> NDArray[np.intp]:
    """A ranking of classes by where their rows lie, for votes that nothing else decides."""
    exponent = max(int(np.frexp(search.part.extent.largest)[1]), -400)
    jobs = [(block, search.fitted, classes, exponent) for block in search.blocks]
    sums = [(0, 0)] * len(classes)
    for _, found in search.work.run("locate classes", class_sums, jobs, None, search.sent):
        sums = [(a + c, b + d) for (a, b), (c, d) in zip(sums, found, strict=True)]
    order = np.empty(len(classes), dtype=np.intp)
    order[sorted(range(len(classes)), key=lambda code: (*sums[code], code))] = np.arange(len(classes))
    return order
