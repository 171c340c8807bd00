"""A local cluster of two worker processes, started once; and tables cut into files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import distributed
import pandas as pd
import pytest

from sepal.scale import place_of_work


def local_cluster() -> distributed.LocalCluster:
    return distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )


@pytest.fixture(scope="session")
def client() -> Iterator[distributed.Client]:
    with local_cluster() as cluster, distributed.Client(cluster, set_as_default=False) as found:
        yield found


@pytest.fixture
def here():
    with place_of_work(n_jobs=1) as work:
        yield work


@pytest.fixture
def there(client):
    with place_of_work(client=client) as work:
        yield work


@pytest.fixture
def cut(tmp_path: Path) -> Callable[..., str]:
    """Write a frame into files of these sizes, and give the pattern of their names."""

    def write(table: pd.DataFrame, sizes: list[int], ending: str = "csv") -> str:
        assert sum(sizes) == len(table)
        folder = tmp_path / f"{ending}-{len(sizes)}-{sizes[0]}"
        folder.mkdir()
        at = 0
        for i, size in enumerate(sizes):
            part = table.iloc[at : at + size]
            path = folder / f"part-{i:03}.{ending}"
            if ending == "parquet":
                part.to_parquet(path, index=False, row_group_size=max(1, size // 2))
            else:
                part.to_csv(path, index=False)
            at += size
        return f"{folder}/*.{ending}"

    return write
