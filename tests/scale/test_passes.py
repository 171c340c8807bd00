"""How often partitions are read, and by how many workers."""

from __future__ import annotations

import time
from collections import Counter

import distributed

import sepal
from sepal.scale import _sources, measure_partitions, partitioned, sample_table
from sepal.scale._schema import read_schema
from tests.scale.frames import frame


def test_the_first_pass_reads_every_partition_once(cut, here, monkeypatch):
    """Kinds, levels, missing cells, ranges, classes and identifiers of all partitions come from one look at each."""
    table = frame("mixed", 300)
    table.insert(0, "id", range(300))
    seen: Counter[str] = Counter()
    read = _sources.read_partition

    def counted(content, label, *how):
        seen[label] += 1
        return read(content, label, *how)

    monkeypatch.setattr(_sources, "read_partition", counted)
    source = partitioned(cut(table, [50, 120, 30, 100]), "class")
    schema = read_schema(source, here)
    assert seen == {part.label: 1 for part in source.parts}
    assert (schema.n_rows, schema.apart) == (300, ("id",))
    assert schema.n_missing == int(table["x2"].isna().sum())
    assert schema.class_counts.tolist() == table["class"].value_counts().sort_index().tolist()
    assert (schema.like.values[:, schema.like.names.index("x0")].min(), schema.like.levels[1]) == (
        table["x0"].min(),
        ("p", "q", "r"),
    )


def test_the_number_of_workers_changes_no_answer(cut):
    """Exact, sampled and drawn, from 1 and from 3 threads of workers, as from this process and its one."""
    table = frame("whole", 400)
    pattern = cut(table, [90, 110, 40, 160])

    def answers(**where):
        exact = measure_partitions(pattern, exact=True, **where).thornton
        asked = measure_partitions(pattern, n_queries=80, **where).thornton
        drawn = sample_table(pattern, 70, **where)
        found = [(each.score, each.per_class, each.interval, each.z) for each in (exact, asked)]
        return (*found, drawn.rows.tolist(), drawn.table.values.tolist())

    wanted = answers(n_jobs=1)
    how = {"threads_per_worker": 1, "processes": True, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        distributed.LocalCluster(n_workers=3, **how) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        for workers in (3, 1):
            cluster.scale(workers)
            while len(client.nthreads()) != workers:
                time.sleep(0.05)
            assert answers(client=client) == wanted
    assert wanted[0][0] == sepal.thornton_score(table.drop(columns="class"), table["class"])
