"""Whether what stands in a file is of the type that a class declares for it."""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from scipy.sparse import csr_array

_WIDER = {float: (float, int, np.floating, np.integer), int: (int, np.integer), bool: (bool, np.bool_)}


@cache
def field_types(kind: type) -> dict[str, Any]:
    """The declared type of each field of a dataclass; LookupError where some are not known at run time."""
    try:
        return get_type_hints(kind, localns={"csr_array": csr_array})
    except NameError as error:
        raise LookupError(f"{kind.__name__}: {error}") from error


def matches(value: Any, declared: Any) -> bool:
    """Whether a value is of a declared type, entries of tuples and the element type of arrays included."""
    origin, parts = get_origin(declared), get_args(declared)
    if declared is Any:
        return True
    if origin in (Union, UnionType):
        return any(matches(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, (str, int)) and value in parts
    if origin is np.ndarray:
        (element,) = get_args(parts[1]) or (Any,)
        return isinstance(value, np.ndarray) and (element is Any or np.issubdtype(value.dtype, element))
    if origin is tuple:
        wanted = parts[:1] * len(value) if isinstance(value, tuple) and parts[-1] is Ellipsis else parts
        return isinstance(value, tuple) and len(value) == len(wanted) and all(map(matches, value, wanted))
    if declared is None or declared is NoneType:
        return value is None
    plain = origin if isinstance(origin, type) else declared
    if isinstance(value, (bool, np.bool_)) and plain in (int, float):
        return False
    return not isinstance(plain, type) or isinstance(value, _WIDER.get(plain, plain))
