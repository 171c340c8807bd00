"""Parameters as data: what a value may be, checked in one place with one wording, and what it means in one line.

>>> from sepal.parameters import Parameter, check_whole
>>> Parameter("width", "number", "how far a kernel reaches", above=0.0, words=("aligned",)).wanted
"'aligned' or a finite number above 0"
>>> check_whole("k", 3)
3
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import wraps
from numbers import Real
from typing import Any, Literal, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError

__all__ = ["Parameter", "parameters"]

ParameterKind = Literal["whole", "number", "flag", "word", "other"]
Also = Literal["function", "mapping", "sequence", "folds", "anything", "RandomState", "Generator"]
_P = ParamSpec("_P")
_R = TypeVar("_R")
_LARGEST = 2**63 - 1  # what a number of an array can count to

_ALSO: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "function": ("a function", callable),
    "mapping": ("a mapping", lambda value: isinstance(value, Mapping)),
    "sequence": (
        "one value for each",
        lambda value: hasattr(value, "__len__") and not isinstance(value, (str, bytes, Mapping)),
    ),
    "folds": (
        "a splitter or lists of rows",
        lambda value: (
            not isinstance(value, (str, bytes, Mapping)) and (hasattr(value, "split") or isinstance(value, Iterable))
        ),
    ),
    "anything": ("an object of its own", lambda value: not isinstance(value, (str, bool, Real))),
    "RandomState": ("a RandomState of numpy", lambda value: isinstance(value, np.random.RandomState)),
    "Generator": ("a Generator of numpy", lambda value: isinstance(value, np.random.Generator)),
}


@dataclass(frozen=True)
class Parameter:
    """One parameter of an estimator or a function.

    Attributes
    ----------
    name : str
    kind : {"whole", "number", "flag", "word", "other"}
        Whole numbers, numbers, True or False, one of ``words`` only, or one of ``words`` and what ``also`` allows.
    help : str
        What it means, in one line.
    at_least, above, at_most, below : float, optional
        The range of numbers.
    infinite : bool
        Whether a number may be infinite.
    without : tuple of float
        Numbers in the range that are not allowed.
    words : tuple of str
        Texts that are allowed.
    optional : bool
        Whether None is allowed.
    also : tuple of {"function", "mapping", "sequence", "folds", "anything", "RandomState", "Generator"}
        What else is allowed; what is inside is checked where it is used.
    looked_up : bool
        Whether a text is looked up in a table when it is used, which then says what is near an unknown one.
    default : object
        The default; filled in by :func:`parameters`.

    Examples
    --------
    >>> each = Parameter("k", "whole", "how many rows vote", at_least=1, words=("auto",))
    >>> each.wanted, each.allows("auto"), each.allows(0)
    ("'auto' or an integer of at least 1", True, False)
    """

    name: str
    kind: ParameterKind
    help: str
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    infinite: bool = False
    without: tuple[float, ...] = ()
    words: tuple[str, ...] = ()
    optional: bool = False
    also: tuple[Also, ...] = ()
    looked_up: bool = False
    default: Any = field(default=inspect.Parameter.empty, kw_only=True)

    @property
    def wanted(self) -> str:
        """What is expected, in words."""
        told = ["None"] if self.optional else []
        told += [repr(word) for word in self.words]
        if self.looked_up and not self.words:
            told.append("a name")
        if self.kind == "flag":
            told += ["True", "False"]
        elif self.kind in ("whole", "number"):
            told.append(self._number_text())
        told += [_ALSO[each][0] for each in self.also]
        return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} or {told[-1]}"

    def _number_text(self) -> str:
        text = "an integer" if self.kind == "whole" else "a number" if self.infinite else "a finite number"
        but = "".join(f" other than {number:g}" for number in self.without)
        if self.at_least is not None and self.at_most is not None:
            return f"{text} from {self.at_least:g} to {self.at_most:g}{but}"
        low = "" if self.at_least is None else f"of at least {self.at_least:g}"
        low = low if self.above is None else f"above {self.above:g}"
        high = "" if self.at_most is None else f"at most {self.at_most:g}"
        high = high if self.below is None else f"below {self.below:g}"
        return " ".join([text, " and ".join(part for part in (low, high) if part)]).strip() + but

    def allows(self, value: Any) -> bool:
        """Whether the value is one of those."""
        if value is None:
            return self.optional
        if isinstance(value, str):
            return self.looked_up or value in self.words
        if self.kind == "flag" and isinstance(value, (bool, np.bool_)):
            return True
        if self.kind in ("whole", "number") and self._is_number(value) and self._in_range(value):
            return True
        return any(_ALSO[each][1](value) for each in self.also)

    def _is_number(self, value: Any) -> bool:
        if isinstance(value, (bool, np.bool_)):
            return False
        return isinstance(value, (int, np.integer)) if self.kind == "whole" else isinstance(value, Real)

    def _in_range(self, value: Any) -> bool:
        if isinstance(value, int) and abs(value) > _LARGEST:
            return False
        if self.kind == "number" and not (math.isfinite(value) or (self.infinite and not math.isnan(value))):
            return False
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
            and value not in self.without
        )

    def check(self, value: Any, hint: str | None = None) -> Any:
        """The value, if it is allowed.

        Raises
        ------
        ParameterError
            If not; the text says what is expected and what was given.
        """
        if self.allows(value):
            return value
        if hint is None and isinstance(value, str):
            near = get_close_matches(value, self.words, n=1)
            hint = f"did you mean {near[0]!r}?" if near else None
        if hint is None and isinstance(value, int) and abs(value) > _LARGEST:
            hint = "write so large a number as a float" if self.kind == "number" else "at most 2**63 - 1"
        raise ParameterError(f"{self.name} must be {self.wanted}; got {value!r}", hint=hint)


def _name(name: str, meaning: str, *also: Also, optional: bool = False) -> Parameter:
    return Parameter(name, "word", meaning, looked_up=True, also=also, optional=optional)


_FLAGS = {
    "centered": "subtract the means first: alignment of centred kernel matrices",
    "stratified": "draw the training rows class by class",
    "return_std": "also give the standard deviation over all training sets",
    "normalized": "divide each margin by the sum of both distances",
    "include_self": "count a row as its own nearest neighbour",
}
_NAMES = {
    "method": "how neighbours are searched for, or which method is used; no search changes an answer",
    "ties": "what happens when several rows are equally near",
    "target": "which kernel of the classes the rows are aligned with",
    "graph": "how the graph of near rows is built",
    "mode": "what an entry of the graph holds: 1 for a neighbour, or its distance",
    "kind_sel": "remove a row whose neighbours outvote it, or any row one of whose neighbours disagrees",
    "strategy": "how subsets are searched",
    "task": "whether the answers are classes or numbers",
}


# What an argument of this name is in every function; which names there are is looked up where they are used.
EVERYWHERE = {
    each.name: each
    for each in (
        _name(
            "distance",
            "how far apart two rows are; auto is Euclidean for complete numbers and HEOM for all other tables",
            "function",
        ),
        Parameter("distance_params", "other", "parameters of the distance", optional=True, also=("mapping",)),
        _name("scale", "how numeric columns are scaled before rows are compared", optional=True),
        _name("order", "in which order rows are looked at", optional=True),
        _name("missing", "leave missing cells to the distance or the learner, or drop the rows that have any"),
        *(_name(name, meaning) for name, meaning in _NAMES.items()),
        _name("kernel", "how alike two rows are", "function"),
        *(Parameter(name, "flag", meaning) for name, meaning in _FLAGS.items()),
        Parameter(
            "n_jobs", "whole", "threads; all cores by default, and no answer depends on it", optional=True, without=(0,)
        ),
        Parameter(
            "random_state",
            "whole",
            "seed of all that is left to chance",
            at_least=0,
            optional=True,
            also=("RandomState", "Generator"),
        ),
        Parameter("progress", "other", "called with a few words and the share done", optional=True, also=("function",)),
        Parameter("time_limit", "number", "seconds at most", above=0.0, infinite=True, optional=True),
        Parameter("n_permutations", "whole", "how often labels are shuffled; 0 for none", at_least=0, at_most=10**7),
        Parameter("confidence", "number", "how often such an interval holds the true value", above=0.0, below=1.0),
    )
}


def checked(
    *table: Parameter, passes_on: Sequence[inspect.Parameter] = ()
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A decorator of functions: arguments in the table, and those of well-known names, are checked before it runs.

    ``passes_on`` are the keywords that it takes as ``**how`` and gives to another function; its signature spells them
    out.

    Examples
    --------
    >>> @checked(Parameter("k", "whole", "how many", at_least=1))
    ... def first(values, k=1):
    ...     return values[:k]
    >>> first("abc", k=2)
    'ab'
    >>> first("abc", k="two")
    Traceback (most recent call last):
        ...
    sepal.exceptions.ParameterError: k must be an integer of at least 1; got 'two'
    """

    def of(function: Callable[_P, _R]) -> Callable[_P, _R]:
        signature = _spelled_out(inspect.signature(function), passes_on)
        known = EVERYWHERE | {each.name: each for each in table}
        to_check = tuple(known[name] for name in signature.parameters if name in known)
        bound = _binder(signature)

        @wraps(function)
        def run(*given: _P.args, **named: _P.kwargs) -> _R:
            try:
                arguments = bound(given, named)
            except TypeError as error:
                raise TypeError(f"{function.__name__}() {error}") from None
            for each in to_check:
                if each.name in arguments:
                    each.check(arguments[each.name])
            return function(*given, **named)

        run.__signature__ = signature  # type: ignore[attr-defined]
        run.parameter_table = to_check  # type: ignore[attr-defined]
        return run

    return of


def _binder(signature: inspect.Signature) -> Callable[[tuple[Any, ...], dict[str, Any]], Mapping[str, Any]]:
    """What gives arguments their names as ``signature.bind`` does, which takes long and is left the unusual calls."""
    parameters = signature.parameters.values()
    in_places = [each.name for each in parameters if each.kind == inspect.Parameter.POSITIONAL_OR_KEYWORD]
    by_name = {each.name for each in parameters if each.kind == inspect.Parameter.KEYWORD_ONLY}.union(in_places)
    needed = {each.name for each in parameters if each.default is inspect.Parameter.empty}
    usual = len(by_name) == len(parameters)

    def bound(given: tuple[Any, ...], named: dict[str, Any]) -> Mapping[str, Any]:
        arguments = dict(zip(in_places, given, strict=False)) | named
        complete = len(arguments) == len(given) + len(named) and needed <= arguments.keys() <= by_name
        return arguments if usual and complete else signature.bind(*given, **named).arguments

    return bound


def _spelled_out(signature: inspect.Signature, keywords: Sequence[inspect.Parameter]) -> inspect.Signature:
    """The signature with these keywords before its own, in place of ``**how``."""
    if not keywords:
        return signature
    own = [each for each in signature.parameters.values() if each.kind != inspect.Parameter.VAR_KEYWORD]
    first = sum(each.kind != inspect.Parameter.KEYWORD_ONLY for each in own)
    return signature.replace(parameters=[*own[:first], *keywords, *own[first:]])


def check_whole(name: str, value: Any, *, at_least: int = 1, at_most: int | None = None, optional: bool = False) -> Any:
    """A whole number, no truth value; None too where it is ``optional``."""
    return Parameter(name, "whole", "", at_least=at_least, at_most=at_most, optional=optional).check(value)


def check_numbers(name: str, values: Any, *, length: int | None = None, **limits: Any) -> NDArray[np.float64]:
    """A list of numbers as an array, one number as a list of it; ``limits`` of each as in :class:`Parameter`.

    Examples
    --------
    >>> check_numbers("low", [0, 1], length=2).tolist()
    [0.0, 1.0]
    >>> check_numbers("quantiles", [0.5, 2.0], at_least=0.0, at_most=1.0)
    Traceback (most recent call last):
        ...
    sepal.exceptions.ParameterError: quantiles must be a list, each a finite number from 0 to 1; got [0.5, 2.0]
    """
    each = Parameter(name, "number", "", **limits)
    try:
        given = np.atleast_1d(values)
        found = given.astype(np.float64) if given.dtype.kind in "iufO" else np.empty((0, 0))
    except (TypeError, ValueError):
        found = np.empty((0, 0))
    if found.ndim != 1 or len(found) != (length or max(len(found), 1)) or not all(map(each.allows, found.tolist())):
        many = "a list" if length is None else f"a list of {length}"
        raise ParameterError(f"{name} must be {many}, each {each.wanted}; got {values!r}")
    return found


def check_cells(name: str, values: Any) -> NDArray[np.float64]:
    """An array of numbers, of any shape; not copied if it is float64.

    Examples
    --------
    >>> check_cells("K", [[1, 2], [2, 1]]).shape
    (2, 2)
    """
    try:
        given = np.asarray(values)
        if given.dtype.kind in "biufO":
            return given.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        pass  # rows of several lengths, or an object that is no number
    raise ParameterError(f"{name} must be an array of numbers; got {values!r}")


def check_number(name: str, value: Any, **limits: Any) -> Any:
    """A number, no truth value; ``limits`` as in :class:`Parameter`."""
    return Parameter(name, "number", "", **limits).check(value)


def parameters(estimator: Any) -> tuple[Parameter, ...]:
    """The parameters of an estimator, its class or a function, in the order of the signature, with their defaults.

    Forms and command lines are made from this. What holds rows (``X``, ``y``, ``groups``) is none of them.

    Parameters
    ----------
    estimator : estimator or function
        Of Sepal; an estimator or its class.

    Returns
    -------
    tuple of Parameter

    Examples
    --------
    >>> from sepal.machines import FisherDiscriminant
    >>> [(each.name, each.default) for each in parameters(FisherDiscriminant)]
    [('kappa', None), ('priors', None), ('class_weight', None)]
    """
    kind = estimator if isinstance(estimator, type) or inspect.isfunction(estimator) else type(estimator)
    known: Sequence[Parameter] = getattr(kind, "parameter_table", ())
    table = {each.name: each for each in known}
    given = inspect.signature(kind).parameters.items()
    return tuple(replace(table[name], default=each.default) for name, each in given if name in table)


def check_parameters(estimator: Any) -> None:
    """Check every parameter of an estimator that stands in its table."""
    for each in type(estimator).parameter_table:
        each.check(getattr(estimator, each.name))


RandomState = int | np.random.Generator | np.random.RandomState | None


def generator(random_state: RandomState) -> np.random.Generator:
    """A generator from whatever a user may give as ``random_state``."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"random_state must be None, an integer of at least 0 or a numpy generator; got {random_state!r}"
        ) from error
