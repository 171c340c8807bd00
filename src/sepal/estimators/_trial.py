"""A model from a file is asked once before it is handed out, so that what is wrong with it shows at once."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from sepal.data import SparseRows, Table
from sepal.estimators._scikit_learn_steps import is_pipeline, steps_of
from sepal.exceptions import SepalError

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

QUESTIONS = ("predict", "predict_proba", "decision_function", "transform")
_REACH = (1.0, 100.0)  # cells near the training cells, and away from all of them, which a model may refuse
_ROWS = 11  # a number that is hardly one of classes or columns, with which arrays could be stretched by accident
_MOST_COLUMNS = 1 << 24
_UNSEEN = "\0a level that no training row has"


def answers_rows(model: Any) -> bool:
    """Whether the model answers a few rows with what its classes promise, or refuses them in words of our own."""
    if is_pipeline(model):
        return _pipeline_answers(model)
    if not any(name.endswith("_") for name in vars(model)):
        return True  # not fitted
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if not _knows_its_columns(vars(model)):
                return False
            tries = [_rows(model.columns_, reach) for reach in _REACH]
            return all(_answers(model, name, rows) for name in QUESTIONS for rows in tries)
        except Exception:  # whatever it is, it comes from the parts and not from the rows
            return False


def _pipeline_answers(pipeline: Pipeline) -> bool:
    """Whether every step of Sepal answers, and all steps together."""
    steps = steps_of(pipeline)
    if not any(name.endswith("_") for step in steps for name in vars(step)):
        return True  # not fitted
    if not all(answers_rows(step) for step in steps if isinstance(getattr(step, "columns_", None), Table | SparseRows)):
        return False
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            columns, width = getattr(steps[0], "columns_", None), steps[0].n_features_in_
            if type(width) is not int or not 0 < width < _MOST_COLUMNS:
                return False
            for reach in _REACH:
                cells = np.resize([[0.0], [1.0], [reach]], (_ROWS, 1)) * np.ones(width)
                rows = cells if columns is None else _rows(columns, reach)
                if not all(_answers(pipeline, name, rows) for name in QUESTIONS):
                    return False
        except Exception:  # as above
            return False
    return True


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


def _knows_its_columns(held: dict[str, Any]) -> bool:
    columns, width = held.get("columns_"), held.get("n_features_in_")
    if not isinstance(columns, (Table, SparseRows)) or type(width) is not int or columns.n_columns != width:
        return False
    return "feature_names_in_" not in held or held["feature_names_in_"].tolist() == list(columns.names)


def _rows(columns: Table | SparseRows, reach: float) -> Table | csr_array:
    """Zeros and first levels, ones and last levels, cells that far away and levels that no training row has."""
    if isinstance(columns, SparseRows):
        return csr_array(np.resize([[0.0], [1.0], [reach]], (_ROWS, 1)) * np.ones(columns.n_columns))
    levels = tuple(
        ("", "a word", _UNSEEN)
        if kind == "text"
        else (*each, _UNSEEN)
        if each is not None and kind == "nominal"
        else each
        for each, kind in zip(columns.levels, columns.kinds, strict=True)
    )
    cells = [
        (0.0, 1.0, reach) if each is None else (0.0, max(len(each) - 2.0, 0.0), len(each) - 1.0) for each in levels
    ]
    values = np.resize(np.array(cells).T, (_ROWS, len(levels)))
    return Table(values, columns.names, columns.kinds, levels, text_options=columns.text_options)
