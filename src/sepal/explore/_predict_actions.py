"""The screen Predict: one row from a form, or a file of rows, with the explanation."""

from __future__ import annotations

import json
from inspect import signature
from typing import Any

import numpy as np

from sepal.data import Table, as_table, row_page, written_number
from sepal.exceptions import ParameterError
from sepal.explore._action import Action, ActionSettings, call, field
from sepal.explore._classify_actions import LEARNER, LEARNER_SETTINGS, SEED, learner_code, made_learner
from sepal.explore._code import table_code
from sepal.explore._learners import LEARNERS
from sepal.explore._shelf import NEW_ROWS, Space
from sepal.explore._view import TableView

MODEL_FIELDS = (LEARNER, LEARNER_SETTINGS, SEED)
NEAREST_SHOWN = 5  # training rows that are shown beside an answer


def _model(space: Space, settings: ActionSettings) -> Any:
    chosen = {each.parameter.name: settings[each.parameter.name] for each in MODEL_FIELDS}
    key = ("model", json.dumps(chosen, sort_keys=True))

    def made() -> Any:
        learner = made_learner(space, chosen)
        told = {"groups": space.groups} if _fit_groups(space, learner) else {}
        return learner.fit(space.table, np.asarray(space.table.y), **told)

    return space.keep(key, made)


def _fit_groups(space: Space, learner: Any) -> bool:
    """Whether there are groups and the learner, or the machine in it, leaves rows out when it is trained."""
    within = getattr(learner, "machine", learner)
    return space.view.groups is not None and "groups" in signature(within.fit).parameters


def _model_code(space: Space, settings: ActionSettings) -> str:
    before, learner = learner_code(space, settings)
    told = ", groups=groups" if _fit_groups(space, made_learner(space, settings)) else ""
    return f"{before}\nmodel = {learner}.fit(table, table.y{told})"


def _row(space: Space, settings: ActionSettings) -> Table:
    """The cells of a form as a table with the kinds of the columns."""
    table = space.table
    return as_table([_cells(table, settings)], names=table.names, kinds=_kinds(table))


def _cells(table: Table, settings: ActionSettings) -> list[Any]:
    """The cells of a form in the order of the columns; dates are the numbers they are in the table."""
    cells = dict(settings["cells"] or {})
    for name in cells:
        if name not in table.names:
            raise ParameterError(f"cells: there is no column {name!r}", hint=f"there are {', '.join(table.names[:12])}")
    return [_cell(table, name, cells.get(name)) for name in table.names]


def _cell(table: Table, name: str, cell: Any) -> Any:
    written = table.written.get(name)
    if written is None or not isinstance(cell, str):
        return cell
    number = written_number(written, cell)
    if number is None and written.dates:
        sample = written.text(float(table.values[0, table.names.index(name)])) or "2020-01-31"
        raise ParameterError(f"cells: column {name!r} holds dates such as {sample}; found {cell!r}")
    return cell if number is None else number


def _kinds(table: Table) -> list[Any]:
    """One for each column; the levels themselves where they have an order."""
    return [
        list(levels or ()) if kind == "ordinal" else kind
        for kind, levels in zip(table.kinds, table.levels, strict=True)
    ]


def _told(model: Any, rows: Any) -> dict[str, Any]:
    shares = model.predict_proba(rows) if hasattr(model, "predict_proba") else None
    return {
        "predicted": model.predict(rows),
        "classes": getattr(model, "classes_", None),
        "probabilities": shares,
        **({} if getattr(model, "recall_", None) is None else {"recall": model.recall_}),
    }


TOLD_CODE = (
    '{\n    "predicted": model.predict(rows),\n    "classes": getattr(model, "classes_", None),\n'
    '    "probabilities": model.predict_proba(rows) if hasattr(model, "predict_proba") else None,\n'
    '    **({} if getattr(model, "recall_", None) is None else {"recall": model.recall_}),\n'
)


def _says_why(settings: ActionSettings) -> bool:
    """Whether the learner itself explains the answer for a row; some explain themselves only."""
    kind = LEARNERS[settings["learner"]].kind
    return hasattr(kind, "explain") and "X" in signature(kind.explain).parameters


def _near_name(settings: ActionSettings) -> str:
    return "KNNRegressor" if LEARNERS[settings["learner"]].task == "regress" else "KNNClassifier"


def _predict_row(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal import learners

    model, row = _model(space, settings), _row(space, settings)
    near = getattr(learners, _near_name(settings))(min(NEAREST_SHOWN, space.table.n_rows), **space.view.how)
    found = None if row.has_missing else near.fit(space.table, np.asarray(space.table.y)).explain(row)
    return {
        **_told(model, row),
        "text": str(model.explain(row)) if _says_why(settings) else None,
        "explanation": found,
        "rows": None if found is None else row_page(space.table, 0, 10_000, rows=found.rows.tolist()),
    }


def _row_code(space: Space, settings: ActionSettings) -> str:
    row = _cells(space.table, settings)
    made = f"names=table.names, kinds={_kinds(space.table)!r}"
    near = call(f"sepal.{_near_name(settings)}", str(min(NEAREST_SHOWN, space.table.n_rows)), **space.view.how)
    page = "sepal.data.row_page(table, 0, 10_000, rows=near.rows.tolist())"
    return (
        f"{_model_code(space, settings)}\n"
        f"rows = sepal.data.as_table([{row!r}], {made})\n"
        f"near = None if rows.has_missing else {near}.fit(table, table.y).explain(rows)\n"
        f'result = {TOLD_CODE}    "text": {"str(model.explain(rows))" if _says_why(settings) else "None"},\n'
        f'    "explanation": near,\n    "rows": None if near is None else {page},\n}}'
    )


def _predict_file(space: Space, settings: ActionSettings, progress: Any) -> Any:
    if settings["rows"] is None:
        raise ParameterError("rows: name the file whose rows are to be predicted")
    new = space.new_rows(settings["rows"])
    rows = new.select(list(space.table.names))
    return {**_told(_model(space, settings), rows), "notes": _notes_of(new, space.table)}


def _notes_of(new: Table, training: Table) -> list[str]:
    """How the cells of new rows were read, where it was not said of the training rows; what they hold is no matter."""
    known = {*training.notes, *(each.text for each in new.cautions)}
    return [note for note in new.notes if note not in known]


NOTES_CODE = (
    "known = {*table.notes, *(each.text for each in new.cautions)}\n"
    "notes = [note for note in new.notes if note not in known]\n"
)


def _file_code(space: Space, settings: ActionSettings) -> str:
    new = f"new = {new_rows_code(space, settings['rows'])}\nrows = new.select(table.names)\n{NOTES_CODE}"
    return f'{_model_code(space, settings)}\n{new}result = {TOLD_CODE}    "notes": notes,\n}}'


def new_rows_code(space: Space, data: str) -> str:
    """The rows of a file, as Python."""
    file = space.shelf.files.get(data)
    if file is None:
        return table_code(TableView(data), space.shelf).removeprefix("table = ")
    kinds = dict(zip(space.table.names, space.table.kinds, strict=True))
    said = {name: value for name, value in space.view.of_file.items() if name in NEW_ROWS}
    return call("sepal.read_table", repr(file.written), target=False, kinds=kinds, **said)


PREDICT_ACTIONS = (
    Action(
        "predict.row",
        "the answer for one row, its probabilities, and why",
        "job",
        (
            *MODEL_FIELDS,
            field("cells", "other", "the cells by column", None, "cells", optional=True, also=("mapping",)),
        ),
        _predict_row,
        _row_code,
    ),
    Action(
        "predict.file",
        "the answers for the rows of a file",
        "job",
        (*MODEL_FIELDS, field("rows", "word", "the file", None, "data", optional=True, looked_up=True)),
        _predict_file,
        _file_code,
    ),
)
