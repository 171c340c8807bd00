"""Subset sweeps and searches whose candidates are scored on workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sepal.parameters import checked
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._work import OnCluster, place_of_work
from sepal.selection import scored_by


@checked(*PARTITION_PARAMETERS)
@contextmanager
def spread_subsets(client: Any = None, *, cluster: str | None = None, workers: int | None = None) -> Iterator[None]:
    """Within it, sweeps and searches over subsets of columns score their candidates on workers.

    :func:`sepal.selection.subset_sweep`, :func:`sepal.selection.search_subsets`, ``SeparabilitySelector`` and whatever
    uses them find the same subsets as on one process. The rows are sent for every batch, and may take 8 MB.

    Parameters
    ----------
    client, cluster, workers
        As in :func:`measure_partitions`; without any of them the active client, else this process.

    Yields
    ------
    None
        It is for a ``with`` block; what is found is found inside it.

    Examples
    --------
    >>> import sepal
    >>> from sepal.selection import subset_sweep
    >>> with spread_subsets():
    ...     subset_sweep(sepal.datasets.load("athletes")).best.features
    ('speed', 'agility')
    """
    with place_of_work(client, cluster, workers) as work:
        if not isinstance(work, OnCluster):
            yield
            return
        with scored_by(work):
            yield
