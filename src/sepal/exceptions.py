"""Every error Sepal raises on purpose.

SepalError
├── DataError (ValueError)          a file, table, column or label is not usable; says where
│   └── CellTypeError (TypeError)   a cell holds an object that is no number, text, boolean or date
├── ParameterError (ValueError)     an argument is outside what it may be
├── OutOfMemoryError (MemoryError)  the work needs more memory than there is
└── MissingDependencyError (ImportError)   an optional package is needed; says the pip line

and one warning:

SepalWarning (UserWarning)          the answer stands, but the reader should know something

An error text says what was expected and what was found; where a cure is known it ends in a ``hint:`` line.
"""

from __future__ import annotations

__all__ = [
    "CellTypeError",
    "DataError",
    "MissingDependencyError",
    "OutOfMemoryError",
    "ParameterError",
    "SepalError",
    "SepalWarning",
]


class SepalError(Exception):
    """The root of all of them."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\nhint: {hint}")
        self.hint = hint


class DataError(SepalError, ValueError):
    """A file, table, column or label cannot be used as it is."""


class CellTypeError(DataError, TypeError):
    """A cell holds an object that no column can hold; a TypeError too, as scikit-learn expects."""


class ParameterError(SepalError, ValueError):
    """An argument is outside what it may be."""


class OutOfMemoryError(SepalError, MemoryError):
    """The work needs more memory than there is; a MemoryError too, as numpy raises."""


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


class MissingDependencyError(SepalError, ImportError):
    """An optional package is needed for what was asked."""


class SepalWarning(UserWarning):
    """The answer stands, but there is something to know about it."""
