"""Every question of the Explorer, by name: routes, sessions, ``sepal do``, code and tests are made from this table."""

from __future__ import annotations

from difflib import get_close_matches

from sepal.exceptions import ParameterError
from sepal.explore._action import Action
from sepal.explore._classify_actions import CLASSIFY_ACTIONS
from sepal.explore._data_actions import DATA_ACTIONS
from sepal.explore._feature_actions import FEATURE_ACTIONS
from sepal.explore._kernel_actions import KERNEL_ACTIONS
from sepal.explore._neighbor_actions import NEIGHBOR_ACTIONS
from sepal.explore._predict_actions import PREDICT_ACTIONS
from sepal.explore._row_actions import ROW_ACTIONS
from sepal.explore._separability_actions import SEPARABILITY_ACTIONS

SCREENS = ("data", "separability", "features", "neighbors", "rows", "kernels", "classify", "predict")
ACTIONS: dict[str, Action] = {
    each.name: each
    for each in (
        *DATA_ACTIONS,
        *SEPARABILITY_ACTIONS,
        *FEATURE_ACTIONS,
        *NEIGHBOR_ACTIONS,
        *ROW_ACTIONS,
        *KERNEL_ACTIONS,
        *CLASSIFY_ACTIONS,
        *PREDICT_ACTIONS,
    )
}


def action_named(name: object) -> Action:
    """The action of that name.

    Raises
    ------
    ParameterError
        If there is none; the hint names the nearest.
    """
    if isinstance(name, str) and name in ACTIONS:
        return ACTIONS[name]
    near = get_close_matches(str(name), ACTIONS, n=1)
    raise ParameterError(
        f"there is no action {name!r}", hint=f"did you mean {near[0]}?" if near else f"there are {', '.join(ACTIONS)}"
    )
