"""The shell of every estimator: reads training rows and new rows, remembers columns, reports what it takes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from sepal.data import (
    Apart,
    Kind,
    Rows,
    SparseRows,
    Table,
    array_names,
    as_plain_array,
    as_rows,
    as_sets,
    as_table,
    check_class_labels,
    column_places,
    first_missing,
    given_names,
    is_frame,
    label_array,
    levels_by_name,
    match_table,
    refuse_texts,
    rows_inside,
)
from sepal.estimators._columns import (
    check_column_count,
    rearranged,
    warn_of_names,
)
from sepal.estimators._plain_rows import plain_rows
from sepal.estimators._said_by_us import as_data_errors
from sepal.exceptions import DataError
from sepal.parameters import Parameter, check_parameters

EXPECTED_FAILED_CHECKS = {
    "check_dataframe_column_names_consistency": "named columns may come in any order: each is found by its name, where "
    "scikit-learn wants an error. The rest of that check, unknown and missing columns, holds."
}
"""What scikit-learn's ``check_estimator`` may find, for its ``expected_failed_checks``, and why."""


@dataclass(frozen=True)
class Diet:
    """Which rows an estimator takes, by its parameters.

    Attributes
    ----------
    levels : bool
        Nominal columns, texts for instance.
    missing : bool
        Missing cells.
    sparse : bool
        Sparse matrices and sets.
    pairwise : bool
        Rows are distances to, or kernel values with, the training rows.
    not_negative : bool
        Cells are at least 0.
    hint : str, optional
        What to do with a nominal column where ``levels`` is False.
    """

    levels: bool = False
    missing: bool = False
    sparse: bool = False
    pairwise: bool = False
    not_negative: bool = False
    hint: str | None = None


class TableEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of all estimators of Sepal.

    Columns go by name where training rows and new rows both have names, in any order; a missing or an unknown column is
    an error that names it. Arrays have no names: their columns go by position. Tables and data frames of pandas, polars
    and pyarrow are read alike.

    Attributes
    ----------
    columns_ : Table or SparseRows
        The training columns, names, kinds and levels, without a row.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn; a Table has names, too.

    Examples
    --------
    >>> import sepal
    >>> model = sepal.KNNClassifier(1).fit(sepal.datasets.load("athletes"))
    >>> model.feature_names_in_.tolist()
    ['speed', 'agility']
    """

    parameter_table: ClassVar[tuple[Parameter, ...]] = ()
    columns_: Rows
    n_features_in_: int

    def _diet(self) -> Diet:
        """Which rows it takes."""
        return Diet()

    def __sklearn_tags__(self) -> Any:
        tags, diet = super().__sklearn_tags__(), self._diet()
        tags.input_tags.allow_nan = diet.missing
        tags.input_tags.categorical = tags.input_tags.string = diet.levels
        tags.input_tags.sparse = diet.sparse
        tags.input_tags.pairwise = diet.pairwise
        tags.input_tags.positive_only = diet.not_negative
        return tags

    # ---------------------------------------------------------------- rows of any kind

    def _training_rows(self, X: Any, y: Any = None, *, sparse: bool = False) -> Rows:
        """Training rows with their target, which a Table may bring; checks parameters, remembers the columns."""
        check_parameters(self)
        X = rows_inside(X)
        if not sparse:
            refuse_sets(X, self)
        if not isinstance(X, Table) and getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            text = "A column-vector y was passed when a 1d array was expected: one answer per row"
            warnings.warn(text, DataConversionWarning, stacklevel=4)
        typed_labels(self, X, y)
        rows = as_rows(X, y) if sparse else as_table(X, y)
        rows = levels_by_name(rows) if isinstance(rows, Table) else rows
        self._remember_columns(X, rows, y)
        if isinstance(rows, Table) and (rows.apart or rows.written):
            rows = replace(rows, apart=(), written={})  # a model learns nothing from them, and keeps their names only
        return rows

    def _remember_columns(self, X: Any, rows: Rows, y: Any = "no_validation") -> None:
        """The columns without their rows, and their names and number as scikit-learn keeps them."""
        if isinstance(X, Table):
            self._name_columns(X)
        elif isinstance(rows, SparseRows):
            validate_data(self, rows.matrix, rows.y, skip_check_array=True)
        else:
            with as_data_errors():
                validate_data(self, X, y, skip_check_array=True)
        self.columns_ = without_rows(rows)

    def _more_training_rows(self, X: Any, y: Any) -> Rows:
        """Further training rows with their target, read as the first ones were; levels may be new."""
        X = rows_inside(X)
        if isinstance(X, (Table, SparseRows)) and y is None:
            y = X.y
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        typed_labels(self, X, y)
        rows, labels = self._read_as_training(X, learn=True), label_array(y).y
        if len(labels) != rows.n_rows:
            raise DataError(f"X has {rows.n_rows} rows and y has {len(labels)} labels", hint="give one label for each")
        return replace(rows, y=labels)

    def _new_rows(self, X: Any) -> Rows:
        """New rows with the columns, kinds and level codes of the training rows."""
        return self._read_as_training(X)

    def _read_as_training(self, X: Any, *, learn: bool = False) -> Rows:
        """Rows with the columns and kinds of the training rows; ``learn`` keeps the names of what is new in them."""
        self._check_fitted()
        if isinstance(self.columns_, SparseRows):
            return as_rows(X) if learn and as_sets(X) is not None else as_rows(X, like=self.columns_)
        X, names = self._in_training_order(X)
        plain = plain_rows(X, self.columns_, names)
        if plain is not None:
            return plain
        refuse_sets(X, self)
        table = as_table(X)
        check_column_count(table.n_columns, self.columns_.n_columns, self)
        return match_table(replace(table, names=self.columns_.names), self.columns_, learn=learn)

    def _new_table(self, X: Any) -> Table:
        """The same for estimators that know no sparse rows."""
        rows = self._new_rows(X)
        assert isinstance(rows, Table)  # noqa: S101 - the training rows were one
        return rows

    # ---------------------------------------------------------------- rows of a matrix that stays sparse

    def _training_matrix(self, X: Any, y: Any) -> tuple[Any, Any]:
        """A sparse matrix of numbers and the target as scikit-learn checks them; remembers the columns."""
        y = typed_labels(self, X, y)
        with as_data_errors():
            matrix, labels = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
        self.columns_ = without_rows(SparseRows(csr_array(matrix)))
        return matrix, labels

    def _new_matrix(self, X: Any) -> Any:
        """New rows for an estimator that was fitted on such a matrix; dense ones, too."""
        with as_data_errors():
            return validate_data(self, X, reset=False, dtype=np.float64, accept_sparse="csr")

    # ---------------------------------------------------------------- rows of numbers

    def _training_numbers(self, X: Any, y: Any = "no_validation", **checks: Any) -> tuple[Table, Any]:
        """Training rows as numbers, and the target as scikit-learn checks it; remembers the columns.

        Without ``y`` only the rows are read. ``checks`` go to scikit-learn's ``validate_data``.
        """
        check_parameters(self)
        checks = {"dtype": np.float64, "ensure_all_finite": "allow-nan" if self._diet().missing else True, **checks}
        without = isinstance(y, str) and y == "no_validation"
        X, y = rows_inside(X), as_plain_array(y)
        refuse_sets(X, self)
        if not without:
            y = typed_labels(self, X, y)
        given: Any = X
        names = given_names(X)
        if self._diet().levels and has_levels(X):
            X = as_table(X)
        if isinstance(X, Table):
            X = as_numbers(X, self._diet())
            refuse_missing_cells(X, self._diet())
            y, given = (X.y if y is None else y), X.values
        try:
            with as_data_errors(), np.errstate(invalid="ignore"):  # infinities of both signs: it sums them to look
                found = validate_data(self, given, y, **checks)
        except ValueError:
            if _is_no_array(X) or _holds_text(X):
                as_numbers(as_table(X), self._diet())  # says what it is, or which column is not numeric
            raise
        values, target = (found, None) if without else found
        if isinstance(X, Table):
            table = X
            if names is not None:
                self._name_columns(X)
        else:
            table = numeric_table(values, names or array_names(values.shape[1]))
        self.columns_ = without_rows(table)
        return table, target

    def _new_numbers(self, X: Any) -> Table:
        """New rows as numbers, columns and ranks as in training."""
        self._check_fitted()
        columns = self.columns_
        assert isinstance(columns, Table)  # noqa: S101 - numbers are never sparse
        X, names = self._in_training_order(X)
        plain = plain_rows(X, columns, names)
        if plain is not None:
            return plain
        refuse_sets(X, self)
        finite: Any = "allow-nan" if self._diet().missing else True
        ranked = any(levels is not None for levels in columns.levels)
        if isinstance(X, Table) or (ranked and is_frame(X)) or (self._diet().levels and has_levels(X)):
            table = as_table(X)
            check_column_count(table.n_columns, columns.n_columns, self)
            if not ranked:
                table = as_numbers(table, self._diet())
            table = match_table(replace(table, names=columns.names), columns)
            refuse_missing_cells(table, self._diet())
            return table
        try:
            with as_data_errors():
                values = check_array(X, dtype=np.float64, ensure_all_finite=finite, input_name="X", estimator=self)
        except ValueError:
            if _is_no_array(X) or _holds_text(X):
                as_numbers(as_table(X), self._diet())
            raise
        check_column_count(values.shape[1], columns.n_columns, self)
        return Table(np.array(values, order="C"), columns.names, columns.kinds, columns.levels)

    # ---------------------------------------------------------------- names

    def _name_columns(self, table: Table) -> None:
        self.n_features_in_ = table.n_columns
        self.feature_names_in_ = np.array(table.names, dtype=object)

    def _check_fitted(self) -> None:
        """Refuse questions before ``fit``; scikit-learn's own check takes as long as an answer, and is asked last."""
        if "columns_" not in self.__dict__:
            check_is_fitted(self)

    def _in_training_order(self, X: Any) -> tuple[Any, tuple[str, ...] | None]:
        """The same container, its columns as they stood in training where both sides have names, and their names."""
        X = rows_inside(X)
        names, wanted = given_names(X), self._training_names()
        warn_of_names(self, names, wanted, isinstance(X, Table))
        places = column_places(names, wanted)
        return (X, names) if places is None else (rearranged(X, places), wanted)

    def _training_names(self) -> tuple[str, ...] | None:
        """The names of the training columns; None if they came from an array."""
        names = self.columns_.names
        return names if hasattr(self, "feature_names_in_") or names != array_names(len(names)) else None


def typed_labels(estimator: Any, X: Any, y: Any) -> Any:
    """The labels of a classifier in the type they have; refused is what it cannot learn.

    scikit-learn reads numbers that may be missing as floats, and whole numbers or truth values among objects not at
    all. A column of labels stays one, so that scikit-learn warns of it; without labels others say so.
    """
    if not isinstance(estimator, ClassifierMixin):
        return y
    given = X.y if y is None and isinstance(X, (Table, SparseRows)) else y
    if given is None:
        return y
    labels = check_class_labels(given)
    return y if y is None or getattr(y, "ndim", 1) == 2 else labels


def refuse_sets(X: Any, estimator: Any) -> None:
    """Say that rows are sets where columns are needed."""
    if as_sets(X) is not None:
        raise DataError(
            f"X holds sets, and {type(estimator).__name__} needs rows with columns",
            hint="KNNClassifier and KNNRegressor take sets; or make a column of 0 and 1 for each element",
        )


def has_levels(X: Any) -> bool:
    """Whether a container may hold levels: data frames, and arrays and lists of texts or objects."""
    if is_frame(X):
        return True
    return not hasattr(X, "tocsr") and not isinstance(X, Table) and np.asarray(X).dtype.kind in "OUS"


def without_rows(rows: Rows) -> Rows:
    """Its columns only."""
    if isinstance(rows, SparseRows):
        return SparseRows(rows.matrix[:0], elements=rows.elements)
    apart = tuple(Apart(each.name, each.why, np.empty(0), 0) for each in rows.apart)
    levels = tuple(() if kind == "text" else held for kind, held in zip(rows.kinds, rows.levels, strict=True))
    return Table(
        np.empty((0, rows.n_columns)),
        rows.names,
        rows.kinds,
        levels,
        target=rows.target,
        apart=apart,
        text_options=rows.text_options,
    )


def numeric_table(values: NDArray[np.float64], names: tuple[str, ...]) -> Table:
    """A table of plain numbers."""
    numeric: Kind = "numeric"
    # A copy of its own: the caller may change the array, and its place in memory must not show in any last bit.
    return Table(np.array(values, order="C"), names, (numeric,) * len(names), (None,) * len(names))


def refuse_missing_cells(table: Table, diet: Diet) -> None:
    """Say where the first missing cell is, if the estimator takes none."""
    if table.has_missing and not diet.missing:
        raise DataError(
            f"{first_missing(table)}; this machine needs complete rows",
            hint="KNNClassifier and SepalClassifier take missing cells; or leave such rows out",
        )


def as_numbers(table: Table, diet: Diet) -> Table:
    """A table whose columns are all numbers or ranks; False and True are 0 and 1, as in an array.

    With ``diet.levels`` the table passes as it is.
    """
    refuse_texts(table, "this machine needs numbers")
    if diet.levels:
        return table
    kinds, levels = list(table.kinds), list(table.levels)
    for j, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True)):
        if kind != "nominal":
            continue
        if levels[j] != (False, True) or not all(isinstance(level, bool) for level in levels[j] or ()):
            raise DataError(f'column "{name}" is nominal; this machine needs numbers', hint=diet.hint)
        kinds[j], levels[j] = "numeric", None
    return table if list(table.kinds) == kinds else replace(table, kinds=tuple(kinds), levels=tuple(levels))


def _is_no_array(X: Any) -> bool:
    """Whether rows are neither an array nor lists nor a sparse matrix."""
    return not isinstance(X, (np.ndarray, list, tuple)) and not hasattr(X, "tocsr")


def _holds_text(X: Any) -> bool:
    """Whether rows are an array, or lists, with text among the cells."""
    try:
        cells = np.asarray(X)
    except ValueError:  # rows of several lengths: not for this to tell
        return False
    return cells.ndim == 2 and (cells.dtype.kind == "U" or any(isinstance(cell, str) for cell in cells.ravel()))
