"""What an action is: one question about a view, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from sepal.exceptions import ParameterError
from sepal.explore._shelf import Space
from sepal.parameters import Parameter
from sepal.progress import Progress

ActionSettings = Mapping[str, Any]
Cost = Literal["cheap", "job"]


@dataclass(frozen=True)
class Field:
    """A parameter of an action; ``role`` says what fills it in a form: a column, a row, a file, ..."""

    parameter: Parameter
    role: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As forms need it."""
        return parameter_facts(self.parameter) | {"role": self.role}


def parameter_facts(parameter: Parameter) -> dict[str, Any]:
    """A parameter as JSON."""
    default = parameter.default
    return {
        "name": parameter.name,
        "kind": parameter.kind,
        "help": parameter.help,
        "choices": list(parameter.words),
        "at_least": parameter.at_least,
        "above": parameter.above,
        "at_most": parameter.at_most,
        "below": parameter.below,
        "optional": parameter.optional,
        "default": default if isinstance(default, (str, int, float, list, dict, type(None))) else str(default),
        "wanted": parameter.wanted,
    }


def field(name: str, kind: Any, help: str, default: Any, role: str | None = None, **more: Any) -> Field:  # noqa: A002
    """A parameter of its own."""
    return Field(Parameter(name, kind, help, default=default, **more), role)


def taken(table: tuple[Parameter, ...], name: str, default: Any, called: str | None = None, **more: Any) -> Field:
    """A parameter that an estimator or a function has already, with a default of its own."""
    found = next(each for each in table if each.name == name)
    return Field(replace(found, name=called or name, default=default, also=(), **more))


@dataclass(frozen=True)
class Action:
    """One question.

    Attributes
    ----------
    name : str
        ``screen.question``.
    help : str
        One line.
    cost : {"cheap", "job"}
        Whether it is answered at once, or runs behind a Start button.
    fields : tuple of Field
    run : function of a Space, the settings and a progress callback
        Gives a frozen result of another room.
    python : function of the view and the settings
        Lines of Python that end with ``result = ...``: the same result.
    verb : function of the view, its source as written and the settings, optional
        The words of an older verb of the command that gives these facts, or None where it cannot.
    """

    name: str
    help: str
    cost: Cost
    fields: tuple[Field, ...]
    run: Callable[[Space, ActionSettings, Progress], Any]
    python: Callable[[Space, ActionSettings], str]
    verb: Callable[[Space, ActionSettings], list[str] | None] | None = None

    @property
    def screen(self) -> str:
        """The screen it belongs to."""
        return self.name.partition(".")[0]

    def settings(self, given: Any) -> dict[str, Any]:
        """All parameters, checked, defaults filled in.

        Raises
        ------
        ParameterError
            Names the parameter, what was expected and what was given.
        """
        if given is None:
            given = {}
        if not isinstance(given, Mapping):
            raise ParameterError(f"parameters of {self.name}: expected an object; got {given!r}")
        known = {each.parameter.name: each.parameter for each in self.fields}
        for name in given:
            if name not in known:
                there = ", ".join(known) or "none"
                raise ParameterError(f"{self.name} has no parameter {name!r}", hint=f"it has {there}")
        return {
            name: parameter.check(given[name]) if name in given else parameter.default
            for name, parameter in known.items()
        }


def call(function: str, *given: str, **named: Any) -> str:
    """A call as Python text; ``given`` stand as they are, named values are written out."""
    words = [*given, *(f"{name}={value!r}" for name, value in named.items())]
    return f"{function}({', '.join(words)})"
