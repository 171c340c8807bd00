from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info

from sepal.data import as_table
from sepal.report._threads import THREADED_CELLS, few_threads


def blas_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_small_tables_use_one_thread_and_large_ones_what_there_is():
    """On a busy machine threads of linear algebra waited for each other: 400 x 50 took 9 s, and takes 3."""
    before = blas_threads()
    with few_threads(as_table(np.zeros((4, 2)))):
        assert blas_threads() == {1}
    assert blas_threads() == before
    with few_threads(as_table(np.zeros((THREADED_CELLS + 1, 1)))):
        assert blas_threads() == before
