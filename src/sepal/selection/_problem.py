"""Labelled rows made ready for questions about many feature subsets.

A subset is a bit mask over *units*: a unit is one column, or a block of columns that move together. Columns that are
always kept belong to no unit. The squared distance between two rows is a sum over columns: the squared difference of
numbers, 0 or 1 for levels, 1 where a cell is missing (HEOM).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data import (
    LeftOut,
    Missing,
    ScaleName,
    Scaling,
    Table,
    class_codes,
    column_position,
    constant_note,
    fit_scaling,
    left_out_together,
    name_key,
    refuse_texts,
)
from sepal.exceptions import DataError, ParameterError
from sepal.measures import groups_taken, rows_taken, settled
from sepal.neighbors import TIE_TOLERANCE, thread_count

ALIGN = 16  # positions; the native code wants every class to start at a multiple of this
_EXACT = {np.dtype(np.float32): 2.0**24, np.dtype(np.float64): 2.0**53}
_NUMBER, _NUMBER_OR_MISSING, _LEVEL = 0, 1, 2

Columns = Sequence[str | int]
Blocks = Mapping[str, Columns] | Sequence[Columns]


@dataclass(frozen=True, eq=False)
class Packed:
    """Columns as the native sweep reads them: rows sorted by class, classes padded to whole vectors.

    ``unit`` is what a squared distance of 1 (in scaled coordinates) is here; ``tie`` the relative width of a tie;
    ``largest`` a bound of all squared distances; ``group_of`` the group of each position, or nothing where every row is
    left out alone.
    """

    x: NDArray[Any]
    row_of: NDArray[np.int64]
    class_of: NDArray[np.int32]
    class_start: NDArray[np.int64]
    term: NDArray[np.uint8]
    cost: NDArray[Any]
    unit: float
    tie: float
    largest: float
    group_of: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FeatureProblem:
    """The rows, their classes, and the units a subset is made of."""

    table: Table
    codes: NDArray[np.int32]
    classes: NDArray[Any]
    rows: NDArray[np.intp]
    scaling: Scaling
    packed: Packed
    units: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    kept: tuple[int, ...]
    threads: int
    notes: tuple[str, ...]
    left_out: LeftOut

    @property
    def groups(self) -> NDArray[np.intp] | None:
        """Numbers of the rows that are left out together; None: each alone."""
        return self.left_out.groups

    @property
    def n_others(self) -> int:
        """How many neighbours every row has at least, when it is left out with its group."""
        return self.n_rows - (1 if self.groups is None else int(np.bincount(self.groups).max()))

    @property
    def n_rows(self) -> int:
        """How many rows take part."""
        return len(self.codes)

    @property
    def n_units(self) -> int:
        """How many features can be in or out."""
        return len(self.units)

    @property
    def class_counts(self) -> NDArray[np.int64]:
        """Rows per class."""
        return np.bincount(self.codes, minlength=len(self.classes)).astype(np.int64)

    @cached_property
    def by_name(self) -> tuple[int, ...]:
        """The units in the order of the names of their columns, by which equally good subsets are told apart."""
        keys = [sorted(name_key(self.table.names[column]) for column in unit) for unit in self.units]
        return tuple(sorted(range(self.n_units), key=keys.__getitem__))

    def in_name_order(self) -> FeatureProblem:
        """The same rows with units, and so the bits of a mask, in the order of the names."""
        if self.by_name == tuple(range(self.n_units)):
            return self
        units, names = (
            tuple(self.units[unit] for unit in self.by_name),
            tuple(self.names[unit] for unit in self.by_name),
        )
        return replace(self, units=units, names=names)

    @property
    def smallest_mask(self) -> int:
        """1 if the empty mask is no subset; 0 if kept columns make it one."""
        return 0 if self.kept else 1

    def columns_of(self, mask: int) -> tuple[int, ...]:
        """The columns of a subset, kept ones included, in table order."""
        return tuple(sorted([*self.kept, *(column for unit in set_bits(mask) for column in self.units[unit])]))

    def mask_of(self, columns: Columns) -> int:
        """The mask of a subset given by columns; a block must be whole."""
        wanted = {column_position(column, self.table.names, "columns") for column in columns} | set(self.kept)
        mask = sum(1 << i for i, unit in enumerate(self.units) if wanted >= set(unit))
        if self.columns_of(mask) != tuple(sorted(wanted)):
            raise ParameterError("columns: a block must be given whole or not at all")
        return mask

    def feature_names(self, mask: int) -> tuple[str, ...]:
        """Names of the units of a subset."""
        return tuple(self.names[unit] for unit in set_bits(mask))

    def values(self, mask: int) -> NDArray[np.float64]:
        """The scaled values of the columns of a subset."""
        return np.ascontiguousarray(self.scaling.apply(self.table.values)[:, self.columns_of(mask)])


_FEW_BITS = 64  # of so many bits fewer than one is set: these are moved one by one


def set_bits(mask: int) -> Iterator[int]:
    """Positions of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def moved_bits(masks: Sequence[int], units: Sequence[int]) -> list[int]:
    """Masks whose bit i is bit ``units[i]`` of those given.

    >>> moved_bits([0b001, 0b110], [2, 0, 1])
    [2, 5]
    """
    if sum(mask.bit_count() for mask in masks) * _FEW_BITS < len(masks) * len(units):
        place = np.argsort(units).tolist()
        return [sum(1 << place[bit] for bit in set_bits(mask)) for mask in masks]
    n_bytes = -(-len(units) // 8)
    packed = np.frombuffer(b"".join(mask.to_bytes(n_bytes, "little") for mask in masks), dtype=np.uint8)
    moved = _moved(packed.reshape(-1, n_bytes), units)
    return [int.from_bytes(line.tobytes(), "little") for line in moved]


def moved_masks(masks: NDArray[np.int64], units: Sequence[int]) -> NDArray[np.int64]:
    """The same for an array of masks."""
    moved = _moved(masks.astype("<i8").view(np.uint8).reshape(-1, 8), units)
    whole = np.zeros((len(masks), 8), dtype=np.uint8)
    whole[:, : moved.shape[1]] = moved
    return whole.view("<i8").ravel().astype(np.int64)


def _moved(packed: NDArray[np.uint8], units: Sequence[int]) -> NDArray[np.uint8]:
    bits = np.unpackbits(packed, axis=1, count=len(units), bitorder="little")
    return np.packbits(bits[:, list(units)], axis=1, bitorder="little")


def feature_problem(
    X: Any,
    y: Any = None,
    *,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    blocks: Blocks | None = None,
    keep: Columns = (),
    n_jobs: int | None = None,
    groups: Any = None,
) -> FeatureProblem:
    """Check rows, labels, blocks, kept columns and groups; scale and pack."""
    scale = settled(X, scale=scale)["scale"]
    table, rows, notes = rows_taken(X, y, missing)
    refuse_texts(table, "features are selected among numbers and names")
    codes, classes = class_codes(table)
    if table.n_rows < 2:
        raise DataError(f"a nearest neighbour needs at least 2 rows; found {table.n_rows}")
    kept = tuple(sorted({column_position(column, table.names, "keep") for column in _listed("keep", keep)}))
    names, units = _units(table, blocks, kept)
    scaling = fit_scaling(table.values, table.kinds, scale, levels=table.levels)
    if scaling.constant:
        notes = (*notes, constant_note([table.names[j] for j in scaling.constant]))
    if groups is not None and not isinstance(groups, str):
        groups = groups_taken(groups, X, y, rows)
    left_out = left_out_together(table, groups)
    note = left_out.note(table.n_rows)
    return FeatureProblem(
        table, codes, classes, rows, scaling, pack(table, codes, len(classes), scaling, left_out.groups), units, names,
        kept, thread_count(n_jobs), notes if note is None else (*notes, note), left_out,
    )  # fmt: skip


def _listed(name: str, columns: Any) -> Iterable[Any]:
    """Columns, or blocks of them, as the caller lists them."""
    if isinstance(columns, bytes) or not isinstance(columns, Iterable) or getattr(columns, "ndim", 1) != 1:
        raise ParameterError(f"{name} must be a list; got {columns!r}")
    return columns


def _units(table: Table, blocks: Blocks | None, kept: tuple[int, ...]) -> tuple[tuple[str, ...], Any]:
    """Names and columns of the units, in the order of their first column."""
    given: Iterable[tuple[Any, Any]]
    if isinstance(blocks, Mapping):
        given = blocks.items()
    else:
        given = [(None, block) for block in _listed("blocks", () if blocks is None else blocks)]
    taken: dict[int, str] = {}
    units: list[tuple[str, tuple[int, ...]]] = []
    for name, block in given:
        columns = tuple(sorted({column_position(column, table.names, "blocks") for column in _listed("blocks", block)}))
        title = "+".join(table.names[j] for j in columns) if name is None else str(name)
        if not columns:
            raise ParameterError(f"blocks: block {title!r} is empty")
        for column in columns:
            if column in kept or column in taken:
                where = "also in keep" if column in kept else f"also in block {taken[column]!r}"
                raise ParameterError(f"blocks: column {table.names[column]!r} of block {title!r} is {where}")
            taken[column] = title
        units.append((title, columns))
    units += [(name, (j,)) for j, name in enumerate(table.names) if j not in taken and j not in kept]
    units.sort(key=lambda unit: unit[1])
    if not units:
        raise ParameterError("keep: every column is kept; no feature is left to choose")
    return tuple(name for name, _ in units), tuple(columns for _, columns in units)


def _coordinates(table: Table, scaling: Scaling) -> tuple[NDArray[np.float64], float]:
    """Scaled values and the unit of their squares; whole numbers of one range stay whole numbers, so ties are exact."""
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    spread = np.delete(scaling.divisor, np.flatnonzero(nominal | np.isin(np.arange(len(nominal)), scaling.constant)))
    whole = table.values - scaling.offset if np.all(scaling.shrink == 1) else np.full(1, 0.5)
    if np.all(((whole == np.floor(whole)) & (np.abs(whole) < 1e15)) | np.isnan(whole)):
        one = float(spread[0]) if spread.size else 1.0
        if np.all(spread == one) and one == np.floor(one):
            return np.where(nominal, table.values, whole), one**2
    scaled = scaling.apply(table.values)
    largest = float(np.nanmax(np.abs(scaled), initial=0.0))
    if largest > 1e15 or 0.0 < largest < 1e-15:  # squares should fit into float32, exactly scaled by a power of two
        factor = 2.0 ** -np.floor(np.log2(largest))
        return np.where(nominal, scaled, scaled * factor), float(factor) ** 2
    return scaled, 1.0


def pack(
    table: Table,
    codes: NDArray[np.int32],
    n_classes: int,
    scaling: Scaling,
    groups: NDArray[np.intp] | None,
) -> Packed:
    """Sort rows by class, pad, and choose the number type: float32 where it is exact."""
    values, unit = _coordinates(table, scaling)
    missing = np.isnan(values).any(axis=0)
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    term = np.where(nominal, _LEVEL, np.where(missing, _NUMBER_OR_MISSING, _NUMBER)).astype(np.uint8)
    spread = np.fmax.reduce(values, axis=0) - np.fmin.reduce(values, axis=0)
    largest = float(np.sum(np.where(nominal, unit, np.where(missing, np.fmax(spread**2, unit), spread**2))))
    whole = unit == np.floor(unit) and bool(np.all((values == np.floor(values)) | np.isnan(values)))
    dtype = np.dtype(np.float32) if whole and largest < _EXACT[np.dtype(np.float32)] else np.dtype(np.float64)
    if dtype == np.float32 and np.nanmax(np.abs(values), initial=0.0) > _EXACT[dtype]:
        dtype = np.dtype(np.float64)
    exact = whole and largest < _EXACT[dtype]

    counts = np.bincount(codes, minlength=n_classes)
    padded = -(-counts // ALIGN) * ALIGN
    class_start = np.concatenate([[0], np.cumsum(padded)]).astype(np.int64)
    width = int(class_start[-1])
    order = np.argsort(codes, kind="stable")
    within = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    position = class_start[codes[order]] + within
    x = np.zeros((values.shape[1], width), dtype=dtype)
    x[:, position] = values[order].T
    row_of, class_of = np.full(width, -1, dtype=np.int64), np.full(width, -1, dtype=np.int32)
    row_of[position], class_of[position] = order, codes[order]
    cost = np.full(values.shape[1], unit, dtype=dtype)
    tie = 0.0 if exact else TIE_TOLERANCE
    group_of = np.full(0 if groups is None else width, -1, dtype=np.int64)
    if groups is not None:
        group_of[position] = groups[order]
    return Packed(x, row_of, class_of, class_start, term, cost, unit, tie, largest, group_of)
