"""The lines that make a report again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sepal.data import names

if TYPE_CHECKING:
    from sepal.report._separability_report import SeparabilityReport


MadeFrom = str | Mapping[str, str] | None

_YOURS = "  # with the groups that were given"


def reproducing_lines(report: SeparabilityReport, source: MadeFrom) -> Mapping[str, str]:
    """The Python and shell lines that make this report again; those of ``source`` itself, where it has them."""
    if isinstance(source, Mapping):
        return source
    table, settings = report.table, report.settings
    data = source or table.name or ""
    bundled = data in names()
    target = "" if bundled or table.target is None else table.target
    if bundled:
        load = f"sepal.datasets.load({data!r})"
    elif source is None:
        data, load = "mydata.csv", "X, y"
    elif report.partitions is not None:
        load = repr(source) + (f", {target!r}" if target else "")
    else:
        load = f"sepal.read_table({source!r}" + (f", target={target!r})" if target else ")")
    options, flags = "", ""
    if settings.asked_distance != "auto":
        options, flags = f", distance={settings.asked_distance!r}", f" --distance {settings.asked_distance}"
    if settings.scale != "minmax":
        options += f", scale={settings.scale!r}"
        flags += f" --scale {settings.scale or 'none'}"
    if settings.missing != "distance":
        options, flags = f"{options}, missing={settings.missing!r}", f"{flags} --missing {settings.missing}"
    if report.recall is not None:
        options, flags = f"{options}, method='approximate'", f"{flags} --method approximate"
    if settings.random_state != 0:
        options += f", random_state={settings.random_state!r}"
        flags += f" --seed {settings.random_state}"
    remark = ""
    if settings.n_groups is not None:  # an array that only the caller has
        options, flags, remark = f"{options}, groups=groups", f"{flags} --groups COLUMN", _YOURS
    shell = f"sepal report {shlex.quote(data)}" + (f" --target {shlex.quote(target)}" if target else "") + flags
    return {
        "python": f"import sepal\nreport = sepal.separability({load}{options})\nprint(report){remark}",
        "shell": f"{shell} --out report.html{remark}",
    }
