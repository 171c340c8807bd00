"""Rows as kernel machines take them: checked, scaled, and compared under one fitted kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_random_state, column_or_1d

from sepal.data import (
    ScaleName,
    Scaling,
    Table,
    as_table,
    as_weights,
    check_class_labels,
    class_codes,
    copies_of,
    fit_scaling,
    left_out_together,
    rows_inside,
    sample_by_class,
    unit_of,
)
from sepal.estimators import Diet, as_data_errors, number_per_class
from sepal.exceptions import DataError, ParameterError
from sepal.kernels import FittedKernel, find_kernel, fit_kernel, refuse_missing, width_from_gamma
from sepal.machines._equal_rows import distinct_rows, order_keys
from sepal.measures import alignment_curve, labelled_pairs

Array = NDArray[np.float64]
_ALIGNED_ROWS = 2000  # alignment looks at all pairs of rows; this many give two digits of the width
_BLOCK_ROWS = 512  # of a matrix, looked at together
_ASYMMETRY = 1e-4  # of the largest kernel value: those that were computed in float32 are forgiven
_CAPPED_GRID = np.geomspace(0.02, 1.0, 20)


def is_precomputed(kernel: Any) -> bool:
    """Whether the rows are themselves kernel values."""
    return isinstance(kernel, str) and kernel == "precomputed"


def check_square(values: Array) -> None:
    """Whether the training rows have as many columns as a kernel matrix must."""
    if values.shape[0] != values.shape[1]:
        raise DataError(f"X must be a square matrix with kernel='precomputed'; got shape {values.shape}")


def check_symmetric(matrix: Array, rows: NDArray[np.intp]) -> None:
    """Whether k(x, z) = k(z, x); ``rows`` are the places of the rows and columns among those of the user."""
    allowed = _ASYMMETRY * max(float(matrix.max()), -float(matrix.min()))
    for start in range(0, len(matrix), _BLOCK_ROWS):
        part = slice(start, start + _BLOCK_ROWS)
        wrong = np.argwhere(np.abs(matrix[part] - matrix[:, part].T) > allowed)
        if len(wrong):
            i, j = sorted((start + int(wrong[0, 0]), int(wrong[0, 1])), key=lambda place: int(rows[place]))
            raise DataError(
                f"X must be a symmetric matrix with kernel='precomputed': row {rows[i]}, column {rows[j]} "
                f"holds {matrix[i, j]:g}, and row {rows[j]}, column {rows[i]} holds {matrix[j, i]:g}",
                hint="fit takes the kernel values of the training rows with each other",
            )


def kernel_diet(kernel: Any) -> Diet:
    """Which rows a machine with this kernel takes."""
    mixed = isinstance(kernel, str) and kernel == "mixed"
    return Diet(
        levels=mixed,
        missing=mixed,
        pairwise=is_precomputed(kernel),
        hint='use kernel="mixed", which compares levels as equal or not',
    )


def checked_labels(table: Table, X: Any, y: Any) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Class codes, and the classes sorted as scikit-learn sorts them."""
    X = rows_inside(X)
    if y is None and isinstance(X, Table):
        y = X.y
    if y is None:
        raise DataError("requires y to be passed, but the target y is None: a classifier needs a label for every row")
    if getattr(y, "ndim", 1) == 2:
        with as_data_errors():
            y = column_or_1d(y, warn=True)
    y = check_class_labels(y)
    _, classes = class_codes(y)
    labels = as_table(np.zeros((table.n_rows, 1)), y).y
    assert labels is not None  # noqa: S101 - it was just given
    classes = np.unique(classes)
    return np.searchsorted(classes, labels).astype(np.int32), classes


def machine_weights(sample_weight: Any, n_rows: int) -> Array:
    """How many copies each row stands for."""
    return np.ones(n_rows) if sample_weight is None else as_weights(sample_weight, n_rows)


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """What a machine learns from: distinct rows, in an order by class and values.

    Attributes
    ----------
    table : Table
    codes : ndarray of int
        The class of each row; 0 where there are none.
    copies : ndarray
        How many rows of the user it stands for, weights included.
    places : ndarray of int
        Where it stands among the rows of the user.
    groups : ndarray of int or None
        Rows of one number are left out together, with all they stand for. None: one copy of one row at a time.
    """

    table: Table
    codes: NDArray[np.int32]
    copies: Array
    places: NDArray[np.intp]
    groups: NDArray[np.intp] | None

    @property
    def taken(self) -> Array:
        """How much of a row's weight leaves with it: one copy, or all of it where groups leave."""
        return np.minimum(self.copies, 1.0) if self.groups is None else self.copies


def training_table(
    kernel: Any,
    table: Table,
    sample_weight: Any,
    codes: NDArray[np.int32],
    numbers: Array | None = None,
    groups: Any = None,
) -> TrainingTable:
    """Rows of positive weight, equal ones of one class (and one target number) joined. Those of a matrix are not.

    ``groups`` say which rows are left out together, as everywhere; equal rows of two groups are not joined.
    """
    copies = machine_weights(sample_weight, table.n_rows)
    precomputed = is_precomputed(kernel)
    if precomputed and groups is None:
        groups = "rows"  # equal lines of a matrix are no copies
    found = left_out_together(table, groups, copies)
    together = found.groups
    if precomputed:
        places = np.flatnonzero(copies > 0)
        copies = copies[places]
    else:
        refuse_missing(table, find_kernel(kernel))  # here, where rows still have their numbers
        labels = together if found.together == "groups" else None  # equal rows are one group of copies
        parts = [each for each in (table.values, numbers, labels) if each is not None]
        places, copies = distinct_rows(np.column_stack(parts) if len(parts) > 1 else table.values, codes, copies)
    remaining = None if together is None else np.unique(together[places], return_inverse=True)[1]
    return TrainingTable(table.take(places), codes[places], copies, places, remaining)


def labelled_table(
    estimator: Any, table: Table, X: Any, y: Any, sample_weight: Any, groups: Any = None, *, kernel: Any
) -> TrainingTable:
    """The same with the classes, which a Table ``X`` may bring; leaves ``classes_`` on the estimator."""
    codes, estimator.classes_ = checked_labels(table, X, y)
    training = training_table(kernel, table, sample_weight, codes, groups=groups)
    if len(np.unique(training.codes)) < len(estimator.classes_):
        raise DataError("sample_weight: every class needs a row of positive weight")
    return training


def class_weight_factors(
    class_weight: Mapping[Any, float] | str | None, classes: NDArray[Any], codes: NDArray[Any], weights: Array
) -> Array:
    """A factor per class: as given, or "balanced" for the same total weight in every class."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        masses = np.bincount(codes, weights=weights, minlength=len(classes))
        return np.asarray(masses.sum() / (len(classes) * masses))
    if not isinstance(class_weight, Mapping):
        raise ParameterError(f"class_weight must be None, 'balanced' or a mapping; got {class_weight!r}")
    return number_per_class("class_weight", class_weight, classes, 1.0, zero=False)


@dataclass(frozen=True, eq=False)
class RowKernel:
    """One kernel, fitted to training rows. ``fitted`` is None for a precomputed one."""

    fitted: FittedKernel | None
    scaling: Scaling | None
    width: float | None

    def coordinates(self, table: Table) -> Array:
        """Rows as arrays that ``columns`` compares; for a precomputed kernel the values with the training rows."""
        if self.fitted is None or self.scaling is None:
            return table.values
        values = self.scaling.apply(table.values)
        if self.fitted.kernel.not_negative and self.scaling.how == "minmax":
            values = np.maximum(values, 0.0)  # a new cell below the training minimum counts as that
        return self.fitted.coordinates(replace(table, values=values))

    def keys(self, table: Table, codes: NDArray[Any] | None = None) -> Array | None:
        """One number per row, the same for equal rows whatever rows are beside them; None for a precomputed kernel."""
        if self.scaling is None:
            return None
        scaled = self.scaling.apply(table.values)
        keys = order_keys(scaled, codes, table.values)
        if len(np.unique(keys)) <= copies_of(table).max():  # different rows met in one number
            keys = keys + order_keys(scaled, codes, table.values, spread=np.cbrt)
        return keys

    def pick(self, coordinates: Array, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[Any]:
        """What must be kept of training rows to compare others with them. ``columns`` says where a row's column is."""
        return columns[rows] if self.fitted is None else np.ascontiguousarray(coordinates[rows])

    def columns(self, coordinates: Array, picked: NDArray[Any]) -> Array:
        """Kernel values of rows with picked ones."""
        if self.fitted is None:
            return np.asarray(coordinates[:, picked])
        return self.fitted.block(coordinates, picked)

    def diagonal(self, coordinates: Array, columns: NDArray[np.intp]) -> Array:
        """k(x, x) of training rows."""
        if self.fitted is None:
            return np.asarray(coordinates[np.arange(len(coordinates)), columns])
        return self.fitted.diagonal(coordinates)


def class_sample(codes: NDArray[Any], keys: Array, most: int, random_state: Any) -> NDArray[np.intp]:
    """Rows of a sample that keeps the shares of the classes, at least two of each; all rows if they are few.

    They are drawn in the order of ``keys`` (see :func:`order_keys`), so that the order of the rows does not matter.
    """
    if len(codes) <= most:
        return np.arange(len(codes))
    return sample_by_class(np.argsort(keys, kind="stable"), codes, most, check_random_state(random_state))


def _scale_width(values: Array, weights: Array | None) -> float:
    """The width of gamma = 1 / (columns * variance), scikit-learn's "scale"; missing cells are left out."""
    mass = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights[:, None])
    present, total = np.nan_to_num(values), max(float(mass.sum()), np.finfo(np.float64).tiny)
    mean = float((mass * present).sum()) / total
    variance = float((mass * (present - mean) ** 2).sum()) / total
    return width_from_gamma(1.0 / (values.shape[1] * variance)) if variance > 0 else 1.0


def aligned_width(
    table: Table, codes: NDArray[Any], weights: Array, kernel: Any, n_jobs: int | None, *, capped: bool = False
) -> float:
    """The width where centred alignment peaks, on scaled rows; every k-th of each class if they are many.

    With ``capped`` at most the root of the mean squared distance between rows: wider kernels only turn into the linear
    one, whose alignment may still be a little higher, so that a machine with a given C can draw no curved boundary.
    """
    complete = np.flatnonzero(table.complete_rows)
    # By values, so that the order of the rows does not matter.
    ordered = complete[np.lexsort((order_keys(table.values[complete], codes[complete]), codes[complete]))]
    step = -(-len(ordered) // _ALIGNED_ROWS)
    rows = np.concatenate([ordered[codes[ordered] == code][::step] for code in np.unique(codes[ordered])])
    part, mass = table.take(rows), weights[rows] * unit_of(weights[rows])  # alignment is the same for any unit of them
    if len(np.unique(codes[rows])) < 2 or np.all(part.values == part.values[:1]):
        return 1.0
    widths: Any = "auto"
    if capped:
        pairs, _, _ = labelled_pairs(part, codes[rows], kernel=kernel, scale=None, missing="error", sample_weight=mass)
        widths = _CAPPED_GRID * (pairs.mean_distance if kernel == "laplacian" else np.sqrt(pairs.mean_distance))
    curve = alignment_curve(
        part, codes[rows], widths=widths, kernel=kernel, scale=None, sample_weight=mass, n_jobs=n_jobs
    )
    return curve.best_width


@dataclass(frozen=True)
class KernelChoice:
    """The parameters all machines share, as the user gave them."""

    kernel: Any
    width: Any
    gamma: float | None
    degree: int
    coef0: float
    scale: ScaleName | None
    n_jobs: int | None = None
    capped: bool = False

    @classmethod
    def of(cls, estimator: Any) -> KernelChoice:
        """Read them off an estimator."""
        names = ("kernel", "width", "gamma", "degree", "coef0", "scale", "n_jobs")
        return cls(*(getattr(estimator, name) for name in names))

    def fit(
        self, table: Table, codes: NDArray[Any] | None = None, weights: Array | None = None, width: Any = None
    ) -> RowKernel:
        """Fit scaling and kernel; ``width`` overrides what the user gave (a number, "aligned" or "scale")."""
        if is_precomputed(self.kernel):
            return RowKernel(None, None, None)
        entry = find_kernel(self.kernel)
        scaling = fit_scaling(table.values, table.kinds, self.scale, levels=table.levels, weights=weights)
        scaled = replace(table, values=scaling.apply(table.values), weights=weights)
        params = {name: getattr(self, name) for name in ("degree", "coef0") if name in entry.params}
        used = None
        if "gamma" in entry.params and self.gamma is not None:
            params["gamma"] = self.gamma
        elif "width" in entry.params:
            used = self._width(self.width if width is None else width, scaled, codes, weights)
            params["width"] = used
        fitted = fit_kernel(scaled, self.kernel, **params)
        if used is None and entry.name in ("rbf", "mixed") and fitted.gamma is not None:
            used = width_from_gamma(fitted.gamma)
        return RowKernel(fitted, scaling, used)

    def _width(self, width: Any, scaled: Table, codes: NDArray[Any] | None, weights: Array | None) -> float:
        if not isinstance(width, str) and width is not None:
            return width  # type: ignore[no-any-return]  # the kernel checks it
        if width == "scale":
            return _scale_width(scaled.values, weights)
        if width == "aligned" and codes is not None:
            mass = np.ones(len(codes)) if weights is None else weights
            return aligned_width(scaled, codes, mass, find_kernel(self.kernel).name, self.n_jobs, capped=self.capped)
        raise ParameterError(
            f"width must be a positive number or one of the words this machine knows; got {width!r}",
            hint='"aligned" needs class labels' if width == "aligned" else 'use a number, or "scale"',
        )
