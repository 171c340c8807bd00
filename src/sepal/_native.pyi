"""The typed face of the compiled module. Only neighbors/_search.py and selection/_sweep.py open it."""

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
def instruction_set() -> str: ...

_Progress = Callable[[float], object] | None
# (x, row_of, class_of, class_start, term, cost) and (depth, column, out, n_out, base, score_base)
_SweepRows = tuple[
    NDArray[np.floating], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.uint8], NDArray[np.floating]
]
_SweepSteps = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], int, NDArray[np.int32], bool]

def sweep_thornton(
    rows: _SweepRows, steps: _SweepSteps, ties: str, tie: float, n_samples: int, threads: int, progress: _Progress
) -> NDArray[np.float64]: ...
def sweep_labelings(
    rows: _SweepRows, steps: _SweepSteps, labels: NDArray[np.uint16], tie: float, threads: int, progress: _Progress
) -> NDArray[np.float64]: ...
def sweep_neighbors(
    rows: _SweepRows,
    steps: _SweepSteps,
    k_max: int,
    ranks: int,
    survival: NDArray[np.float64],
    ties: str,
    tie: float,
    n_samples: int,
    threads: int,
    progress: _Progress,
) -> NDArray[np.float64]: ...
def sweep_kernels(
    rows: _SweepRows, steps: _SweepSteps, gamma: NDArray[np.float64], n_doublings: int, threads: int, progress: _Progress
) -> NDArray[np.float64]: ...
def sweep_histogram(
    rows: _SweepRows, steps: _SweepSteps, threads: int, progress: _Progress
) -> NDArray[np.int64]: ...
