"""Wrongly answered rows with their values, the surest errors first."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from sepal.data import Table, row_cells, row_identifiers
from sepal.evaluation import LINE_WIDTH, Evaluation


def wrong_rows(found: Evaluation, table: Table, most: int) -> list[dict[str, Any]]:
    """The answered rows of ``table`` that are farthest from the truth, ``most`` of them.

    Classes: wrong answers, the most probable ones first. Numbers: the largest differences first.
    """
    answers: list[tuple[Any, Any, float | None]]
    if found.classes is None:
        off = np.abs(found.predicted - found.actual)
        order = np.lexsort((found.rows, -off))[:most]
        answers = [(float(found.actual[i]), float(found.predicted[i]), None) for i in order]
    else:
        wrong = np.flatnonzero(found.actual != found.predicted)
        sure = np.ones(len(wrong)) if found.share is None else found.share[wrong, found.predicted[wrong]]
        order = wrong[np.lexsort((found.rows[wrong], -sure))][:most]
        labels = found.classes.tolist()
        answers = [
            (
                labels[found.actual[i]],
                labels[found.predicted[i]],
                None if found.share is None else float(found.share[i, found.predicted[i]]),
            )
            for i in order
        ]
    return [
        {
            "row": int(found.rows[i]),
            "identifiers": row_identifiers(table, int(found.rows[i])),
            "actual": actual,
            "prediction": prediction,
            "probability": probability,
            "values": row_cells(table, int(found.rows[i])),
        }
        for i, (actual, prediction, probability) in zip(order, answers, strict=True)
    ]


def wrong_rows_text(rows: list[dict[str, Any]], found: Evaluation, width: int | None) -> str:
    """The rows as a block; each has a line with its answer, and lines with its values."""
    if found.classes is None:
        title = f"Farthest from the truth: {len(rows):,} of {found.n_rows:,} rows, counted from 0"
    else:
        n_wrong = found.n_rows - found.n_right
        title = f"Wrong rows: {len(rows):,} of {n_wrong:,}, the surest errors first; rows are counted from 0"
    lines = ["", f"=== {title} ===", ""]
    for each in rows:
        sure = "" if each["probability"] is None else f" ({each['probability']:.0%})"
        named = "".join(f", {name} {_shown(cell)}" for name, cell in each["identifiers"].items())
        lines.append(f"row {each['row']}{named}: {_shown(each['actual'])}, answered {_shown(each['prediction'])}{sure}")
        values = ", ".join(f"{name} {_shown(cell)}" for name, cell in each["values"].items())
        lines += textwrap.wrap(values, width or LINE_WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines) + "\n"


def _shown(cell: Any) -> str:
    if cell is None:
        return "missing"
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
