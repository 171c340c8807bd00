"""What errors cost, from words to a mapping: ``ham=9``, ``ham:spam=9``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sepal.evaluation._costs import cost_matrix
from sepal.exceptions import ParameterError

_EXPECTED = "expected CLASS=COST or CLASS:ANSWER=COST"


def costs_said(texts: Sequence[str], classes: Iterable[Any], called: str = "--costs") -> dict[Any, float]:
    """``ham=9`` or ``ham:spam=9``, several of them, with the classes as the table has them.

    Examples
    --------
    >>> costs_said(["ham=9", "spam:ham=2"], ["ham", "spam"])
    {'ham': 9.0, ('spam', 'ham'): 2.0}
    """
    labels = {str(label): label for label in dict.fromkeys(classes)}
    found: dict[Any, float] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            cost = float(number)
        except ValueError as error:
            raise ParameterError(f"{called} {text}: {_EXPECTED}", hint=f"{called} ham=9") from error
        if not equals:
            raise ParameterError(f"{called} {text}: {_EXPECTED}", hint=f"{called} ham=9")
        found[_key(name, labels, f"{called} {text}")] = cost
    cost_matrix(found, sorted(labels.values()))  # refuses negative and endless ones before anything is fitted
    return found


def _key(name: str, labels: dict[str, Any], said: str) -> Any:
    """A class, or two with a colon between them; names with colons of their own are tried first."""
    if name in labels:
        return labels[name]
    for at in (i for i, sign in enumerate(name) if sign == ":"):
        if name[:at] in labels and name[at + 1 :] in labels:
            return labels[name[:at]], labels[name[at + 1 :]]
    raise ParameterError(f"{said}: there is no class {name!r}; there are {', '.join(list(labels)[:10])}")
