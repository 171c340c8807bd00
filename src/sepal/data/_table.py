"""The table every part of Sepal works on."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal._lazy import cached_property
from sepal.data._apart import Apart
from sepal.data._cautions import Caution, cautions_of, columns_named, constant_cautions
from sepal.data._cell_copies import float_columns
from sepal.data._columns import KINDS, Column, Kind, KindsSpec, check_finite, check_names, column_position
from sepal.data._error_words import MEMORY, Origin, dropped_note, plural, shown
from sepal.data._read_only import read_only
from sepal.data._text_codes import CodedLabels, coded_texts
from sepal.data._text_options import TextOptions
from sepal.data._written import Written
from sepal.exceptions import DataError, ParameterError


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Labelled rows with known column kinds. Frozen: its arrays are read-only.

    Made by :func:`sepal.read_table`, :func:`sepal.datasets.load` or :func:`sepal.data.as_table`.

    Attributes
    ----------
    values : ndarray of float64, shape (n_rows, n_columns)
        The feature columns. Numbers stand as they are, ordinal cells as ranks 0, 1, ..., nominal cells as
        positions in ``levels``, and so do texts. NaN is a missing cell in every kind.
    names : tuple of str
        The feature columns, without the target.
    kinds : tuple of {"numeric", "ordinal", "nominal", "text"}
    levels : tuple
        Per column the levels in code order; None for a numeric column.
    y : ndarray or None
        The labels (or a numeric target), as given.
    target : str or None
        The name of the target.
    class_order : tuple or None
        The labels in the order their source declares, if it declares one. See ``target_levels``.
    weights : ndarray or None
        Row weights, where the source has them (ARFF).
    notes : tuple of str
        What a reader of results should know: cautions, conversions, dropped rows, constant columns.
    name, description, citation, licence : str or None
        What the data are, where known.
    apart : tuple of Apart
        Columns that say which row it is (row numbers, identifiers, names): kept for output, never used.
    text_options : TextOptions
        How columns of texts are read.
    written : mapping of str to Written
        Of columns of dates, which are numbers here: how each stood in the source. A target of dates is among them.
    cautions : tuple of Caution
        What changes how results are to be read, each with a stable code: columns that were set apart, a column that
        determines the class, classes that differ by case or blanks only, constant columns.

    Examples
    --------
    >>> import sepal.datasets
    >>> table = sepal.datasets.load("athletes")
    >>> table
    <Table athletes: 20 rows, 2 columns (2 numeric), target "class" (no 12, yes 8)>
    >>> table.take([0, 12]).y
    array(['no', 'yes'], dtype='<U3')
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    levels: tuple[tuple[Any, ...] | None, ...]
    y: NDArray[Any] | None = None
    target: str | None = None
    class_order: tuple[Any, ...] | None = None
    weights: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()
    name: str | None = None
    description: str | None = None
    citation: str | None = None
    licence: str | None = None
    apart: tuple[Apart, ...] = ()
    text_options: TextOptions = TextOptions()  # noqa: RUF009 - frozen
    written: Mapping[str, Written] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.dtype != np.float64:
            raise DataError(
                f"values: expected a float64 array of two dimensions, found {self.values.dtype} of {self.values.ndim}"
            )
        for part in ("names", "kinds", "levels"):
            if len(getattr(self, part)) != self.n_columns:
                raise DataError(
                    f"{part}: expected one entry per column ({self.n_columns}), found {len(getattr(self, part))}"
                )
        for part in ("y", "weights"):
            array = getattr(self, part)
            if array is not None and array.shape != (self.n_rows,):
                raise DataError(f"{part}: expected shape ({self.n_rows},), found {array.shape}")
        for each in self.apart:
            if each.values.shape != (self.n_rows,):
                raise DataError(f"apart: expected shape ({self.n_rows},), found {each.values.shape} in {each.name}")
        self._freeze()

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickled arrays come back writeable.
        self.__dict__.update(state)
        self._freeze()

    def _freeze(self) -> None:
        for part in ("values", "y", "weights"):
            array = getattr(self, part)
            if array is not None and array.flags.writeable:
                object.__setattr__(self, part, read_only(array))

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.values.shape[0])

    @property
    def n_columns(self) -> int:
        """The number of feature columns."""
        return int(self.values.shape[1])

    @cached_property
    def n_missing(self) -> int:
        """The number of missing cells among the features."""
        return int(np.isnan(self.values).sum())

    @property
    def has_missing(self) -> bool:
        """Whether any feature cell is missing."""
        return self.n_missing > 0

    @cached_property
    def cautions(self) -> tuple[Caution, ...]:
        """What changes how results are to be read, each with a stable code."""
        return cautions_of(self)

    @cached_property
    def target_levels(self) -> tuple[Any, ...] | None:
        """The class labels in declared order if the source declares one, else the distinct labels, sorted.

        None without a target, and for a numeric target held as floats.
        """
        if self.class_order is not None:
            return self.class_order
        if self.y is None or self.y.dtype.kind == "f":
            return None
        return tuple(np.unique(self.y).tolist())

    @cached_property
    def _coded_labels(self) -> CodedLabels | None:
        """The distinct labels, sorted, and the place of each row's among them, where all labels are texts."""
        return None if self.y is None or self.y.dtype.kind not in "OU" else coded_texts(self.y)

    def take(self, rows: ArrayLike) -> Table:
        """The table of these rows: positions (any order, repeats allowed) or a boolean mask.

        Levels, class order and notes stay as they are.
        """
        picked = np.asarray(rows)
        if picked.ndim != 1 or (picked.size and picked.dtype.kind not in "iub"):
            raise ParameterError(
                f"rows: expected a list of row positions or a boolean mask, "
                f"found {picked.dtype} of {picked.ndim} dimensions"
            )
        if picked.dtype.kind == "b":
            if picked.size != self.n_rows:
                raise ParameterError(f"rows: expected a mask of {self.n_rows} rows, found {picked.size}")
            picked = np.flatnonzero(picked)
        elif picked.size == 0:
            picked = picked.astype(np.intp)
        elif picked.max() >= self.n_rows or picked.min() < -self.n_rows:
            worst = picked.max() if picked.max() >= self.n_rows else picked.min()
            raise ParameterError(f"rows: expected positions from 0 to {self.n_rows - 1}, found {worst}")
        return replace(
            self,
            values=self.values.take(picked, axis=0),  # an index takes several times as long
            y=None if self.y is None else self.y[picked],
            weights=None if self.weights is None else self.weights[picked],
            apart=tuple(each.take(picked) for each in self.apart),
        )

    def select(self, columns: Sequence[str | int]) -> Table:
        """The table of these feature columns, by name or position, in the order given."""
        if isinstance(columns, str) or not isinstance(columns, Iterable):
            raise ParameterError(f"columns: expected a list of names or positions, found {shown(columns)}")
        places = [column_position(column, self.names, "columns") for column in columns]
        if not places:
            raise ParameterError("columns: expected at least one column, found none")
        check_names([self.names[i] for i in places], "columns: ")
        return replace(
            self,
            values=np.ascontiguousarray(self.values[:, places]),
            names=tuple(self.names[i] for i in places),
            kinds=tuple(self.kinds[i] for i in places),
            levels=tuple(self.levels[i] for i in places),
        )

    def drop(self, columns: Sequence[str | int]) -> Table:
        """The table without these columns, by name or position; columns that were set apart count too.

        Examples
        --------
        >>> import sepal.datasets
        >>> sepal.datasets.load("athletes").drop(["speed"]).names
        ('agility',)
        """
        if isinstance(columns, str) or not isinstance(columns, Iterable):
            raise ParameterError(f"columns: expected a list of names or positions, found {shown(columns)}")
        apart = {each.name for each in self.apart}
        gone = {column for column in columns if isinstance(column, str) and column in apart}
        places = {column_position(column, self.names, "columns") for column in columns if column not in gone}
        if len(places) == self.n_columns:
            raise ParameterError("columns: dropping all columns leaves nothing")
        kept = replace(self, apart=tuple(each for each in self.apart if each.name not in gone))
        return kept.select([j for j in range(self.n_columns) if j not in places]) if places else kept

    def set_apart(self, columns: Sequence[str]) -> Table:
        """The table with these columns kept beside it, for output and for groups, and never used as features.

        Examples
        --------
        >>> import sepal.datasets
        >>> table = sepal.datasets.load("athletes").set_apart(["speed"])
        >>> table.names, [column.name for column in table.apart]
        (('agility',), ['speed'])
        """
        from sepal.data._group_column import set_apart

        return set_apart(self, columns)

    def with_kinds(self, kinds: KindsSpec) -> Table:
        """The table with other kinds of columns: by name or position a kind, or the levels in order.

        Examples
        --------
        >>> import sepal.datasets
        >>> sepal.datasets.load("athletes").with_kinds({"speed": "nominal"}).kinds
        ('nominal', 'numeric')
        """
        from sepal.data._convert import as_table

        return as_table(self, kinds=kinds)

    def with_target(self, column: str) -> Table:
        """The table whose target is that column; the target of before becomes the last feature.

        Examples
        --------
        >>> import sepal.datasets
        >>> sepal.datasets.load("weather").with_target("outlook").names
        ('temperature', 'humidity', 'windy', 'play')
        """
        from sepal.data._retarget import with_target

        return with_target(self, column)

    def with_task(self, task: str | None) -> Table:
        """The table with a target of numbers as classes ("classify"), or with classes that are numbers as numbers.

        Examples
        --------
        >>> from sepal.data import as_table
        >>> as_table([[1.0], [2.0]], [3, 4]).with_task("classify").y
        array(['3', '4'], dtype='<U1')
        """
        from sepal.data._retarget import with_task

        return with_task(self, task)

    @property
    def complete_rows(self) -> NDArray[np.bool_]:
        """For each row, whether no cell of it is missing."""
        return np.asarray(~np.isnan(self.values).any(axis=1))

    def drop_missing(self) -> Table:
        """The complete rows only, with a note that says how many were dropped."""
        complete = self.complete_rows
        dropped = int(self.n_rows - complete.sum())
        if dropped == 0:
            return self
        if dropped == self.n_rows:
            missing = np.isnan(self.values).sum(axis=0)
            empty = [self.names[j] for j in np.flatnonzero(missing == self.n_rows)]
            if empty:
                raise DataError(
                    f"all {self.n_rows} rows have missing cells; dropping them leaves nothing",
                    hint=f"leave out what has not a single value: {columns_named(empty)}",
                )
            emptiest = int(missing.argmax())
            raise DataError(
                f"all {self.n_rows} rows have missing cells; dropping them leaves nothing",
                hint=f"leave out column {shown(self.names[emptiest])}, which has the most missing cells",
            )
        return replace(self.take(complete), notes=(*self.notes, dropped_note(dropped, self.n_rows)))

    def frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """The feature columns as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            By default pandas if it is installed, else polars.
            pandas: numeric columns are float64, nominal ones Categorical, ordinal ones ordered Categorical;
            :func:`as_table` gives the same table back. polars: nominal and ordinal columns both become Enum,
            whose categories are texts; to read one back as ordinal, say so through ``kinds``.

        Raises
        ------
        MissingDependencyError
            If the library is not installed.
        """
        from sepal.data._frames import to_frame

        return to_frame(self, library)

    def __repr__(self) -> str:
        return f"<Table {self._title()}: {self._shape()}{self._target_text()}>"

    def _title(self) -> str:
        return self.name or "without a name"

    def _shape(self) -> str:
        counts = [f"{self.kinds.count(kind)} {kind}" for kind in KINDS if kind in self.kinds]
        missing = f", {_count(self.n_missing, 'missing cell')}" if self.has_missing else ""
        return f"{_count(self.n_rows, 'row')}, {_count(self.n_columns, 'column')} ({', '.join(counts)}){missing}"

    def _target_text(self) -> str:
        if self.y is None:
            return ", no target"
        target = f", target {shown(self.target)}" if self.target else ", target"
        if self.target_levels is None or len(self.target_levels) > 8:
            distinct = len(np.unique(self.y)) if self.target_levels is None else len(self.target_levels)
            return f"{target} ({distinct} distinct values)"
        counts = ", ".join(f"{level} {int((self.y == level).sum())}" for level in self.target_levels)
        return f"{target} ({counts})"

    def _repr_html_(self) -> str:
        rows = []
        for j, (name, kind, levels) in enumerate(zip(self.names, self.kinds, self.levels, strict=True)):
            if j == 20 and self.n_columns > 21:
                rows.append(f"<tr><td colspan=4>and {self.n_columns - 20} more columns</td></tr>")
                break
            column = self.values[:, j]
            present = column[~np.isnan(column)]
            if levels is not None:
                texts = [html.escape(str(level)[:40]) for level in levels[:8]]
                content = (" &lt; " if kind == "ordinal" else ", ").join(texts)
                content += ", ..." if len(levels) > 8 else ""
            else:
                content = f"{present.min():g} to {present.max():g}" if present.size else ""
            rows.append(
                f"<tr><td>{html.escape(name)}</td><td>{kind}</td><td>{content}</td>"
                f"<td>{column.size - present.size or ''}</td></tr>"
            )
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return (
            f"<div><p><b>{html.escape(self._title())}</b>: {self._shape()}{html.escape(self._target_text())}</p>"
            f"<table><thead><tr><th>column</th><th>kind</th><th>values</th><th>missing</th></tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>{f'<ul>{notes}</ul>' if notes else ''}</div>"
        )


def _count(number: int, what: str) -> str:
    return f"{number} {plural(number, what)}"


def assemble(columns: Sequence[Column], origin: Origin = MEMORY, **fields: Any) -> Table:
    """The table of finished feature columns; checks that they are finite and notes the constant ones."""
    values, complete, _ = float_columns([column.values for column in columns])
    for column in () if complete else columns:
        check_finite(column, origin)
    notes = [note for column in columns for note in column.notes]
    names = tuple(column.name for column in columns)
    table = Table(
        values=values,
        names=names,
        kinds=tuple(column.kind for column in columns),
        levels=tuple(None if column.kind == "numeric" else column.levels for column in columns),
        notes=(*fields.pop("notes", ()), *notes, *constant_notes(values, names)),
        written=fields.pop("written", {}) | {each.name: each.written for each in columns if each.written is not None},
        **fields,
    )
    if complete:
        table.__dict__["n_missing"] = 0  # known already
    return table


def constant_notes(values: NDArray[np.float64], names: Sequence[str]) -> list[str]:
    """One sentence for all constant columns, one for all empty ones."""
    return [caution.text for caution in constant_cautions(values, names)]
