"""How many rows a model answered as the file itself says, or how far its numbers are from those of the file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import typer

from sepal.cli._output import printable
from sepal.data import plural


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


class NumberErrors:
    """Errors of numbers, added up file by file: R squared and the mean absolute error."""

    def __init__(self, target: str | None) -> None:
        self.target, self._told = target, 0
        self._mean = self._around = self._squares = self._errors = 0.0

    def count(self, predicted: Sequence[Any], truth: Sequence[Any]) -> None:
        """Compare answers with cells of the target; where a cell is no number nothing is compared."""
        told = [(a, b) for a, b in zip(predicted, truth, strict=True) if isinstance(b, (int, float)) and b == b]
        if not told:
            return
        n, mean = len(told), math.fsum(b for _, b in told) / len(told)
        # Squares about the mean of all, from those about the means of the parts.
        apart, total = mean - self._mean, self._told + n
        self._around += math.fsum((b - mean) ** 2 for _, b in told) + apart**2 * self._told * n / total
        self._mean += apart * n / total
        self._squares += math.fsum((a - b) ** 2 for a, b in told)
        self._errors += math.fsum(abs(a - b) for a, b in told)
        self._told = total

    def tell(self) -> None:
        """Say it on stderr, if anything was compared."""
        if not self._told:
            return
        share = f"R squared {1 - self._squares / self._around:.4f}, " if self._around > 0 else ""
        rows = f"{self._told:,} {plural(self._told, 'row')}"
        text = (
            f'{share}mean absolute error {self._errors / self._told:.4g} against the column "{self.target}" of {rows}'
        )
        typer.echo(f"score: {printable(text)}", err=True)


Answers = RightAnswers | NumberErrors


def answers_to(model: Any, target: str | None) -> Answers:
    """What compares the answers of a model with a target: of classes or of numbers."""
    return RightAnswers(target) if hasattr(model, "classes_") else NumberErrors(target)


def _spelled(label: Any) -> str:
    """A label as a text: 1, 1.0 and "1" are the same class."""
    return str(label).removesuffix(".0")
