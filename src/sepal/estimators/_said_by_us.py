"""What the validators of scikit-learn refuse becomes an error of ours, in their words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from sepal.exceptions import CellTypeError, DataError, SepalError


@contextmanager
def as_data_errors() -> Iterator[None]:
    """Around a validator of scikit-learn: its ValueError becomes a DataError, its TypeError a CellTypeError.

    Both are still what they were, as scikit-learn's own checks expect.

    Examples
    --------
    >>> with as_data_errors():
    ...     float("one")
    Traceback (most recent call last):
        ...
    sepal.exceptions.DataError: could not convert string to float: 'one'
    """
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and that is refused
            yield
    except SepalError:
        raise
    except TypeError as error:
        raise CellTypeError(str(error)) from error
    except ValueError as error:
        raise DataError(str(error)) from error
    except OverflowError as error:
        raise DataError(f"a number beyond the largest float, about 1.8e308: {error}") from error
