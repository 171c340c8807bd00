"""Rows that are in partitions, where others hold a table: what may be known of them without bringing them together."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sepal.data import Kind, Table, content_order, key_groups
from sepal.exceptions import DataError
from sepal.scale._blocks import RowBlock, block_table, cell_keys, codes_of
from sepal.scale._schema import Schema
from sepal.scale._work import Workplace

_SORTED = 5_000  # rows that may be brought together to be put into the order of what is in them


def block_cells(block: RowBlock, classes: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The cells and classes of the rows of a block."""
    table = block_table(block)
    return table.values, codes_of(np.asarray(table.y), classes)


class RowsElsewhere:
    """Stands for the table of a search. Whoever asks for the cells of all rows gets an error, not some of them."""

    def __init__(self, schema: Schema, blocks: tuple[RowBlock, ...], work: Workplace, any_copies: bool) -> None:
        self._schema, self._blocks, self._work, self._any_copies = schema, blocks, work, any_copies
        self._groups: NDArray[np.intp] | None = None
        self.y = None

    @property
    def n_rows(self) -> int:
        """Rows that take part."""
        return self._schema.n_rows

    @property
    def n_columns(self) -> int:
        """Feature columns."""
        return self._schema.like.n_columns

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return self._schema.like.names

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Of the columns."""
        return self._schema.like.kinds

    def equal_rows(self) -> NDArray[np.intp]:
        """The number of each row's group of rows that are equal in all cells, in order of first appearance."""
        if self._groups is None:
            # Equal rows have equal points, so that without copies among these there are none.
            self._groups = self._looked_up() if self._any_copies else np.arange(self.n_rows)
        return self._groups

    def _looked_up(self) -> NDArray[np.intp]:
        keys = np.empty((self.n_rows, 2), dtype=np.uint64)
        jobs = [(block,) for block in self._blocks]
        for at, found in self._work.run("compare rows", cell_keys, jobs, None, self._schema.sent):
            first = self._blocks[at].first_row
            keys[first : first + len(found)] = found
        return key_groups(keys)

    def content_order(self) -> NDArray[np.intp]:
        """Positions of the rows by their classes and what is in them; of rows that are few enough to be looked at."""
        if self.n_rows > _SORTED:
            return self.values
        values = np.empty((self.n_rows, self.n_columns))
        codes = np.empty(self.n_rows, dtype=np.int32)
        jobs = [(block, self._schema.classes) for block in self._blocks]
        for at, found in self._work.run("sort rows", block_cells, jobs, None, self._schema.sent):
            rows = slice(self._blocks[at].first_row, self._blocks[at].first_row + self._blocks[at].n_rows)
            values[rows], codes[rows] = found
        return content_order(values, codes)

    @property
    def values(self) -> NoReturn:
        """Refused."""
        raise DataError(
            "this question needs all rows together, and these are in partitions",
            hint="ask a sample of them: sepal.scale.sample_table; of the angle ask sepal.scale.angle_partitions",
        )

    def take(self, rows: Any) -> Table:
        """Refused."""
        return self.values

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        return self.values
