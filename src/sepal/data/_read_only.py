"""Arrays of frozen values, which nobody can write to."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view of the array that nobody can write to; the caller's own array stays writeable.

    Examples
    --------
    >>> import numpy as np
    >>> read_only(np.arange(2)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view
