"""The parameters of actions and learners, for forms: the same tables that check them."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from sepal.explore._action import parameter_facts
from sepal.explore._actions import ACTIONS
from sepal.explore._learners import LEARNERS
from sepal.parameters import Parameter, parameters

ROLE = re.compile(r":\w+:`~?([^`]*)`")  # of the reference manual; a form has no links
HIDDEN = ("n_jobs", "random_state")  # what no answer depends on, and what the form's own seed sets


@cache
def learner_parameters(name: str) -> tuple[Parameter, ...]:
    """Of a learner, with the defaults that the Explorer and the command give it; scikit-learn's own have none."""
    entry = LEARNERS[name]
    kind = entry.kind
    if not hasattr(kind, "parameter_table"):
        return ()
    from dataclasses import replace

    return tuple(replace(each, default=entry.fixed.get(each.name, each.default)) for each in parameters(kind))


@cache
def forms() -> dict[str, Any]:
    """All of them, as JSON."""
    actions = {
        name: {
            "screen": entry.screen,
            "cost": entry.cost,
            "help": entry.help,
            "parameters": [each.to_dict() for each in entry.fields],
        }
        for name, entry in ACTIONS.items()
    }
    learners = {
        name: {
            "help": ROLE.sub(r"\1", (entry.kind.__doc__ or "").strip().partition("\n")[0]),
            "task": entry.task,
            "parameters": [
                parameter_facts(each) | {"role": None} for each in learner_parameters(name) if each.name not in HIDDEN
            ],
        }
        for name, entry in LEARNERS.items()
    }
    return {"actions": actions, "learners": learners}
