"""The lines that make an answer again: the words of the command that were said, and the same in Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import typer

from sepal.cli._partitions import in_partitions
from sepal.cli._reading import Reading
from sepal.data import names

_PAGE = "report.html"
# Options that change no number, and the two that are named in another way.
_ELSEWHERE = ("data", "target", "out", "as_json", "jobs")
# What only the command can be told of rows in partitions.
_OF_PARTITIONS = ("exact", "sample", "cluster", "workers")
_USUAL = {
    "distance": "auto",
    "scale": "minmax",
    "missing": "distance",
    "method": "auto",
    "random_state": 0,
    "time_limit": None,
}


def report_again(
    ctx: typer.Context,
    target: str | None,
    reading: Reading,
    groups: str | None,
    how: Mapping[str, Any],
) -> dict[str, str]:
    """The shell and Python lines of a report; ``target`` is the column that was found to hold the classes."""
    data = str(ctx.params["data"])
    named = None if data in names() else target
    return {"shell": _shell(ctx, data, named), "python": _python(ctx, data, named, reading, groups, how)}


def said_options(ctx: typer.Context) -> dict[str, list[str]]:
    """The options that were given, by their names in Python, as the words of a command line."""
    found: dict[str, list[str]] = {}
    for option in ctx.command.params:
        name = str(option.name)
        source = ctx.get_parameter_source(name)
        if name in _ELSEWHERE or source is None or source.name != "COMMANDLINE":
            continue
        value, word = ctx.params[name], max(option.opts, key=len)
        if getattr(option, "is_flag", False):
            found[name] = [word if value else max(option.secondary_opts, key=len)]
        else:
            values = value if isinstance(value, (list, tuple)) else [value]
            found[name] = [part for each in values for part in (word, str(getattr(each, "value", each)))]
    return found


def _shell(ctx: typer.Context, data: str, target: str | None) -> str:
    words = ["sepal", str(ctx.info_name), data, *(["--target", target] if target else [])]
    words += [word for option in said_options(ctx).values() for word in option]
    return shlex.join([*words, "--out", _PAGE])


def _python(
    ctx: typer.Context, data: str, target: str | None, reading: Reading, groups: str | None, how: Mapping[str, Any]
) -> str:
    chosen = [f"{name}={how[name]!r}" for name, usual in _USUAL.items() if how.get(name, usual) != usual]
    rows, imports = _rows(data, target, reading.keeping(groups)), "import sepal"
    if data == "-":
        imports = "import io\nimport sys\nimport sepal"
    begin = ""
    if groups is not None:
        begin = f"table = {rows}.set_apart([{groups!r}])\n"
        rows, chosen = "table", [f"groups=sepal.data.group_labels(table, {groups!r})", *chosen]
    said = said_options(ctx)
    left_out = [shlex.join(said[name]) for name in _OF_PARTITIONS if name in said]
    remark = f"  # without {' '.join(left_out)}, which only the command knows" if left_out else ""
    return f"{imports}\n{begin}report = sepal.separability({', '.join([rows, *chosen])})\nprint(report){remark}"


def _rows(data: str, target: str | None, reading: Reading) -> str:
    """The rows as Python reads them."""
    task = "" if reading.task is None else f".with_task({reading.task.value!r})"
    if data in names():
        return f"sepal.datasets.load({data!r}){task}"
    told = {"target": target or None, **reading.arguments()}
    if told["missing_target"] == "error":
        del told["missing_target"]
    words = "".join(f", {name}={value!r}" for name, value in told.items() if value)
    if in_partitions(data):
        return f"sepal.scale.partitioned({data!r}{words})"
    # Bytes without a name are called as the command calls them.
    given = "io.BytesIO(sys.stdin.buffer.read())" if data == "-" else repr(data)
    return f"sepal.read_table({given}{words}){task}"
