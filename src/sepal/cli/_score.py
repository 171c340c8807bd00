"""How many rows a model answered as the file itself says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from sepal.cli._output import printable


class RightAnswers:
    """Right answers, counted file by file."""

    def __init__(self, target: str | None) -> None:
        self.target, self._right, self._told = target, 0, 0

    def count(self, predicted: Sequence[Any], truth: Sequence[Any]) -> None:
        """Compare answers with cells of the target; where a cell is missing nothing is compared."""
        told = [(_spelled(a), _spelled(b)) for a, b in zip(predicted, truth, strict=True) if b is not None]
        self._right += sum(answer == label for answer, label in told)
        self._told += len(told)

    def tell(self) -> None:
        """Say it on stderr, if anything was compared."""
        if self._told:
            share = f"({self._right / self._told:.1%})"
            text = f'{self._right:,} of {self._told:,} rows as the column "{self.target}" says {share}'
            typer.echo(f"score: {printable(text)}", err=True)


def _spelled(label: Any) -> str:
    """A label as a text: 1, 1.0 and "1" are the same class."""
    return str(label).removesuffix(".0")
