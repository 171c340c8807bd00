"""The typed face of the compiled module. Only neighbors/_search.py opens it."""

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
def pair_block(
    points: NDArray[np.float64],
    queries: NDArray[np.float64],
    metric: str,
    p: float,
    n_numeric: int,
    weights: NDArray[np.float64],
    threads: int,
) -> NDArray[np.float64]: ...
def count_within(
    points: NDArray[np.float64],
    copies: NDArray[np.float64],
    queries: NDArray[np.float64],
    limits: NDArray[np.float64],
    metric: str,
    p: float,
    n_numeric: int,
    weights: NDArray[np.float64],
    threads: int,
    progress: Callable[[float], object] | None,
) -> NDArray[np.float64]: ...
def shared_neighbors(start: NDArray[np.int64], neighbors: NDArray[np.int32], threads: int) -> NDArray[np.float64]: ...
def spanning_tree(
    points: NDArray[np.float64],
    classes: NDArray[np.int32],
    metric: str,
    p: float,
    n_numeric: int,
    weights: NDArray[np.float64],
    progress: Callable[[float], object] | None,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]: ...
def instruction_set() -> str: ...
