"""A first question to a model that came from a file: parts that do not belong together cannot answer it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Kind, Table
from sepal.exceptions import SepalError

Levels = tuple[tuple[str, ...] | None, ...]

QUESTIONS = ("predict", "predict_proba", "decision_function", "transform")
_DEEP = 3  # objects inside each other in which the columns of a model are looked for
_FAR = 100.0  # a cell away from all training cells that were scaled
_ROWS = 11  # a number that is hardly one of classes or columns, with which arrays could be stretched by accident


def answers_rows(model: Any) -> bool:
    """Whether the model answers a few rows with what its classes promise, or refuses them in words of our own."""
    if "n_features_in_" not in vars(model):
        return True  # not fitted
    rows = _rows(model)
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


def _rows(model: Any) -> Any:
    """Zeros and first levels, ones and last levels, and cells far away, with the columns that the model knows."""
    columns = getattr(model, "columns_", None)
    if isinstance(columns, Table):
        return Table(_cells(columns.levels), columns.names, columns.kinds, columns.levels)
    width = getattr(model, "n_features_in_", None)
    if type(width) is not int or not 0 < width < 10**6:
        return None
    levels = _known_levels(model, _DEEP) or (None,) * width
    names = getattr(model, "feature_names_in_", None)
    if len(levels) == width and isinstance(names, np.ndarray) and names.shape == (width,):
        kinds: tuple[Kind, ...] = tuple("numeric" if each is None else "nominal" for each in levels)
        return Table(_cells(levels), tuple(map(str, names)), kinds, levels)
    return _cells((None,) * width)


def _cells(levels: Levels) -> NDArray[np.float64]:
    rows = [(0.0, 1.0, _FAR) if each is None else (0.0, len(each) - 1.0, 0.0) for each in levels]
    return np.resize(np.array(rows).T, (_ROWS, len(rows)))


def _known_levels(part: Any, deep: int) -> Levels | None:
    """The levels of the columns, as some part of the model keeps them."""
    held = vars(part) if hasattr(part, "__dict__") else {}
    found = held.get("levels")
    if isinstance(found, tuple) and all(each is None or (isinstance(each, tuple) and each) for each in found):
        return found
    inner = (_known_levels(each, deep - 1) for each in held.values()) if deep else ()
    return next((each for each in inner if each is not None), None)
