"""``--costs``: what errors cost, from words to a mapping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sepal.exceptions import ParameterError

if TYPE_CHECKING:
    from sepal.data import Table

_EXPECTED = "expected CLASS=COST or CLASS:ANSWER=COST"


def costs_said(texts: Sequence[str], table: Table) -> dict[Any, float]:
    """``ham=9`` or ``ham:spam=9``, several of them, with the classes as the table has them."""
    from sepal.evaluation import cost_matrix

    labels = {} if table.y is None else {str(label): label for label in dict.fromkeys(table.y.tolist())}
    found: dict[Any, float] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            cost = float(number)
        except ValueError as error:
            raise ParameterError(f"--costs {text}: {_EXPECTED}", hint="--costs ham=9") from error
        if not equals:
            raise ParameterError(f"--costs {text}: {_EXPECTED}", hint="--costs ham=9")
        found[_key(name, labels, text)] = cost
    cost_matrix(found, sorted(labels.values()))  # refuses negative and endless ones before anything is fitted
    return found


def _key(name: str, labels: dict[str, Any], text: str) -> Any:
    """A class, or two with a colon between them; names with colons of their own are tried first."""
    if name in labels:
        return labels[name]
    for at in (i for i, sign in enumerate(name) if sign == ":"):
        if name[:at] in labels and name[at + 1 :] in labels:
            return labels[name[:at]], labels[name[at + 1 :]]
    raise ParameterError(f"--costs {text}: there is no class {name!r}; there are {', '.join(list(labels)[:10])}")
