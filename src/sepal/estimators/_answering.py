"""Models of files that can answer rows of a file: those that know the names of their columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sepal.estimators._saving import load_model
from sepal.exceptions import DataError


def load_answering(path: str | Path) -> tuple[Any, list[str], Any]:
    """The model of a file, the names of the columns it asks for, and what it remembers of its training rows."""
    fitted = load_model(path)
    names = getattr(fitted, "feature_names_in_", None)
    if names is None or not hasattr(fitted, "predict"):
        raise DataError(
            f"{path}: the file holds a {type(fitted).__name__} that cannot answer rows of a file",
            hint="sepal train DATA -o model.sepal writes one that can",
        )
    training = getattr(fitted, "table_", None) or getattr(fitted, "columns_", None)
    return fitted, [str(name) for name in names], training
