"""A model from a file is asked once before it is handed out, so that what is wrong with it shows at once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sepal.data import SparseRows, Table
from sepal.exceptions import SepalError

QUESTIONS = ("predict", "predict_proba", "decision_function", "transform")
_FAR = 100.0  # a cell away from all training cells that were scaled
_ROWS = 11  # a number that is hardly one of classes or columns, with which arrays could be stretched by accident
_UNSEEN = "\0a level that no training row has"


def answers_rows(model: Any) -> bool:
    """Whether the model answers a few rows with what its classes promise, or refuses them in words of our own."""
    if not any(name.endswith("_") for name in vars(model)):
        return True  # not fitted
    rows = _rows(vars(model))
    if rows is None:
        return False
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return all(_answers(model, name, rows) for name in QUESTIONS)
        except Exception:  # whatever it is, it comes from the parts and not from the rows
            return False


def _answers(model: Any, name: str, rows: Any) -> bool:
    ask = getattr(model, name, None)
    if ask is None:
        return True
    try:
        answer = ask(rows)
    except (SepalError, MemoryError):
        return True
    if isinstance(answer, Table):
        return answer.n_rows == _ROWS
    if isinstance(getattr(model, "classes_", None), list):  # several targets: probabilities come as a list
        parts = answer if isinstance(answer, list) else [answer]
        return all(np.shape(part)[:1] == (_ROWS,) for part in parts)
    shape = np.shape(answer)
    if shape[:1] != (_ROWS,):
        return False
    if name == "predict" and hasattr(model, "classes_"):
        return len(shape) == 1
    if name in ("predict_proba", "decision_function") and hasattr(model, "classes_"):
        n = len(model.classes_)
        widths = {n, n * (n - 1) // 2} if name == "decision_function" else {n}  # one per class, or one per pair
        return shape == (_ROWS,) if n == 2 and name == "decision_function" else shape[1:] in {(k,) for k in widths}
    return True


def _rows(held: dict[str, Any]) -> Table | csr_array | None:
    """Rows for the columns that the model knows; None if it does not know which columns it has."""
    columns, width, names = (held.get(name) for name in ("columns_", "n_features_in_", "feature_names_in_"))
    if not isinstance(columns, (Table, SparseRows)) or type(width) is not int or columns.n_columns != width:
        return None
    if "feature_names_in_" in held and (not isinstance(names, np.ndarray) or names.tolist() != list(columns.names)):
        return None
    if isinstance(columns, SparseRows):
        return csr_array(np.resize([[0.0], [1.0], [_FAR]], (_ROWS, 1)) * np.ones(width))
    # Zeros and first levels, ones and last levels, cells far away and levels that no training row has.
    levels = tuple(
        (*each, _UNSEEN) if each is not None and kind == "nominal" else each
        for each, kind in zip(columns.levels, columns.kinds, strict=True)
    )
    cells = [(0.0, 1.0, _FAR) if each is None else (0.0, max(len(each) - 2.0, 0.0), len(each) - 1.0) for each in levels]
    return Table(np.resize(np.array(cells).T, (_ROWS, width)), columns.names, columns.kinds, levels)
