"""The screen Rows: which look mislabelled, and which are enough."""

from __future__ import annotations

from typing import Any

from sepal.explore._action import Action, ActionSettings, field
from sepal.explore._code import asking
from sepal.explore._shelf import Space
from sepal.prototypes import METHODS as PROTOTYPE_METHODS


def _suspects(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.measures import suspects

    together = space.together("sepal.measures.suspects")
    return suspects(space.table, progress=progress, **together, **settings, **space.view.how)


def _prototypes(space: Space, settings: ActionSettings, progress: Any) -> Any:
    how = {**space.together(f"sepal.prototypes.{settings['method']}"), **space.view.how}
    return PROTOTYPE_METHODS[settings["method"]](space.table, progress=progress, **how)


def _methods(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.prototypes import condense_curve

    together = space.together("sepal.prototypes.condense_curve")
    return condense_curve(space.table, progress=progress, **together, **settings, **space.view.how)


ROW_ACTIONS = (
    Action(
        "rows.suspects",
        "rows whose neighbours contradict their class, and rows that are there twice",
        "job",
        (field("n_neighbors", "whole", "how many neighbours are asked", 5, at_least=1),),
        _suspects,
        lambda space, settings: (
            "result = " + asking(space, "sepal.measures.suspects", "table", **settings, **space.view.how)
        ),
    ),
    Action(
        "rows.prototypes",
        "the rows that one method keeps",
        "job",
        (field("method", "word", "how rows are chosen", "hart", words=tuple(PROTOTYPE_METHODS)),),
        _prototypes,
        lambda space, settings: (
            "result = " + asking(space, f"sepal.prototypes.{settings['method']}", "table", **space.view.how)
        ),
    ),
    Action(
        "rows.methods",
        "size against accuracy on rows held out, for every method",
        "job",
        (
            field("methods", "other", "which methods; all by default", None, optional=True, also=("sequence",)),
            field("cv", "whole", "how many folds", 5, at_least=2),
        ),
        _methods,
        lambda space, settings: (
            "result = " + asking(space, "sepal.prototypes.condense_curve", "table", **settings, **space.view.how)
        ),
    ),
)
