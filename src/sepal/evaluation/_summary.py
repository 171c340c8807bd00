"""The evaluation as the text Weka's users know, column for column, and a block of what it leaves out."""

from __future__ import annotations

import textwrap
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

import numpy as np

from sepal.evaluation._class_scores import CLASS_COLUMNS
from sepal.evaluation._costs import bayes_threshold

if TYPE_CHECKING:
    from sepal.evaluation._evaluation import Evaluation

_WIDTHS = (9, 9, 11, 9, 11, 9, 10, 10)
_INDENT = 17
MOST_NAMED_COLUMNS = 12
LINE_WIDTH, _NARROWEST = 100, 30  # of running text
_LONGEST = 1e15  # from here on a number is told with its exponent


def summary_text(evaluation: Evaluation, width: int | None = None) -> str:
    """All blocks, one after the other; running text in lines of this width."""
    heading = (
        "Stratified cross-validation"
        if evaluation.task == "classification" and evaluation.test_mode.endswith("fold cross-validation")
        else evaluation.test_mode[:1].upper() + evaluation.test_mode[1:]
    )
    blocks = ["=== Run information ===\n", run_information(evaluation, width)]
    blocks += [f"=== {heading} ===\n=== Summary ===\n", _summary_block(evaluation)]
    if evaluation.classes is not None:
        blocks += ["=== Detailed Accuracy By Class ===\n", _class_block(evaluation)]
        blocks += ["=== Confusion Matrix ===\n", _confusion_block(evaluation)]
        blocks += ["=== How sure ===\n", _sure_block(evaluation)]
    if evaluation.recall is not None:
        found = f"{evaluation.recall:.1%} of the 10 nearest are found (recall, the least of all folds)"
        blocks += ["=== Approximate neighbours ===\n", found + "\n"]
    if evaluation.costs is not None:
        blocks += ["=== Costs ===\n", _cost_block(evaluation)]
    return "\n".join(blocks)


def run_information(evaluation: Evaluation, width: int | None = None) -> str:
    """What was asked: the learner with all its parameters, the data, how rows were held out, and who did it."""
    from sepal import __version__

    *features, target = evaluation.columns
    first = ", ".join(features[:MOST_NAMED_COLUMNS])
    more = f", ... ({len(features):,} columns)" if len(features) > MOST_NAMED_COLUMNS else ""
    n_rows = int(evaluation.fold_sizes.sum(axis=1).max(initial=evaluation.n_rows))
    train, asked = evaluation.fold_sizes[0]
    parts = f": {train:,} to train on, {asked:,} to answer" if len(evaluation.fold_sizes) == 1 else ""
    seed = "" if evaluation.random_state is None else f", seed {evaluation.random_state}"
    lines = [
        ("Learner", evaluation.scheme),
        ("Parameters", ", ".join(f"{name}={value}" for name, value in evaluation.parameters.items())),
        ("Data", f"{evaluation.data}, {n_rows:,} rows{parts}"),
        ("Columns", first + more),
        ("Target", target),
        ("Test mode", evaluation.test_mode + seed),
        ("Version", f"sepal {__version__}"),
    ]
    wide = max(_NARROWEST, min(width or LINE_WIDTH, LINE_WIDTH))
    return "".join(
        textwrap.fill(text, wide, initial_indent=f"{word + ':':<14}", subsequent_indent=" " * 14) + "\n"
        for word, text in lines
        if text
    )


def number(value: float) -> str:
    """Twelve characters with the point in a fixed place, four decimals, no trailing zeros."""
    if np.isnan(value):
        return f"{'?':>7}     "
    if abs(value) >= _LONGEST:
        return f"{value:<12.6g}"
    # Halves go up, as Java prints them: 72.65625 is 72.6563.
    rounded = Decimal(value).quantize(Decimal("0.0001"), ROUND_HALF_UP)
    whole, _, decimals = f"{rounded:f}".partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole:>7}" + (f".{decimals:<4}" if decimals else " " * 5)


def _line(label: str, value: float, percent: bool = False) -> str:
    return f"{label:<35}{number(value)}" + (" %" if percent else "")


def _summary_block(evaluation: Evaluation) -> str:
    errors = evaluation.errors
    lines = []
    if evaluation.classes is None:
        lines.append(_line("Correlation coefficient", evaluation.correlation))
    else:
        wrong = evaluation.n_rows - evaluation.n_right
        for label, count in (("Correctly", evaluation.n_right), ("Incorrectly", wrong)):
            share = number(100.0 * count / evaluation.n_rows)
            lines.append(f"{_line(f'{label} Classified Instances', count)}     {share} %")
        lines.append(_line("Kappa statistic", evaluation.kappa))
    lines += [
        _line("Mean absolute error", errors["mae"]),
        _line("Root mean squared error", errors["rmse"]),
        _line("Relative absolute error", 100.0 * errors["rae"], percent=True),
        _line("Root relative squared error", 100.0 * errors["rrse"], percent=True),
        _line("Total Number of Instances", evaluation.n_rows),
    ]
    return "\n".join(lines) + "\n"


def _cells(values: list[float]) -> str:
    texts = ("?" if np.isnan(value) else f"{value:.3f}" for value in values)
    return "".join(f"{text:<{width}}" for text, width in zip(texts, _WIDTHS, strict=True))


def _class_block(evaluation: Evaluation) -> str:
    head = "".join(f"{name:<{width}}" for name, width in zip(CLASS_COLUMNS, _WIDTHS, strict=True))
    lines = [" " * _INDENT + head + "Class"]
    sizes = evaluation.confusion.sum(axis=1)
    means = []
    for name in CLASS_COLUMNS:
        column = np.array(evaluation.by_class[name])
        used = sizes > 0  # a class without rows adds nothing
        means.append(float(np.sum(column[used] * sizes[used]) / sizes.sum()))
    for c, label in enumerate(np.asarray(evaluation.classes).tolist()):
        lines.append(" " * _INDENT + _cells([evaluation.by_class[name][c] for name in CLASS_COLUMNS]) + str(label))
    lines.append("Weighted Avg.".ljust(_INDENT) + _cells(means))
    return "\n".join(lines) + "\n"


def letters(c: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    text = chr(ord("a") + c % 26)
    return text if c < 26 else letters(c // 26 - 1) + text


def _confusion_block(evaluation: Evaluation) -> str:
    matrix = evaluation.confusion
    labels = np.asarray(evaluation.classes).tolist()
    width = max(len(str(matrix.max())), len(letters(len(labels) - 1)))
    lines = ["".join(f" {letters(c):>{width}}" for c in range(len(labels))) + "   <-- classified as"]
    for c, label in enumerate(labels):
        counts = "".join(f" {count:>{width}}" for count in matrix[c])
        lines.append(f"{counts} | {letters(c):>{width}} = {label}")
    return "\n".join(lines) + "\n"


def _sure_block(evaluation: Evaluation) -> str:
    low, high = evaluation.interval()
    lines = [
        _line("Balanced accuracy", 100.0 * evaluation.balanced_accuracy, percent=True),
        _line("Accuracy, 95 % interval from", 100.0 * low, percent=True),
        _line("                          to", 100.0 * high, percent=True),
        _line("Always the largest class", 100.0 * evaluation.majority_rate, percent=True),
    ]
    if evaluation.accuracy <= evaluation.majority_rate:
        lines.append("This is no better than always answering the largest class.")
    return "\n".join(lines) + "\n"


def _cost_block(evaluation: Evaluation) -> str:
    """Costs per row, of these answers and of the cheapest without a learner, and the threshold of two classes."""
    matrix, labels = np.asarray(evaluation.costs), [str(label) for label in np.asarray(evaluation.classes).tolist()]
    lines = [
        _line("Mean cost of a row", evaluation.mean_cost()),
        _line("Of the cheapest single answer", evaluation.majority.mean_cost()),
    ]
    if len(labels) == 2 and not np.any(np.diag(matrix)) and matrix.sum() > 0:
        limit = bayes_threshold(float(matrix[0, 1]), float(matrix[1, 0]))
        lines.append(f"{labels[1]} is answered where its probability is above {limit:.4g}.")
    for c, label in enumerate(labels):
        wrong = ", ".join(f"{matrix[c, j]:g} as {labels[j]}" for j in range(len(labels)) if j != c)
        lines.append(f"A row of {label} costs {wrong}." if len(labels) <= 12 else "")
    return "\n".join(line for line in lines if line) + "\n"
