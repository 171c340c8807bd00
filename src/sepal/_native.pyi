"""The typed face of the compiled module. tests/test_architecture.py names the few files that open it."""

from collections.abc import Callable
from enum import IntEnum
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_Progress = Callable[[float], object]
_Ranking = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]

@overload
def search(
    *,
    points: NDArray[np.float64],
    queries: NDArray[np.float64] | None,
    k: int,
    limits: NDArray[np.float64] | None,
    method: str,
    metric: str,
    p: float,
    n_numeric: int,
    weights: NDArray[np.float64],
    tie: float,
    zero: float,
    threads: int,
    progress: _Progress | None,
    raw: bool = False,
) -> _Ranking: ...
@overload
def search(
    *,
    points: NDArray[np.float64],
    queries: NDArray[np.float64] | None,
    k: int,
    limits: NDArray[np.float64] | None,
    method: str,
    metric: str,
    p: float,
    n_numeric: int,
    weights: NDArray[np.float64],
    tie: float,
    zero: float,
    budget: float,
    threads: int,
    progress: _Progress | None,
) -> _Ranking | None: ...

class KeptTree:
    def __init__(self, *, points: NDArray[np.float64], threads: int) -> None: ...
    def search(
        self,
        *,
        queries: NDArray[np.float64],
        k: int,
        limits: NDArray[np.float64] | None,
        metric: str,
        p: float,
        n_numeric: int,
        weights: NDArray[np.float64],
        tie: float,
        zero: float,
        budget: float = ...,
        threads: int,
        progress: _Progress | None,
    ) -> _Ranking | None: ...

def search_turn(
    *,
    points: NDArray[np.float64],
    k: int,
    method: str,
    metric: str,
    p: float,
    n_numeric: int,
    weights: NDArray[np.float64],
    tie: float,
    zero: float,
    budget: float = ...,
    threads: int,
    progress: _Progress | None,
    turn: int,
    turns: int,
) -> tuple[_Ranking, int] | None: ...

class AxisWork:
    all: float
    rotation: float
    leading: float
    further: float
    finished: float

def axis_work(*, points: NDArray[np.float64], k: int, threads: int) -> AxisWork: ...

class TileWork:
    all: float
    bytes: float
    finished: float

def tile_work(*, points: NDArray[np.float64], k: int, threads: int) -> TileWork: ...

class Nearness:
    distance: float
    relative: float

def nearness(*, points: NDArray[np.float64]) -> Nearness: ...
def spread_directions(*, points: NDArray[np.float64]) -> float: ...
def tree_work(*, points: NDArray[np.float64], k: int, threads: int, turns: int = 1) -> float: ...
def spread(
    *,
    start: NDArray[np.int64],
    entries: NDArray[np.int32],
    values: NDArray[np.float64],
    group_start: NDArray[np.int64],
    members: NDArray[np.int32],
    list_of: NDArray[np.int64],
    row: NDArray[np.int64],
    distinct: NDArray[np.int32],
    k: int,
    whole_ties: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
def search_distances(
    *,
    distances: NDArray[np.float64],
    self_join: bool,
    k: int,
    limits: NDArray[np.float64] | None,
    tie: float,
    threads: int,
    progress: _Progress | None,
) -> _Ranking: ...

class SparseIndex:
    def __init__(self, *, distance: str) -> None: ...
    def add(
        self,
        *,
        start: NDArray[np.int64],
        terms: NDArray[np.int32],
        values: NDArray[np.float64],
        lengths: NDArray[np.float64],
        beyond: NDArray[np.float64],
        ids: NDArray[np.int32],
        codes: NDArray[np.int32],
    ) -> None: ...
    def remove(self, *, ids: NDArray[np.int32]) -> bool: ...
    def search(
        self,
        *,
        start: NDArray[np.int64],
        terms: NDArray[np.int32],
        values: NDArray[np.float64],
        lengths: NDArray[np.float64],
        beyond: NDArray[np.float64],
        n_classes: int,
        k: int,
        limits: NDArray[np.float64] | None,
        tie: float,
        zero: float,
        threads: int,
        progress: _Progress | None,
    ) -> _Ranking: ...
    def pairs(
        self,
        *,
        k: int,
        limits: NDArray[np.float64] | None,
        tie: float,
        zero: float,
        threads: int,
        progress: _Progress | None,
    ) -> _Ranking: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def bytes(self) -> int: ...

def packed_text_codes(
    *, starts: NDArray[np.int64], packed: NDArray[np.uint8]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def text_codes(*, labels: Any) -> tuple[NDArray[np.int32], list[str]] | None: ...
def distinct(*, points: NDArray[np.float64], threads: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def copy_cells(*, cells: NDArray[Any], to: NDArray[np.float64], threads: int) -> tuple[bool, bool]: ...
def copy_columns(*, columns: list[NDArray[Any]], to: NDArray[np.float64], threads: int) -> tuple[bool, bool]: ...
def distinct_keys(*, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def row_hash(*, cells: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def mixed_bits(*, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]: ...

class AlignmentArrays:
    rows: NDArray[np.float64]
    within: NDArray[np.float64]
    squares: NDArray[np.float64]
    d_rows: NDArray[np.float64]
    d_within: NDArray[np.float64]
    d_squares: NDArray[np.float64]

def alignment_sums(
    *,
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    classes: NDArray[np.int32],
    n_classes: int,
    gammas: NDArray[np.float64],
    doubles: NDArray[np.int32],
    shifted: NDArray[np.int32],
    absolute: bool,
    derivative: bool,
    threads: int,
    progress: _Progress | None,
) -> AlignmentArrays: ...

class SolverStatus(IntEnum):
    SOLVED = ...
    OUT_OF_TIME = ...
    STOPPED = ...
    STALLED = ...
    OUT_OF_STEPS = ...
    DIVERGED = ...

class RemovalStatus(IntEnum):
    ENDED = ...
    TURNED = ...
    ALONE = ...
    FAILED = ...

class PairArrays:
    beta: NDArray[np.float64]
    product: NDArray[np.float64]
    bias: NDArray[np.float64]
    violation: NDArray[np.float64]
    iterations: NDArray[np.int64]
    status: NDArray[np.int32]

class RemovalArrays:
    shift: NDArray[np.float64]
    gone: NDArray[np.float64]
    change: NDArray[np.float64]
    status: NDArray[np.int32]

class AdatronArrays:
    alpha: NDArray[np.float64]
    product: NDArray[np.float64]
    bias: float
    violation: float
    sweeps: int
    status: SolverStatus

def dual_solve_pairs(
    *,
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
    most_steps: int,
    threads: int,
    progress: _Progress | None,
) -> PairArrays: ...
def dual_leave_one_out(
    *,
    x: NDArray[np.float64],
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    members: list[int],
    t: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    left: NDArray[np.float64],
    beta: NDArray[np.float64],
    product: NDArray[np.float64],
    which: list[int],
    most: int,
    tol: float,
    narrow: bool,
    cache_bytes: float,
    threads: int,
    progress: _Progress | None,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
def dual_removals(
    *,
    residual: NDArray[np.float64],
    beta: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    slack: NDArray[np.float64],
    free: NDArray[np.int32],
    inverse: NDArray[np.float64],
    solved: NDArray[np.float64],
    solved_across: NDArray[np.float64],
    ridge: float,
    residual_going: NDArray[np.float64],
    solved_going: NDArray[np.float64],
    own: NDArray[np.float64],
    place: NDArray[np.int32],
    taken: NDArray[np.float64],
    decision: NDArray[np.float64],
    sign: NDArray[np.float64],
    until_sign_change: bool,
    threads: int,
) -> RemovalArrays: ...
def adatron(
    *,
    gram: NDArray[np.float64],
    t: NDArray[np.float64],
    box: NDArray[np.float64],
    omega: float,
    tol: float,
    max_sweeps: int,
    with_bias: bool,
    offset: float,
    balance: float,
) -> AdatronArrays: ...
def kernel_matrix(
    *,
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    threads: int,
    progress: _Progress | None,
) -> NDArray[np.float64]: ...
def kernel_expansion(
    *,
    support: NDArray[np.float64],
    start: list[int],
    coef: NDArray[np.float64],
    queries: NDArray[np.float64],
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    threads: int,
    progress: _Progress | None,
) -> NDArray[np.float64]: ...
def instruction_set() -> str: ...

_Positions = NDArray[np.int32]
_Condensed = tuple[_Positions, _Positions, NDArray[np.uint8]]  # kept positions, their rounds, which cases are right

class Condensing:
    def __init__(
        self,
        *,
        points: NDArray[np.float64],
        codes: NDArray[np.int32],
        metric: str,
        p: float,
        n_numeric: int,
        weights: NDArray[np.float64],
        tie: float,
        zero: float,
        threads: int,
        groups: NDArray[np.int32] | None = None,
    ) -> None: ...
    def hart(
        self, *, visit: _Positions, rule: str, enemy: NDArray[np.float64] | None, progress: _Progress | None
    ) -> _Condensed: ...
    def fcnn(self, *, seeds: _Positions, may_keep: NDArray[np.uint8], progress: _Progress | None) -> _Condensed: ...
    @property
    def compared(self) -> int: ...  # pairs of a case and a prototype, in the last fcnn
    def reduce(self, *, kept_pos: _Positions, wanted: NDArray[np.uint8], progress: _Progress | None) -> _Condensed: ...
    def selective(self, *, visit: _Positions, enemy: NDArray[np.float64], progress: _Progress | None) -> _Condensed: ...
    def judge(self, *, kept_pos: _Positions, progress: _Progress | None) -> _Condensed: ...
    def drop(self, *, k: int, visit: _Positions, progress: _Progress | None) -> _Condensed: ...
    def ib3(
        self,
        *,
        visit: _Positions,
        chance: NDArray[np.float64],
        accept_z: float,
        drop_z: float,
        progress: _Progress | None,
    ) -> _Condensed: ...
    def enemies(self, *, progress: _Progress | None) -> NDArray[np.float64]: ...
    def values_to(self, *, pos: NDArray[np.int32], point: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def local_sets(
        self, *, enemy: NDArray[np.float64], progress: _Progress | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...

class Window:
    def __init__(
        self,
        *,
        k: int,
        by_distance: bool,
        distances: str,
        metric: str,
        p: float,
        n_numeric: int,
        weights: NDArray[np.float64],
        tie: float,
        zero: float,
        factors: NDArray[np.float64],
        is_scaled: NDArray[np.uint8],
        most: int,
        max_age: float,
        class_quota: int,
        edit_k: int,
        edit_every: int,
        threads: int,
    ) -> None: ...
    def predict(
        self,
        *,
        cells: NDArray[np.float64],
        codes: NDArray[np.int32],
        arrival: NDArray[np.int64],
        time: NDArray[np.float64],
        ranges: NDArray[np.float64],
        n: int,
        queries: NDArray[np.float64],
        seen: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
    def learn(
        self,
        *,
        cells: NDArray[np.float64],
        codes: NDArray[np.int32],
        arrival: NDArray[np.int64],
        time: NDArray[np.float64],
        ranges: NDArray[np.float64],
        counters: NDArray[np.int64],
        given: NDArray[np.float64],
        given_codes: NDArray[np.int32],
        given_times: NDArray[np.float64],
        seen: NDArray[np.float64],
        test: bool,
    ) -> NDArray[np.int32]: ...

_Named = dict[str, Any]  # arrays and numbers by name; see selection/_sweep.py

def sweep(
    *,
    rows: _Named,
    steps: _Named,
    questions: list[_Named],
    tie: float,
    threads: int,
    progress: _Progress | None,
) -> list[NDArray[np.float64]]: ...
def sweep_labelings(
    *,
    rows: _Named,
    steps: _Named,
    labels: NDArray[np.uint16],
    tie: float,
    threads: int,
    progress: _Progress | None,
) -> NDArray[np.float64]: ...
def pair_block(
    *,
    points: NDArray[np.float64],
    queries: NDArray[np.float64],
    metric: str,
    p: float,
    n_numeric: int,
    weights: NDArray[np.float64],
    threads: int,
) -> NDArray[np.float64]: ...

class ClassPassArrays:
    enemy_start: NDArray[np.int64]
    enemy: NDArray[np.int32]
    enemy_value: NDArray[np.float64]
    own: NDArray[np.float64]
    n_own: NDArray[np.float64]
    nearer: NDArray[np.float64]
    near: NDArray[np.float64]
    further_tied: NDArray[np.float64]
    further_same: NDArray[np.float64]
    tree_from: NDArray[np.int32]
    tree_to: NDArray[np.int32]

def class_pass(
    *,
    points: NDArray[np.float64],
    classes: NDArray[np.int32],
    copies: NDArray[np.float64],
    rows: NDArray[np.int32],
    further: NDArray[np.float64],
    further_classes: NDArray[np.int32],
    metric: str,
    p: float,
    n_numeric: int,
    weights: NDArray[np.float64],
    tie: float,
    further_tie: float,
    zero: float,
    slack: float,
    compare_roots: bool,
    reach: float,
    tree: bool,
    threads: int,
    progress: _Progress | None,
) -> ClassPassArrays: ...
def near_graph(
    *,
    points: NDArray[np.float64],
    limits: NDArray[np.float64],
    metric: str,
    p: float,
    n_numeric: int,
    weights: NDArray[np.float64],
    threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]: ...

class ForestArrays:
    tree_start: NDArray[np.int64]
    column: NDArray[np.int32]
    cut: NDArray[np.int32]
    child: NDArray[np.int64]
    leaf_start: NDArray[np.int64]
    leaf_output: NDArray[np.int32]
    leaf_value: NDArray[np.float64]
    left_out_sums: NDArray[np.float64]
    left_out_counts: NDArray[np.int32]

def grow_forest(
    *,
    bins: NDArray[np.uint8],
    classes: NDArray[np.int32],
    numbers: NDArray[np.float64],
    n_outputs: int,
    n_trees: int,
    sample: int,
    tries: int,
    least: int,
    seed: int,
    threads: int,
    progress: _Progress | None,
    drawn: NDArray[np.float64] | None = None,
) -> ForestArrays: ...
def forest_means(
    *,
    bins: NDArray[np.uint8],
    tree_start: NDArray[np.int64],
    column: NDArray[np.int32],
    cut: NDArray[np.int32],
    child: NDArray[np.int64],
    leaf_start: NDArray[np.int64],
    leaf_output: NDArray[np.int32],
    leaf_value: NDArray[np.float64],
    n_outputs: int,
    threads: int,
) -> NDArray[np.float64]: ...
def shuffled_agreement(
    *,
    start: NDArray[np.int64],
    edge_start: NDArray[np.int64],
    from_row: NDArray[np.int32],
    weight: NDArray[np.float64],
    classes: NDArray[np.int32],
    n_classes: int,
    seed: int,
    first: int,
    count: int,
    threads: int,
    progress: _Progress | None,
) -> NDArray[np.float64]: ...
def most_similar_cases(
    *,
    postings: list[bytes | bytearray],
    weights: list[float],
    cases: bytes | bytearray,
    k: int,
) -> tuple[list[tuple[float, int]], list[tuple[float, int]]]: ...
