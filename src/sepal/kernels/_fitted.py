"""A kernel after it has seen the training rows: plain data, so that it can be saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, as_table, first_missing, refuse_texts, rows_in_order
from sepal.exceptions import DataError, ParameterError
from sepal.kernels._formulas import unchanged
from sepal.kernels._named import ALIASES, KERNELS, Kernel

KernelFunction = Callable[[NDArray[np.float64], NDArray[np.float64]], Any]
_DIAGONAL_ROWS = 64  # rows a callable compares with each other to learn their diagonal


@dataclass(frozen=True, eq=False)
class FittedKernel:
    """Compares rows under one kernel.

    ``coordinates`` turns rows into arrays once; ``block`` and ``diagonal`` compare such arrays.

    Attributes
    ----------
    kernel : Kernel
        The entry of the table it was made from.
    state : mapping
        Resolved parameters (``gamma``, ``degree``, ...).
    names, levels : tuple
        The columns of the training rows.

    Examples
    --------
    >>> from sepal.kernels import fit_kernel
    >>> fit_kernel([[0.0], [1.0]], "rbf", width=1.0).gamma
    0.5
    """

    kernel: Kernel
    state: Mapping[str, Any]
    names: tuple[str, ...]
    levels: tuple[tuple[Any, ...] | None, ...]

    @property
    def gamma(self) -> float | None:
        """The gamma in use, for kernels that have one."""
        return self.state.get("gamma")

    def coordinates(self, X: Any) -> NDArray[np.float64]:
        """The rows as arrays that ``block`` compares."""
        table = rows_in_order(X, self.names)
        if table.n_columns != len(self.names):
            raise DataError(
                f"the kernel {self.kernel.name!r} was fitted on {len(self.names)} columns, "
                f"the rows to compare have {table.n_columns}"
            )
        refuse_missing(table, self.kernel)
        values = _recoded(table, self.levels)
        return np.ascontiguousarray(self.kernel.embed(values, self.state), dtype=np.float64)

    def block(self, A: NDArray[np.float64], B: NDArray[np.float64]) -> NDArray[np.float64]:
        """The Gram matrix between two arrays of coordinates, as a new array."""
        K = np.asarray(self.kernel.block(A, B, self.state), dtype=np.float64)
        if K.shape != (len(A), len(B)):
            raise DataError(
                f"the kernel {self.kernel.name!r} must give a matrix of {len(A)} x {len(B)} for that many rows; "
                f"got shape {K.shape}"
            )
        return K

    def diagonal(self, A: NDArray[np.float64]) -> NDArray[np.float64]:
        """k(a, a) for every row of coordinates."""
        return np.asarray(self.kernel.diagonal(A, self.state), dtype=np.float64)


def refuse_missing(table: Table, kernel: Kernel) -> None:
    """Say where the first missing cell is, if the kernel does not define what it means."""
    if table.has_missing and not kernel.allows_missing:
        raise DataError(
            f"{first_missing(table)}, and the kernel {kernel.name!r} does not define missing values",
            hint='use the kernel "mixed", or leave such rows out',
        )


def _recoded(table: Table, levels: tuple[tuple[Any, ...] | None, ...]) -> NDArray[np.float64]:
    """Level codes as in the training rows; a level never seen there equals no other but itself."""
    if table.levels == levels:
        return table.values
    values = table.values.copy()
    for j, (here, there) in enumerate(zip(table.levels, levels, strict=True)):
        if (here is None) != (there is None):
            found, wanted = ("numeric", "levels") if here is None else ("levels", "numeric")
            raise DataError(f"column {table.names[j]!r}: expected {wanted} as in the training rows, found {found}")
        if here is None or here == there or there is None:
            continue
        place = {level: i for i, level in enumerate(there)}
        codes = np.array([place.get(level, len(there) + i) for i, level in enumerate(here)], dtype=np.float64)
        present = ~np.isnan(values[:, j])
        values[present, j] = codes[values[present, j].astype(np.intp)]
    return values


@dataclass(frozen=True)
class _Called:
    """A user's function of two arrays of rows, in the shape of a table entry."""

    function: KernelFunction

    def block(self, A: NDArray[np.float64], B: NDArray[np.float64], state: Mapping[str, Any]) -> NDArray[np.float64]:
        K = np.asarray(self.function(A, B), dtype=np.float64)
        if not np.all(np.isfinite(K)):
            raise DataError("kernel: the given function returned values that are not finite")
        return K

    def diagonal(self, A: NDArray[np.float64], state: Mapping[str, Any]) -> NDArray[np.float64]:
        parts = [A[i : i + _DIAGONAL_ROWS] for i in range(0, len(A), _DIAGONAL_ROWS)]
        return np.concatenate([np.diag(self.block(part, part, state)) for part in parts] or [np.empty(0)])


def find_kernel(kernel: str | KernelFunction) -> Kernel:
    """The table entry of a name, or an entry made from a callable."""
    if callable(kernel):
        called = _Called(kernel)
        return Kernel("callable", "given by the user", called.block, called.diagonal, embed=unchanged)
    name = ALIASES.get(kernel, kernel) if isinstance(kernel, str) else kernel
    if not isinstance(name, str) or name not in KERNELS:
        near = get_close_matches(name, KERNELS, n=1) if isinstance(name, str) else []
        raise ParameterError(
            f"kernel must be one of {', '.join(sorted([*KERNELS, 'precomputed']))} or a function of two arrays; "
            f"got {kernel!r}",
            hint=f"did you mean {near[0]!r}?" if near else None,
        )
    return KERNELS[name]


def fit_kernel(X: Any, kernel: str | KernelFunction = "rbf", **params: Any) -> FittedKernel:
    """Fit a kernel to training rows.

    Parameters
    ----------
    X : Table, array or data frame
        The training rows.
    kernel : str or callable
        A name in ``KERNELS`` ("poly" stands for "polynomial"), or a function of two arrays of rows that returns the
        matrix of their similarities.
    **params
        What the kernel takes, see ``KERNELS[name].params``: ``gamma`` or ``width``, ``degree``, ``coef0``, ...

    Returns
    -------
    FittedKernel

    Raises
    ------
    ParameterError
        For an unknown kernel, or a parameter that it does not take or that is out of range.
    DataError
        For columns of a kind it cannot compare.

    Examples
    --------
    >>> fitted = fit_kernel([[0.0], [2.0]], "rbf", width=1.0)
    >>> rows = fitted.coordinates([[0.0], [2.0]])
    >>> fitted.block(rows, rows).round(4).tolist()
    [[1.0, 0.1353], [0.1353, 1.0]]
    """
    entry = find_kernel(kernel)
    unknown = sorted(set(params) - set(entry.params))
    if unknown:
        allowed = ", ".join(sorted(entry.params)) or "no parameters"
        raise ParameterError(f"{unknown[0]} is not known to the kernel {entry.name!r}; it takes: {allowed}")
    table = as_table(X)
    refuse_texts(table, f"the kernel {entry.name!r} compares numbers and names")
    for name, kind in zip(table.names, table.kinds, strict=True):
        if kind not in entry.kinds:
            raise DataError(
                f"column {name!r} is {kind}, and the kernel {entry.name!r} compares numbers only",
                hint='use the kernel "mixed", which compares levels as equal or not',
            )
    return FittedKernel(entry, entry.fit(table, {**entry.params, **params}), table.names, table.levels)
