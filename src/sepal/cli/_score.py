"""How many rows a model answered as the file itself says, or how far its numbers are from those of the file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import typer

from sepal.cli._output import printable
from sepal.data import far_unit, plural, same_labels, shown


class RightAnswers:
    """Right answers, counted file by file; a label that is no class of the model is no right answer to any row."""

    def __init__(self, target: str | None, classes: Sequence[Any]) -> None:
        self.target, self.like, self._right, self._told = target, classes, 0, 0
        self._known, self._example = False, ""

    def count(self, predicted: Sequence[Any], truth: Sequence[Any]) -> None:
        """Compare answers with cells of the target; where a cell is missing nothing is compared."""
        told = [(a, b) for a, b in zip(predicted, truth, strict=True) if b is not None]
        meant = same_labels((label for _, label in told), self.like, target=True)
        self._right += sum(label in meant and meant[label] == answer for answer, label in told)
        self._known = self._known or bool(meant)
        self._example = self._example or (shown(told[0][1]) if told else "")
        self._told += len(told)

    def tell(self) -> None:
        """Say it on stderr, if anything was compared."""
        if self._told and not self._known:
            classes = ", ".join(map(shown, self.like[:3])) + (", ..." if len(self.like) > 3 else "")
            text = f'the column "{self.target}" holds labels such as {self._example}, and none is a class of the model'
            typer.echo(f"note: no score: {printable(text)} ({printable(classes)})", err=True)
        elif self._told:
            share = f"({self._right / self._told:.1%})"
            text = f'{self._right:,} of {self._told:,} rows as the column "{self.target}" says {share}'
            typer.echo(f"score: {printable(text)}", err=True)


class NumberErrors:
    """Errors of numbers, added up file by file: R squared and the mean absolute error."""

    like = None  # no classes

    def __init__(self, target: str | None) -> None:
        self.target, self._told, self._strange = target, 0, ""
        self._unit = 1.0  # in which squares of the first numbers are numbers too
        self._mean = self._around = self._squares = self._errors = 0.0

    def count(self, predicted: Sequence[Any], truth: Sequence[Any]) -> None:
        """Compare answers with cells of the target; where a cell is no number nothing is compared."""
        told = [(a, b) for a, b in zip(predicted, truth, strict=True) if isinstance(b, (int, float)) and b == b]
        strange = next((b for b in truth if isinstance(b, str)), None)
        self._strange = self._strange or ("" if strange is None else shown(strange))
        if not told:
            return
        self._unit = self._unit if self._told else far_unit(np.array(told, dtype=np.float64))
        told = [(a * self._unit, b * self._unit) for a, b in told]
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
            if self._strange:
                text = f'the column "{self.target}" holds texts such as {self._strange}, and the model predicts numbers'
                typer.echo(f"note: no score: {printable(text)}", err=True)
            return
        share = f"R squared {1 - self._squares / self._around:.4f}, " if self._around > 0 else ""
        rows = f"{self._told:,} {plural(self._told, 'row')}"
        text = (
            f"{share}mean absolute error {self._errors / self._told / self._unit:.4g} "
            f'against the column "{self.target}" of {rows}'
        )
        typer.echo(f"score: {printable(text)}", err=True)


Answers = RightAnswers | NumberErrors


def answers_to(model: Any, target: str | None) -> Answers:
    """What compares the answers of a model with a target: of classes or of numbers."""
    return RightAnswers(target, model.classes_.tolist()) if hasattr(model, "classes_") else NumberErrors(target)
