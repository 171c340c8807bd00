"""Write the tables."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks._machine import made_on
from benchmarks.statistics._coverage import coverage_table
from benchmarks.statistics._groups import group_table
from benchmarks.statistics._no_choice import no_choice_table
from benchmarks.statistics._null import null_table, power_table

RESULTS = Path(__file__).parent / "results"
TABLES = {
    "null": null_table,
    "power": power_table,
    "coverage": coverage_table,
    "groups": group_table,
    "no-choice": no_choice_table,
}


def main(wanted: list[str]) -> None:
    """Write those tables that are asked for, or all."""
    RESULTS.mkdir(exist_ok=True)
    for name in wanted or TABLES:
        lines = []
        for line in TABLES[name]():
            print(line, flush=True)
            lines.append(line)
        (RESULTS / f"{name}.md").write_text("\n".join([*lines, "", made_on(), ""]), encoding="utf-8")


main(sys.argv[1:])
