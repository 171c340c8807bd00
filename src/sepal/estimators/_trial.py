"""A first question to a model that came from a file: parts that do not belong together cannot answer it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sepal.data import Kind, Table
from sepal.exceptions import SepalError

QUESTIONS = ("predict", "predict_proba", "decision_function", "transform")


def _each_target(answer: Any) -> list[Any]:
    """Of several targets, probabilities come as a list."""
    return answer if isinstance(answer, list) else [answer]


def answers_a_row(model: Any) -> bool:
    """Whether the model answers a row of zeros (and first levels), or refuses it in words of our own."""
    if "n_features_in_" not in vars(model):
        return True  # not fitted
    row = _row(model)
    if row is None:
        return False
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            for name in QUESTIONS:
                ask = getattr(model, name, None)
                if ask is not None and not all(np.shape(part)[0] == 1 for part in _each_target(ask(row))):
                    return False
        except (SepalError, MemoryError):
            return True
        except Exception:  # whatever it is, it comes from the parts and not from the row
            return False
    return True


def _row(model: Any) -> Any:
    columns = getattr(model, "columns_", None)
    if isinstance(columns, Table):
        values = np.zeros((1, columns.n_columns))
        return Table(values, columns.names, columns.kinds, columns.levels)
    width = getattr(model, "n_features_in_", None)
    if type(width) is not int or not 0 < width < 10**6:
        return None
    names = getattr(model, "feature_names_in_", None)
    if isinstance(names, np.ndarray) and names.shape == (width,):
        numeric: Kind = "numeric"
        return Table(np.zeros((1, width)), tuple(map(str, names)), (numeric,) * width, (None,) * width)
    return np.zeros((1, width))
