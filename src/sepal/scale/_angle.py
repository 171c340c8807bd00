"""The angle of separability, Mahalanobis distances and Hotelling's test of rows in partitions, by sums over all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName, Table, fit_scaling
from sepal.exceptions import DataError
from sepal.measures import ANGLE_PARAMETERS, ClassScatter, SeparabilityAngle, angle_of_scatters, numbers_of
from sepal.parameters import checked
from sepal.progress import Progress, stage
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._pass_plan import PassPlan, adding_step
from sepal.scale._products import class_scatters, places_of
from sepal.scale._schema import Schema, read_schema
from sepal.scale._sources import partitioned
from sepal.scale._work import Workplace, place_of_work

_NOT_SHUFFLED = "rows in partitions are added up, not shuffled: there is no permutation test"


def angle_numbers(table: Table) -> NDArray[np.float64]:
    """Rows as the angle sees them: nominal columns as 0 and 1."""
    return numbers_of(table, "keep").values


def angle_of_parts(
    schema: Schema,
    work: Workplace,
    *,
    kappa: float = 1.0,
    pooled: Any = "all",
    confidence: float = 0.95,
    scale: ScaleName | None = None,
    say: Callable[[PassPlan], object] | None = None,
    progress: Progress | None = None,
) -> SeparabilityAngle:
    """The angle of all rows of partitions whose columns are known; missing cells must have been dropped."""
    if schema.lost:
        raise DataError(f"class {schema.lost[0]!s} has no complete row", hint="fill its missing cells first")
    places = places_of(schema.like, angle_numbers)
    plan = PassPlan.of(schema, work, (adding_step(schema, work, "products of columns are added up in one pass"),))
    if say is not None:
        say(plan)
    scatters = class_scatters(schema, work, angle_numbers, places, stage(progress, "adding up products"))
    shift = places.shift
    if scale is not None:
        scatters, shift = _scaled(schema, scatters, shift, scale)
    coded = numbers_of(schema.like, "keep").notes
    notes = (*schema.notes, *coded, _NOT_SHUFFLED)
    found = angle_of_scatters(
        scatters, shift, schema.classes, kappa=kappa, pooled=pooled, confidence=confidence, scale=scale, notes=notes
    )
    return replace(found, plan=plan)


def _scaled(
    schema: Schema, scatters: list[ClassScatter], shift: NDArray[np.float64], scale: ScaleName
) -> tuple[list[ClassScatter], NDArray[np.float64]]:
    """The same of columns that were brought to one size first."""
    numbers = numbers_of(schema.like, "keep")
    kinds = [schema.like.kinds[j] for j in numbers.column_of]
    fitted = fit_scaling(numbers.values, ["numeric" if kind == "nominal" else kind for kind in kinds], "minmax")
    offset, divisor = fitted.offset, fitted.divisor
    if scale == "standard":
        n = np.array([each.count for each in scatters])
        means = np.array([each.mean for each in scatters])
        mean = n @ means / n.sum()
        squares = sum(np.sum(each.rest**2, axis=0) for each in scatters) + n @ (means - mean) ** 2
        varies = [j for j in range(len(divisor)) if j not in fitted.constant]
        offset, divisor = offset.copy(), divisor.copy()
        offset[varies], divisor[varies] = (mean + shift)[varies], np.sqrt(squares / n.sum())[varies]
    moved = [each.times(1.0 / divisor) for each in scatters]
    return moved, (shift - offset) / divisor


@checked(*PARTITION_PARAMETERS, *ANGLE_PARAMETERS)
def angle_partitions(
    source: Any,
    y: Any = None,
    *,
    target: str | int | None = None,
    kappa: float = 1.0,
    scale: ScaleName | None = None,
    pooled: Any = "all",
    confidence: float = 0.95,
    client: Any = None,
    cluster: str | None = None,
    workers: int | None = None,
    n_jobs: int | None = None,
    say: Callable[[PassPlan], object] | None = None,
    progress: Progress | None = None,
) -> SeparabilityAngle:
    """The angle of separability, Mahalanobis distances and their tests of all rows in partitions, in one pass.

    Products of columns are added up exactly: the answer is the same to the last bit however the rows are cut into
    files, in which order these come and how many workers add; and it is that of
    :func:`sepal.measures.angle_of_separability` but for rounding. Rows with missing cells are left out.

    Parameters
    ----------
    source, y, target
        As in :func:`partitioned`.
    kappa, scale, pooled, confidence
        As in :func:`sepal.measures.angle_of_separability`.
    client, cluster, workers, n_jobs, say, progress
        As in :func:`measure_partitions`.

    Returns
    -------
    SeparabilityAngle
        Without a permutation test, which needs the rows themselves.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "0.csv").write_text("a,class\\n0,x\\n2,x\\n")
    ...     _ = Path(folder, "1.csv").write_text("a,class\\n2,y\\n4,y\\n")
    ...     angle = angle_partitions(folder)
    >>> round(angle.mahalanobis ** 2, 12), round(angle.degrees, 3)  # S = 2, d = 2
    (2.0, 26.565)
    """
    given = partitioned(source, y, target=target)
    with place_of_work(client, cluster, workers, n_jobs) as work:
        schema = read_schema(given, work, "drop", stage(progress, "reading columns"))
        if len(schema.classes) + len(schema.lost) < 2:
            raise DataError(f"target: expected at least two classes, found {len(schema.classes)}")
        return angle_of_parts(
            schema, work, kappa=kappa, pooled=pooled, confidence=confidence, scale=scale, say=say, progress=progress
        )
