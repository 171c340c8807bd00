"""The methods by name, as data."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from sepal.exceptions import ParameterError
from sepal.prototypes._drop3 import drop3
from sepal.prototypes._edited import all_knn, enn, renn, tomek_links
from sepal.prototypes._fcnn import fcnn
from sepal.prototypes._hart import hart, rnn
from sepal.prototypes._ib3 import ib3
from sepal.prototypes._icf import icf
from sepal.prototypes._prototype_set import PrototypeSet
from sepal.prototypes._selective import mss, rss

METHODS: dict[str, Callable[..., PrototypeSet]] = {
    "hart": hart,
    "fcnn": fcnn,
    "rnn": rnn,
    "mss": mss,
    "rss": rss,
    "enn": enn,
    "renn": renn,
    "all_knn": all_knn,
    "tomek_links": tomek_links,
    "drop3": drop3,
    "icf": icf,
    "ib3": ib3,
}


def takes_groups(method: Callable[..., Any]) -> bool:
    """Whether a method leaves rows out when it judges them, and so can leave out their groups."""
    return "groups" in inspect.signature(method).parameters


def method_named(name: str, parameter: str = "method") -> Callable[..., PrototypeSet]:
    """The function of that name; ``parameter`` is where the name came from."""
    if isinstance(name, str) and name in METHODS:
        return METHODS[name]
    near = get_close_matches(str(name), METHODS, n=1)
    raise ParameterError(
        f"{parameter} must be one of {', '.join(METHODS)}; got {name!r}",
        hint=f"did you mean {near[0]!r}?" if near else None,
    )
