"""Rows that are in partitions, where others hold a table: what may be known of them without bringing them together."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sepal.data import Kind, key_groups
from sepal.exceptions import DataError
from sepal.scale._blocks import RowBlock, cell_keys
from sepal.scale._schema import Schema
from sepal.scale._work import Workplace


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

    @property
    def values(self) -> NoReturn:
        """Refused."""
        raise DataError(
            "this question needs all rows together, and these are in partitions",
            hint="ask a sample of them: sepal.scale.sample_table; of the angle ask sepal.scale.angle_partitions",
        )

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        return self.values
