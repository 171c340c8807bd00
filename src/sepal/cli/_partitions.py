"""DATA that is a folder or a pattern of file names: rows in partitions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import typer

from sepal.cli._reading import Reading
from sepal.data import Table, names, names_partitions
from sepal.exceptions import ParameterError


def in_partitions(data: str) -> bool:
    """Whether DATA is a folder or a pattern; nothing is imported for the name of a set or a file."""
    return data != "-" and data not in names() and names_partitions(data)


def partitions_given(data: str, target: str | None, reading: Reading) -> Any:
    """The partitions a user means."""
    from sepal.scale import partitioned

    if reading.task is not None:
        raise ParameterError("--task is for one file; the target of rows in partitions holds classes")
    place: Any = int(target) if target is not None and target.removeprefix("-").isdecimal() else target
    return partitioned(data, target=place, **reading.arguments())


def asked(exact: bool | None, sample: int | None, cluster: str | None, workers: int | None) -> dict[str, Any]:
    """What the options about partitions say, and that the plan is told before the work."""
    if exact and sample is not None:
        raise ParameterError("--exact lets every row ask; leave out --sample")
    return {"exact": exact, "n_queries": sample, **place_asked(cluster, workers), "say": tell_plan}


def place_asked(cluster: str | None, workers: int | None) -> dict[str, Any]:
    """Where the work is to be done."""
    if cluster is not None and workers is not None:
        raise ParameterError("--cluster is one that is there, --workers starts one; give one of them")
    if cluster is not None and not cluster.rpartition(":")[2].strip("/").isdecimal():
        raise ParameterError(f"--cluster {cluster}: expected an address with a port", hint="tcp://host:8786")
    return {"cluster": cluster, "workers": workers}


def subsets_spread(where: dict[str, Any]) -> AbstractContextManager[None]:
    """Within it, workers score the subsets of columns, where there are to be any."""
    if all(value is None for value in where.values()):
        return nullcontext()
    from sepal.scale import spread_subsets

    return spread_subsets(**where)


def refuse_for_one_file(
    exact: bool | None = None,
    sample: int | None = None,
    cluster: str | None = None,
    workers: int | None = None,
) -> None:
    """Options about partitions mean nothing for one file."""
    given = {"--exact": exact, "--sample": sample, "--cluster": cluster, "--workers": workers}
    said = next((name for name, value in given.items() if value is not None), None)
    if said is not None:
        raise ParameterError(
            f"{said} is for rows in partitions", hint="give a folder, or a pattern in quotes: 'part-*.csv'"
        )


def tell_plan(plan: Any) -> None:
    """The plan, on stderr."""
    typer.echo(str(plan), err=True)


def plan_facts(found: Any) -> dict[str, Any]:
    """What JSON says of rows in partitions, of anything that has a plan: exact, rows seen of how many, and the plan."""
    plan = found.plan
    return {
        "n_partitions": plan.n_partitions,
        "n_rows": plan.n_rows,
        "exact": found.exact,
        "rows_seen": found.rows_seen,
        "plan": str(plan),
    }


Hear = Callable[[Any], object]


def sample_given(
    data: str, target: str | None, reading: Reading, where: dict[str, Any], hear: Hear | None = None
) -> Table:
    """Rows of partitions brought together to learn from: all, or a stratified sample, which is said."""
    from sepal.scale import LEARNT_FROM, sample_table

    drawn = sample_table(partitions_given(data, target, reading), LEARNT_FROM, say=tell_plan, **where)
    if hear is not None:
        hear(drawn)
    if drawn.table.n_rows < drawn.n_rows:
        typer.echo(f"note: {drawn.table.notes[-1]}", err=True)
    return drawn.table
