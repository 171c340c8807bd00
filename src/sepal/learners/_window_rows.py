"""The rows of a window, in the arrays that native code reads and writes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_PANEL = 8  # rows that the native code packs together


@dataclass
class WindowRows:
    """The rows in the window: packed coordinates, class codes, order of arrival and times. Native code changes them.

    ``ranges`` holds the lowest and the highest value of each column, ``counters`` the number of rows in the window and
    of rows learnt in all.
    """

    cells: NDArray[np.float64]
    codes: NDArray[np.int32]
    arrival: NDArray[np.int64]
    time: NDArray[np.float64]
    ranges: NDArray[np.float64]
    counters: NDArray[np.int64]

    @classmethod
    def empty(cls, n_columns: int) -> WindowRows:
        """Without room for any row."""
        return cls(
            np.zeros((0, n_columns, _PANEL)),
            np.zeros(0, dtype=np.int32),
            np.zeros(0, dtype=np.int64),
            np.zeros(0),
            np.repeat([[np.inf], [-np.inf]], n_columns, axis=1),
            np.zeros(2, dtype=np.int64),
        )

    @property
    def n(self) -> int:
        """Rows in the window."""
        return int(self.counters[0])

    def fits(self, n_columns: int, n_classes: int) -> bool:
        """Whether every array has the shape, type and codes that native code relies on."""
        room = len(self.codes)
        shapes = {
            "cells": ((room // _PANEL, n_columns, _PANEL), np.float64),
            "codes": ((room // _PANEL * _PANEL,), np.int32),
            "arrival": ((room,), np.int64),
            "time": ((room,), np.float64),
            "ranges": ((2, n_columns), np.float64),
            "counters": ((2,), np.int64),
        }
        for name, (shape, dtype) in shapes.items():
            array = getattr(self, name)
            if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
                return False
        inside = (self.codes[: self.n] >= 0) & (self.codes[: self.n] < n_classes)
        return 0 <= self.n <= room and self.counters[1] >= 0 and bool(inside.all())

    def make_room(self, n_rows: int) -> None:
        """Let the arrays hold so many rows."""
        n_panels = -(-n_rows // _PANEL)
        if n_panels <= len(self.cells):
            return
        n_panels = max(n_panels, min(2 * len(self.cells), 2**40))
        more = n_panels - len(self.cells)
        self.cells = np.concatenate([self.cells, np.zeros((more, *self.cells.shape[1:]))])
        self.codes = np.concatenate([self.codes, np.zeros(more * _PANEL, dtype=np.int32)])
        self.arrival = np.concatenate([self.arrival, np.zeros(more * _PANEL, dtype=np.int64)])
        self.time = np.concatenate([self.time, np.zeros(more * _PANEL)])

    def own(self) -> None:
        """Copy arrays that may not be written, as those of a memory-mapped model."""
        for name, array in vars(self).items():
            if not array.flags.writeable:
                setattr(self, name, array.copy())

    def points(self) -> NDArray[np.float64]:
        """(n, n_columns) coordinates, in slot order."""
        return np.asarray(self.cells.transpose(0, 2, 1).reshape(-1, self.cells.shape[1])[: self.n])

    def by_age(self) -> NDArray[np.intp]:
        """Slots, oldest row first."""
        return np.argsort(self.arrival[: self.n])

    def keep_at_most(self, n_rows: int | None, n_of_class: int | None) -> None:
        """Let the oldest go where there are more of a class, or in all; None for no such limit."""
        slots = self.by_age()[::-1]
        if n_of_class is not None:
            codes = self.codes[slots]
            newer = np.zeros(len(slots), dtype=np.intp)  # of its class
            for code in np.unique(codes):
                newer[codes == code] = np.arange(np.sum(codes == code))
            slots = slots[newer < n_of_class]
        slots = slots[:n_rows]
        if len(slots) < self.n:
            self.keep(slots[::-1])

    def keep(self, slots: NDArray[np.intp]) -> None:
        """Really delete all other rows: what they held is overwritten."""
        points = self.points()[slots]
        packed = np.zeros((len(self.cells) * _PANEL, self.cells.shape[1]))
        packed[: len(slots)] = points
        self.cells = np.ascontiguousarray(packed.reshape(-1, _PANEL, self.cells.shape[1]).transpose(0, 2, 1))
        for array in (self.codes, self.arrival, self.time):
            array[: len(slots)] = array[slots]
            array[len(slots) :] = 0
        self.counters[0] = len(slots)
        self.ranges = np.stack(
            [np.fmin.reduce(points, axis=0, initial=np.inf), np.fmax.reduce(points, axis=0, initial=-np.inf)]
        )
