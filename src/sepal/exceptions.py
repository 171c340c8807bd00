"""Every error Sepal raises on purpose.

SepalError
├── DataError (ValueError)          a file, table, column or label is not usable; says where
│   └── CellTypeError (TypeError)   a cell holds an object that is no number, text, boolean or date
├── ParameterError (ValueError)     an argument is outside what it may be
├── OutOfMemoryError (MemoryError)  the work needs more memory than there is
├── ClusterError (RuntimeError)     a Dask cluster is gone, or has lost what it was asked for
└── MissingDependencyError (ImportError)   an optional package is needed; says the pip line

and one warning:

SepalWarning (UserWarning)          the answer stands, but the reader should know something

An error text says what was expected and what was found; where a cure is known it ends in a ``hint:`` line.
"""

from __future__ import annotations

__all__ = [
    "CellTypeError",
    "ClusterError",
    "DataError",
    "MissingDependencyError",
    "OutOfMemoryError",
    "ParameterError",
    "SepalError",
    "SepalWarning",
]


class SepalError(Exception):
    """Base class of every error that Sepal raises on purpose.

    Examples
    --------
    >>> import sepal
    >>> try:
    ...     sepal.datasets.load("sonnar")
    ... except SepalError as error:
    ...     print(error.hint)
    did you mean "sonar"?
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\nhint: {hint}")
        self.hint = hint


class DataError(SepalError, ValueError):
    """A file, table, column or label cannot be used as it is.

    Examples
    --------
    >>> import sepal
    >>> try:
    ...     sepal.thornton_score([[0.0], [1.0]], ["a", "a"])
    ... except DataError as error:
    ...     print(error)
    y: expected at least two classes, found only one class, "a", in all 2 rows
    hint: separability compares classes; check that the right column is the target
    """


class CellTypeError(DataError, TypeError):
    """A cell holds an object that no column can hold; a TypeError too, as scikit-learn expects.

    Examples
    --------
    >>> import sepal
    >>> try:
    ...     sepal.data.as_table([[1.0], [object()]])
    ... except CellTypeError:
    ...     print("a cell is neither a number nor a text")
    a cell is neither a number nor a text
    """


class ParameterError(SepalError, ValueError):
    """An argument is outside what it may be.

    Examples
    --------
    >>> from sepal.parameters import check_whole
    >>> try:
    ...     check_whole("n_neighbors", 0)
    ... except ParameterError as error:
    ...     print(error)
    n_neighbors must be an integer of at least 1; got 0
    """


class OutOfMemoryError(SepalError, MemoryError):
    """The work needs more memory than there is; a MemoryError too, as numpy raises.

    Examples
    --------
    >>> issubclass(OutOfMemoryError, MemoryError)
    True
    """


def out_of_memory() -> OutOfMemoryError:
    """Return the error that native code raises when memory cannot be had.

    Examples
    --------
    >>> isinstance(out_of_memory(), MemoryError)
    True
    """
    return OutOfMemoryError(
        "there is not enough memory for this work on these rows",
        hint="take a sample of the rows or fewer columns, free memory, or use fewer threads (n_jobs=1)",
    )


class ClusterError(SepalError, RuntimeError):
    """A Dask cluster does not answer, has no workers, or has lost the work it was given.

    Examples
    --------
    >>> issubclass(ClusterError, RuntimeError)
    True
    """


class MissingDependencyError(SepalError, ImportError):
    """An optional package is needed for what was asked.

    Examples
    --------
    >>> issubclass(MissingDependencyError, (SepalError, ImportError))
    True
    """


class SepalWarning(UserWarning):
    """The answer stands, but there is something to know about it.

    Examples
    --------
    >>> issubclass(SepalWarning, UserWarning)
    True
    """
