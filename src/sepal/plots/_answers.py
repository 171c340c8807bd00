"""Pictures of answers beside the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.exceptions import ParameterError
from sepal.plots._axes import COLORS, SOFT, line_mark, on_axes, quiet_frame, styled

_AS_DARK = 0.179  # lightness of a cell on which black and white are read equally well, at a contrast of 4.6
_POINTS = 160.0  # for the digits of a line of the matrix, so that numbers of neighbours do not touch


def _lightness(color: Any) -> float:
    """Relative luminance of a color, by which contrast is judged (Web Content Accessibility Guidelines)."""
    parts = np.asarray(color[:3], dtype=float)
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@styled
def draw_confusion(counts: ArrayLike, classes: Sequence[str], ax: Any = None) -> Any:
    """How often each class (rows) was answered as each (columns).

    Parameters
    ----------
    counts : array-like of int, shape (n_classes, n_classes)
        The confusion matrix.
    classes : sequence of str
        Their names.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_confusion([[12, 0], [1, 7]], ["no", "yes"], ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['12', '0', '1', '7']
    """
    table = np.asarray(counts)
    if table.shape != (len(classes), len(classes)):
        raise ParameterError(f"counts must be a square with a line for each of {len(classes)} classes")
    ax = on_axes(ax)
    most = max(int(table.max()), 1)
    picture = ax.imshow(table, cmap="Blues", vmin=0, vmax=most)
    cells = picture.cmap(picture.norm(table))
    size = float(np.clip(_POINTS / (len(classes) * len(str(most))), 3.5, 10.0))
    for (i, j), count in np.ndenumerate(table):
        color = "white" if _lightness(cells[i, j]) < _AS_DARK else "black"
        ax.text(j, i, str(count), ha="center", va="center", color=color, fontsize=size)
    places = np.arange(len(classes))
    ax.set(xlabel="classified as", ylabel="class")
    slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if len("".join(classes)) > 40 else {}
    ax.set_xticks(places, classes, **slanted)
    ax.set_yticks(places, classes)
    return ax


@styled
def draw_actual_predicted(actual: NDArray[np.float64], predicted: NDArray[np.float64], ax: Any = None) -> Any:
    """A point per row, and the line on which both agree."""
    ax = on_axes(ax)
    ax.axline((float(actual.mean()),) * 2, slope=1.0, color=SOFT, linewidth=0.8)
    ax.scatter(actual, predicted, s=12, color=COLORS[0])
    ax.set(xlabel="actual", ylabel="predicted")
    quiet_frame(ax)
    return ax


@styled
def draw_reliability(confidence: ArrayLike, right: ArrayLike, counts: ArrayLike, ax: Any = None) -> Any:
    """The share that is right over the mean confidence, larger marks for more rows, and the line of agreement.

    Parameters
    ----------
    confidence, right : array-like
        Of each bin: the mean probability that was promised, and the share that came true.
    counts : array-like of int
        Rows in each bin.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_reliability([0.6, 0.9], [0.5, 0.95], [10, 90], ax=Figure().subplots())
    >>> ax.get_ylabel()
    'share that is right'
    """
    promised, true, many = (np.asarray(values, dtype=np.float64) for values in (confidence, right, counts))
    ax = on_axes(ax)
    ax.axline((0.5, 0.5), slope=1.0, color=SOFT, linewidth=0.8)
    ax.plot(promised, true, color=COLORS[0], linewidth=1.5)
    ax.scatter(promised, true, s=20.0 + 60.0 * many / many.max(), color=COLORS[0], zorder=3)
    ax.set(xlabel="confidence", ylabel="share that is right", xlim=(0.0, 1.02), ylim=(0.0, 1.02))
    quiet_frame(ax)
    return ax


def _counts(truth: ArrayLike, scores: ArrayLike, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of false and of true alarms for every threshold, from none to all; equal scores change together."""
    positive, score = np.asarray(truth, dtype=bool), np.asarray(scores, dtype=np.float64)
    if positive.ndim != 1 or positive.shape != score.shape:
        raise ParameterError(f"{name}: truth and scores must be of one length; got {positive.shape}, {score.shape}")
    if positive.all() or not positive.any():
        raise ParameterError(f"{name}: the truth must hold both classes")
    if not np.isfinite(score).all():
        raise ParameterError(f"{name}: scores must be finite numbers")
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    caught, alarms = np.cumsum(positive[order])[last], np.flatnonzero(last) + 1
    true, false = caught / positive.sum(), (alarms - caught) / (~positive).sum()
    return np.append(0.0, false), np.append(0.0, true)


@styled
def draw_roc(truth: ArrayLike, scores: Mapping[str, ArrayLike], ax: Any = None) -> Any:
    """The receiver operating characteristic (ROC): true against false alarms over all thresholds.

    Parameters
    ----------
    truth : array-like of bool, shape (n,)
        Whether a row is of the class that is looked for.
    scores : mapping of str to array-like, shape (n,)
        For each model how much it takes a row for one of that class.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes
        The legend gives the area under each curve: the probability that a row of the class scores above another.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_roc([0, 0, 1, 1], {"a model": [0.1, 0.4, 0.35, 0.8]}, ax=Figure().subplots())
    >>> ax.get_legend().get_texts()[0].get_text()
    'a model: area 0.750'
    """
    ax = on_axes(ax, (4.6, 4.4))
    ax.axline((0.0, 0.0), slope=1.0, color=SOFT, linewidth=0.8)
    for i, (name, values) in enumerate(scores.items()):
        false, true = _counts(truth, values, name)
        area = float(np.trapezoid(true, false))
        ax.plot(false, true, label=f"{name}: area {area:.3f}", **line_mark(i))
    ax.set(xlabel="share of false alarms", ylabel="share that is found", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    quiet_frame(ax)
    ax.legend(loc="lower right")
    return ax


@styled
def draw_cost_curve(weight: ArrayLike, cost: ArrayLike, trivial: ArrayLike, ax: Any = None) -> Any:
    """A cost curve (Drummond and Holte): the least cost over the weight of misses, and what needs no classifier.

    Parameters
    ----------
    weight : array-like
        The share of the possible cost that misses make up.
    cost, trivial : array-like
        The cost of the best threshold there, and that of one answer for all rows.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_cost_curve([0.0, 0.5, 1.0], [0.0, 0.1, 0.0], [0.0, 0.5, 0.0], ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['without a classifier', 'best threshold']
    """
    ax = on_axes(ax)
    ax.plot(weight, trivial, color=SOFT, linewidth=0.8, linestyle="--", label="without a classifier")
    ax.plot(weight, cost, color=COLORS[0], label="best threshold")
    ax.set(xlabel="weight of misses", ylabel="cost", xlim=(0.0, 1.0), ylim=(0.0, 0.52))
    quiet_frame(ax)
    ax.legend()
    return ax
