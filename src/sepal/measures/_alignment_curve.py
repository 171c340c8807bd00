"""Alignment against the width of the kernel: the width without search, and a score for features."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.data import (
    ScaleName,
    Table,
    as_table,
    class_codes,
    complete_part,
    data_frame,
    first_missing,
    fit_scaling,
    frame_html,
    refuse_texts,
)
from sepal.exceptions import DataError, ParameterError
from sepal.kernels import KERNELS
from sepal.measures._alignment import (
    Array,
    ClassTarget,
    PairRows,
    Target,
    alignment_solve,
    class_target,
    pair_rows,
    pair_sums,
    row_weights,
)
from sepal.measures._prepared import dropped_before, settled
from sepal.neighbors import thread_count
from sepal.parameters import Parameter, checked
from sepal.progress import Progress, Share, stage

# Widths are the root of the mean squared distance times 2^(-6) to 2^4, in steps of a quarter octave. Gamma then
# doubles with every other step, so that two exponentials per pair serve all 41.
_AUTO_STEPS = np.arange(-24, 17) / 4.0
CURVE_KERNELS = ("laplacian", "mixed", "rbf")


@dataclass(frozen=True, eq=False)
class AlignmentCurve:
    """Alignment of a kernel with the classes, by width.

    Attributes
    ----------
    widths, scores : ndarray
        The grid, ascending, and the alignment there.
    best_width, best_score : float
        The peak: between the grid points, where the derivative is 0.
    at_edge : bool
        Whether the best width is the first or last of the grid, so that a better one may lie beyond.
    kernel : str
    centered : bool
    target : str
    n_rows : int
    notes : tuple of str
        What a reader should know.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> curve = sepal.alignment_curve(table)
    >>> round(curve.best_width, 2), round(curve.best_score, 2)
    (0.79, 0.59)
    """

    widths: Array
    scores: Array
    best_width: float
    best_score: float
    at_edge: bool
    kernel: str
    centered: bool
    target: str
    n_rows: int
    notes: tuple[str, ...] = ()

    @property
    def best_gamma(self) -> float:
        """The gamma of the best width."""
        return _gamma_of(self.kernel)(self.best_width)

    def frame(self) -> Any:
        """One line per width."""
        gammas = [_gamma_of(self.kernel)(width) for width in self.widths]
        return data_frame({"width": self.widths, "gamma": gammas, "alignment": self.scores})

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw alignment against width; returns the matplotlib axes.

        Curves of several subsets go into one picture by giving each its ``label`` and the axes of the first.
        """
        from sepal.plots import draw_alignment

        curve = (label, self.widths, self.scores, self.best_width, self.best_score)
        return draw_alignment([curve], self._label(), ax=ax)

    def _label(self) -> str:
        return "centred alignment" if self.centered else "alignment"

    def __repr__(self) -> str:
        return (
            f"<AlignmentCurve {self.kernel}: {self._label()} {self.best_score:.4f} at width {self.best_width:.4g}, "
            f"{len(self.widths)} widths, {self.n_rows} rows>"
        )

    def _repr_html_(self) -> str:
        return frame_html(self)


def _gamma_of(kernel: str) -> Callable[[float], float]:
    of_width = KERNELS[kernel].gamma_of_width
    assert of_width is not None  # noqa: S101 - all of CURVE_KERNELS have one
    return of_width


def kernel_points(table: Table, kernel: str, scale: ScaleName | None, weights: Array | None = None) -> Array:
    """Coordinates whose (squared or absolute) differences the kernel exponentiates. Complete rows only."""
    if kernel not in CURVE_KERNELS:
        raise ParameterError(f"kernel must be one of {', '.join(CURVE_KERNELS)}, which have a width; got {kernel!r}")
    refuse_texts(table, "alignment is of numbers and names")
    if table.has_missing:
        raise DataError(
            f"{first_missing(table)}; alignment needs complete rows",
            hint='use missing="drop" to leave such rows out',
        )
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    if nominal.any() and kernel != "mixed":
        name = table.names[int(np.flatnonzero(nominal)[0])]
        raise DataError(
            f"column {name!r} is nominal, and the kernel {kernel!r} compares numbers only", hint='use kernel="mixed"'
        )
    scaling = fit_scaling(table.values, table.kinds, scale, levels=table.levels, weights=weights)
    scaled = scaling.apply(table.values)
    if not nominal.any():
        return scaled
    # Two different levels are at squared distance 1: one coordinate of sqrt(1/2) per level.
    one_hot = [(table.values[:, [j]] == np.unique(table.values[:, j])) * np.sqrt(0.5) for j in np.flatnonzero(nominal)]
    return np.ascontiguousarray(np.hstack([scaled[:, ~nominal], *one_hot]))


def labelled_pairs(
    X: Any,
    y: Any,
    *,
    kernel: str,
    scale: ScaleName | None,
    missing: Literal["error", "drop"],
    sample_weight: ArrayLike | None = None,
) -> tuple[PairRows, int, tuple[str, ...]]:
    """The rows as the native pass reads them, how many there were, and notes."""
    if missing not in ("error", "drop"):
        raise ParameterError(f"missing must be 'error' or 'drop'; got {missing!r}")
    table = as_table(X, y)
    weights = row_weights(sample_weight, table.n_rows)
    keep = weights > 0
    notes = dropped_before(X)
    if missing == "drop" and table.has_missing:
        keep &= table.complete_rows
        notes = (*notes, *complete_part(table)[2])
    if not keep.all():
        table, weights = table.take(keep), weights[keep]
    codes, classes = class_codes(table)
    points = kernel_points(table, kernel, scale, weights)
    rows = pair_rows(points, codes, weights, len(classes), absolute=kernel == "laplacian")
    if rows.mean_distance == 0.0:
        raise DataError("all rows are equal: every kernel is constant, and no width aligns it with the classes")
    return rows, table.n_rows, notes


def _grid(widths: Any, kernel: str, rows: PairRows) -> Array:
    if isinstance(widths, str):
        if widths != "auto":
            raise ParameterError(f"widths must be 'auto' or positive numbers; got {widths!r}")
        scale = rows.mean_distance if kernel == "laplacian" else np.sqrt(rows.mean_distance)
        return np.asarray(scale * 2.0**_AUTO_STEPS)
    try:
        grid = np.unique(np.atleast_1d(np.asarray(widths, dtype=np.float64)))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"widths must be 'auto' or positive finite numbers; got {widths!r}") from error
    if grid.ndim != 1 or grid.size == 0 or not np.all((grid > 0) & np.isfinite(grid)):
        raise ParameterError(f"widths must be 'auto' or positive finite numbers; got {widths!r}")
    return grid


def _gammas(widths: NDArray[np.float64], kernel: str) -> Array:
    """Gammas that double exactly where widths shrink by a fixed root of two."""
    gammas = np.array([_gamma_of(kernel)(width) for width in widths])
    for i in range(len(gammas)):
        near = np.flatnonzero(np.abs(gammas - 2.0 * gammas[i]) <= 1e-14 * gammas)
        gammas[near] = 2.0 * gammas[i]
    return gammas


def _first_guess(log_gammas: Array, scores: Array, top: int) -> tuple[float, float]:
    """Where a polynomial through the grid points around the top peaks, and its curvature there."""
    near = slice(max(0, top - 3), top + 4)
    middle, spread = log_gammas[top], np.ptp(log_gammas[near])
    curve = np.polynomial.Polynomial.fit(
        (log_gammas[near] - middle) / spread, scores[near], len(scores[near]) - 1, domain=[]
    )
    low, high = (log_gammas[top + 1] - middle) / spread, (log_gammas[top - 1] - middle) / spread
    roots = curve.deriv().roots()
    inside = roots.real[(np.abs(roots.imag) < 1e-9) & (roots.real > low) & (roots.real < high)]
    at = float(max(inside, key=curve)) if len(inside) else 0.0
    return float(middle + at * spread), float(curve.deriv(2)(at)) / spread**2


def _peak(slope: Callable[[float], float], low: float, high: float, guess: tuple[float, float]) -> float | None:
    """Where the slope goes through 0 between two values of log gamma, to the last digit that rounding leaves.

    Secant steps from a guess that is good to several digits need two or three slopes; where they fail, a bracket.
    """
    at, curvature = guess
    value = slope(at)
    for _ in range(6):
        if not curvature < 0.0:
            break
        step = -value / curvature
        if abs(step) <= 1e-7:  # what is left after it is of the order of its square
            return at + step
        if not low < at + step < high:
            break
        before, at, value = value, at + step, slope(at + step)
        curvature = (value - before) / step
    if not slope(low) > 0.0 > slope(high):
        return None
    from scipy.optimize import brentq  # late: slow to import, and Newton's steps nearly always arrive

    return float(brentq(slope, low, high, xtol=1e-12, rtol=1e-14, maxiter=60))


def curve_solve(
    rows: PairRows,
    target: ClassTarget,
    widths: Array,
    kernel: str,
    *,
    centered: bool,
    threads: int,
    progress: Share | None = None,
) -> tuple[Array, float, float, bool]:
    """Scores on the grid, the refined best width, its score, and whether it lies at the edge."""
    gammas = _gammas(widths, kernel)
    scores, _ = alignment_solve(pair_sums(rows, gammas, threads=threads, progress=progress), target, centered=centered)
    top = int(np.argmax(scores))
    if top in (0, len(widths) - 1):
        return scores, float(widths[top]), float(scores[top]), True
    seen: dict[float, float] = {}

    def slope(log_gamma: float) -> float:
        g = np.array([np.exp(log_gamma)])
        score, by_gamma = alignment_solve(
            pair_sums(rows, g, threads=threads, derivative=True), target, centered=centered
        )
        seen[log_gamma] = float(score[0])
        return float(by_gamma[0] * g[0])

    log_gammas = np.log(gammas)
    log_gamma = _peak(
        slope, float(log_gammas[top + 1]), float(log_gammas[top - 1]), _first_guess(log_gammas, scores, top)
    )
    if log_gamma is None:
        return scores, float(widths[top]), float(scores[top]), False
    best = seen[min(seen, key=lambda at: abs(at - log_gamma))]  # flat there: the same to the last digit
    if best < scores[top]:
        return scores, float(widths[top]), float(scores[top]), False
    power = 1.0 if kernel == "laplacian" else 0.5
    width = float(widths[top] * np.exp(power * (log_gammas[top] - log_gamma)))
    return scores, width, best, False


@checked(Parameter("widths", "other", "the widths to look at", words=("auto",), also=("sequence", "anything")))
def alignment_curve(
    X: Any,
    y: Any = None,
    *,
    widths: ArrayLike | Literal["auto"] = "auto",
    centered: bool = True,
    kernel: Literal["rbf", "laplacian", "mixed"] = "rbf",
    scale: ScaleName | None = "minmax",
    target: Target = "signed",
    sample_weight: ArrayLike | None = None,
    missing: Literal["error", "drop"] = "error",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> AlignmentCurve:
    """Alignment of a kernel with the classes for many widths, and the width where it peaks.

    One pass over the pairs of rows serves all widths; no matrix of all pairs is ever held. The peak is refined by the
    derivative of the alignment.

    Parameters
    ----------
    X, y
        Labelled rows: a Table, or rows and labels.
    widths : "auto" or array-like
        Positive widths. "auto" spans ten octaves around the root mean squared distance.
    centered : bool
        Centred alignment (the default), or the plain one, which rewards unequal class sizes.
    kernel : {"rbf", "laplacian", "mixed"}
        ``exp(-|x-z|^2 / (2 width^2))``; ``exp(-sum|x-z| / width)``; or the first with nominal columns, where
        different levels are at distance 1.
    scale : {"minmax", "standard"} or None
        How numeric columns are scaled first.
    target : {"signed", "indicator", "balanced"}
        See :func:`kernel_alignment`.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    missing : {"error", "drop"}
        What to do about rows with missing cells.
    n_jobs : int, optional
        Threads; all cores by default. No answer depends on it.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    AlignmentCurve

    Notes
    -----
    High alignment bounds the error of a Parzen window rule; it does not promise that the best width is the best one
    for a classifier.

    References
    ----------
    Cristianini et al. 2001; Cortes, Mohri, Rostamizadeh 2012.

    Examples
    --------
    >>> import sepal.datasets
    >>> curve = alignment_curve(sepal.datasets.load("athletes"))
    >>> bool(curve.scores.max() <= curve.best_score)
    True
    """
    scale = settled(X, scale=scale)["scale"]
    rows, n_rows, notes = labelled_pairs(X, y, kernel=kernel, scale=scale, missing=missing, sample_weight=sample_weight)
    grid = _grid(widths, kernel, rows)
    scores, best_width, best_score, at_edge = curve_solve(
        rows,
        class_target(rows.masses, target),
        grid,
        kernel,
        centered=centered,
        threads=thread_count(n_jobs),
        progress=stage(progress, "kernel alignment"),
    )
    if at_edge and grid.size > 1:
        notes = (*notes, "the best width is at the edge of the widths asked for; a better one may lie beyond")
    return AlignmentCurve(grid, scores, best_width, best_score, at_edge, kernel, bool(centered), target, n_rows, notes)


@checked(passes_on=tuple(inspect.signature(alignment_curve).parameters.values())[2:])
def alignment_score(X: Any, y: Any = None, **params: Any) -> float:
    """The highest alignment over all widths: how separable the classes are for a kernel machine.

    Parameters
    ----------
    X, y, widths, centered, kernel, scale, target, sample_weight, missing, n_jobs, progress, **params
        As in :func:`alignment_curve`.

    Returns
    -------
    float
        The peak of the curve, between -1 and 1.

    Examples
    --------
    >>> import sepal.datasets
    >>> round(alignment_score(sepal.datasets.load("athletes")), 2)
    0.59
    """
    return alignment_curve(X, y, **params).best_score
