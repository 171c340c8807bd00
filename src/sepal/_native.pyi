"""The typed face of the compiled module. Only neighbors/_search.py and machines/_dual.py open it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

_Ranking = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]

def search(
    points: NDArray[np.float64],
    queries: NDArray[np.float64] | None,
    k: int,
    method: str,
    metric: str,
    p: float,
    n_numeric: int,
    weights: NDArray[np.float64],
    tie: float,
    zero: float,
    threads: int,
    progress: Callable[[float], object] | None,
) -> _Ranking: ...
def search_distances(
    distances: NDArray[np.float64],
    self_join: bool,
    k: int,
    tie: float,
    threads: int,
    progress: Callable[[float], object] | None,
) -> _Ranking: ...
def distinct(points: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def dual_solve_pairs(
    x: NDArray[np.float64],
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    start: list[int],
    box: NDArray[np.float64],
    start_beta: NDArray[np.float64],
    tol: float,
    narrow: bool,
    cache_bytes: float,
    deadline: float,
    threads: int,
    progress: Callable[[float], object] | None,
) -> tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.int32],
]: ...
def dual_leave_one_out(
    gram: NDArray[np.float64],
    t: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    left: NDArray[np.float64],
    beta: NDArray[np.float64],
    product: NDArray[np.float64],
    bias: float,
    tol: float,
    every: bool,
    threads: int,
    progress: Callable[[float], object] | None,
) -> NDArray[np.float64]: ...
def adatron(
    gram: NDArray[np.float64],
    t: NDArray[np.float64],
    box: NDArray[np.float64],
    omega: float,
    tol: float,
    max_sweeps: int,
    with_bias: bool,
    balance: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float, float, int, int]: ...
def kernel_matrix(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    threads: int,
    progress: Callable[[float], object] | None,
) -> NDArray[np.float64]: ...
def kernel_expansion(
    support: NDArray[np.float64],
    start: list[int],
    coef: NDArray[np.float64],
    queries: NDArray[np.float64],
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    threads: int,
    progress: Callable[[float], object] | None,
) -> NDArray[np.float64]: ...
def instruction_set() -> str: ...
