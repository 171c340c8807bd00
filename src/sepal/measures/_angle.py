"""The angle of separability, and the companions without which it misleads.

Lift the two classes to heights -1 and 1 above the columns. The Fisher discriminant of the lifted rows is a plane, and
its angle to the horizontal is tan theta = sqrt(k^2 |S^+ d|^2 + |Qd|^2) / 2, with d the difference of the means, S the
pooled covariance, Q the projector on its null space. The angle depends on the units of the columns.

Reference: A. Ben-Israel and Y. Levin, "The geometry of linear separability in data sets", 2005.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sepal.data import ScaleName, as_table, class_codes, content_order, fit_scaling, levels_by_name, unit_of
from sepal.exceptions import DataError
from sepal.measures._angle_permutation import angle_tangent, permutation_p
from sepal.measures._angle_result import ClassPairAngle, Pooled, SeparabilityAngle
from sepal.measures._class_pairs import class_pairs, pairs_notes
from sepal.measures._hotelling import holm, hotelling, wilks_and_pillai
from sepal.measures._prepared import dropped_before
from sepal.measures._table_numbers import MissingNumbers, numbers_of
from sepal.measures._within import (
    ClassScatter,
    Within,
    check_spread,
    length,
    within_classes,
    within_pair,
    within_scatters,
)
from sepal.parameters import Parameter, RandomState, checked, generator
from sepal.progress import Progress, Share, stage

_ORDER = 500.0  # as a power of two: beyond it the smaller side of a sum of squares is lost anyway


ANGLE_PARAMETERS = (
    Parameter("kappa", "number", "variance given to the height that the classes are lifted to", above=0.0),
    Parameter("pooled", "word", "whose scatter is used: of all classes, or of the two compared", words=("all", "pair")),
)


@checked(*ANGLE_PARAMETERS)
def angle_of_separability(
    X: Any,
    y: Any = None,
    *,
    kappa: float = 1.0,
    scale: ScaleName | None = None,
    pooled: Pooled = "all",
    missing: MissingNumbers = "drop",
    confidence: float = 0.95,
    n_permutations: int = 199,
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> SeparabilityAngle:
    """The angle of separability, with the companions that do not depend on units.

    The angle grows from 0 (equal means) to 90 degrees. **It depends on the units of the columns**: metres written as
    millimetres drive it to 0, as kilometres to 90 degrees, and the classes are as separable as before. A small angle
    is no evidence of inseparable classes. The Mahalanobis distance D and Hotelling's test, always given beside it, do
    not depend on units.

    Parameters
    ----------
    X : Table, ndarray or data frame
        Nominal columns are coded as 0 and 1, a column for each level in the rows used, and one for two levels.
    y : array-like, optional
        The class of each row, unless X is a Table with a target.
    kappa : float
        Weight of the height against the columns: the paper uses 1.
    scale : {"minmax", "standard"} or None
        Scaling of the columns first. None keeps the units given, as the paper does, also of a prepared table.
    pooled : {"all", "pair"}
        With more than two classes: one covariance pooled over all of them, or over the two of each pair.
    missing : {"drop", "mean"}
        Leave rows with missing cells out, or put the mean of the column in their place.
    confidence : float
        Of the interval for D.
    n_permutations : int
        Shuffled labelings for ``permutation_p``; 0 for none.
    random_state : int, Generator or None
        For the shuffles only.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    SeparabilityAngle

    Raises
    ------
    DataError
        Fewer rows than needed for a covariance.

    Notes
    -----
    With more than 50 classes the pairs are those of the 50 largest, of equally large ones those that come first by
    name; Wilks' and Pillai's tests are of all classes.

    The rank of S is judged on columns in units of their spread, and S^+ is the Moore-Penrose inverse in the units
    given. Tests need normal classes with one covariance; the permutation p-value needs neither.

    References
    ----------
    A. Ben-Israel and Y. Levin, "The geometry of linear separability in data sets", 2005. Its table prints 3 degrees for
    the diabetes data in raw units; 25.2 is what its formula gives, and no coding of the data explains the difference.

    Examples
    --------
    >>> angle = angle_of_separability([[0.0], [2.0], [2.0], [4.0]], ["a", "a", "b", "b"], n_permutations=0)
    >>> angle.mahalanobis ** 2, round(angle.degrees, 3)  # S = 2, d = 2
    (2.0..., 26.565)
    """
    table = as_table(X, y)
    codes, classes = class_codes(table)
    numbers = numbers_of(levels_by_name(table), missing, in_use=True)
    codes = codes[numbers.rows]
    values = numbers.values
    if scale is not None:
        kinds = [table.kinds[j] for j in numbers.column_of]
        values = fit_scaling(values, ["numeric" if k == "nominal" else k for k in kinds], scale).apply(values)
    counts = np.bincount(codes, minlength=len(classes))
    if np.any(counts == 0):
        lost = classes[np.flatnonzero(counts == 0)[0]]
        raise DataError(
            f"class {lost!s} has no complete row", hint="use missing='mean' to fill missing cells with column means"
        )
    return angle_solve(
        values,
        codes,
        classes,
        kappa,
        pooled,
        confidence,
        int(n_permutations),
        generator(random_state),
        scale,
        (*dropped_before(X), *numbers.notes),
        progress,
    )


def angle_solve(
    values: NDArray[np.float64],
    codes: NDArray[np.int32],
    classes: NDArray[Any],
    kappa: float,
    pooled: str,
    confidence: float,
    n_permutations: int,
    rng: np.random.Generator,
    scale: str | None = None,
    notes: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> SeparabilityAngle:
    """All pairs from a matrix of numbers and class codes."""
    unit = unit_of(values)
    values = values * unit
    _check_rows(len(values), classes)
    every = within_classes(values, codes, len(classes))
    orders: dict[bool, NDArray[np.intp]] = {}  # that of all rows serves every pair

    def within_of(a: int, b: int) -> Within:
        rows = (codes == a) | (codes == b)
        return within_classes(values.compress(rows, axis=0), (codes[rows] == b).astype(np.int32), 2)

    def permuted(a: int, b: int, within: Within, tangent: float, inner: float, told: Share | None) -> float:
        part_values, part_codes, place = values, codes, (a, b)
        if within is not every:
            rows = np.flatnonzero((codes == a) | (codes == b))
            part_values, part_codes, place = values.take(rows, axis=0), (codes[rows] == b).astype(np.int32), (0, 1)
        if within is not every or True not in orders:
            orders[within is every] = content_order(part_values, part_codes)
        order = orders[within is every]
        return permutation_p(part_values, part_codes, place, within, order, tangent, inner, n_permutations, rng, told)

    chance = permuted if n_permutations else None
    asked = _Asked(classes, float(kappa), pooled, confidence, scale, n_permutations)
    return _of_pairs(asked, every, within_of, unit, chance, notes, progress)


def angle_of_scatters(
    scatters: Sequence[ClassScatter],
    shift: NDArray[np.float64],
    classes: NDArray[Any],
    *,
    kappa: float = 1.0,
    pooled: Pooled = "all",
    confidence: float = 0.95,
    scale: ScaleName | None = None,
    notes: tuple[str, ...] = (),
) -> SeparabilityAngle:
    """All pairs from what sums over the rows tell of each class; ``shift`` was taken off all rows before.

    Labels cannot be shuffled without the rows: there is no ``permutation_p``.
    """
    _check_rows(sum(each.count for each in scatters), classes)
    unit = unit_of(np.array([[each.low, each.high] for each in scatters]) + shift)
    parts = [each.times(unit) for each in scatters]
    every = within_scatters(parts, shift * unit)
    check_spread(every.varying_spread)
    asked = _Asked(classes, float(kappa), pooled, confidence, scale, 0)
    return _of_pairs(asked, every, lambda a, b: within_pair(parts[a], parts[b]), unit, None, notes, None)


def _check_rows(n_rows: int, classes: NDArray[Any]) -> None:
    if n_rows <= len(classes):
        raise DataError(f"a covariance inside {len(classes)} classes needs more rows than classes; got {n_rows}")


@dataclass(frozen=True, eq=False)
class _Asked:
    """What was asked for."""

    classes: NDArray[Any]
    kappa: float
    pooled: str
    confidence: float
    scale: str | None
    n_permutations: int


def _of_pairs(
    asked: _Asked,
    every: Within,
    within_of: Callable[[int, int], Within],
    unit: float,
    chance: Callable[[int, int, Within, float, float, Share | None], float] | None,
    notes: tuple[str, ...],
    progress: Progress | None,
) -> SeparabilityAngle:
    """The result, from the scatter of all classes (``every``) and of two; rows were taken times ``unit``."""
    classes, pairs = asked.classes, list[dict[str, Any]]()
    chosen = class_pairs(every.counts)
    for a, b in chosen:
        if progress is not None:
            progress("class pairs", len(pairs) / len(chosen))
        within, place = every, (a, b)
        if asked.pooled == "pair" and len(classes) > 2:
            if every.counts[a] + every.counts[b] <= 2:
                raise DataError(
                    f"classes {classes[a]!s} and {classes[b]!s} have one row each: no covariance between them"
                )
            within, place = within_of(a, b), (0, 1)
        pair, solution, null = _pair(within, place, (classes[a], classes[b]), asked.kappa, asked.confidence, unit)
        permuted = None
        if chance is not None:
            inner = _kappa_inside(asked.kappa, unit)
            told = stage(progress, "class pairs", len(pairs) / len(chosen), (len(pairs) + 1) / len(chosen))
            permuted = chance(a, b, within, angle_tangent(solution, null, inner), inner, told)
        pairs.append({**pair, "permutation_p": permuted})
    adjusted = holm([pair["hotelling"].p_value for pair in pairs])
    wilks, pillai = wilks_and_pillai(every)
    p = every.means.shape[1]
    return SeparabilityAngle(
        pairs=tuple(ClassPairAngle(**pair, adjusted_p=p) for pair, p in zip(pairs, adjusted, strict=True)),
        wilks=wilks,
        pillai=pillai,
        kappa=asked.kappa,
        scale=asked.scale,
        pooled=asked.pooled,
        rank=every.rank,
        n_columns=p,
        n_rows=int(every.counts.sum()),
        n_permutations=asked.n_permutations,
        notes=(
            *notes,
            *pairs_notes("angles are those of", len(classes)),
            *_rank_notes(every, p, [pair["null_norm"] for pair in pairs]),
        ),
    )


def _pair(
    within: Within, place: tuple[int, int], labels: tuple[Any, Any], kappa: float, confidence: float, unit: float
) -> tuple[dict[str, Any], float, float]:
    """The numbers of one pair, from rows times ``unit``; then |S^+ d| and |Qd| of those rows."""
    a, b = place
    d = within.means[a] - within.means[b]
    solved, null = within.solve(d), float(length(within.null_part(d)))
    d2 = max(0.0, float(d @ solved))
    n1, n2 = int(within.counts[a]), int(within.counts[b])
    if within.basis is None:
        standardized = 0.5 * float(np.linalg.norm(solved * within.inside))
    else:  # Moore-Penrose in the new units
        standardized = _standardized_tangent(within, d)
    solution = float(length(solved))
    found = {
        "classes": tuple(np.asarray(labels).tolist()),
        "class_rows": (n1, n2),
        "theta": float(np.arctan(angle_tangent(solution * unit, null / unit, kappa))),
        "solution_norm": solution * unit,
        "null_norm": null / unit,
        "mahalanobis": float(np.sqrt(d2)),
        "invariant_theta": float(np.arctan(np.sqrt(d2) / 2)),
        "standardized_theta": float(np.arctan(standardized)),
        "plug_in_error": 0.0 if null > 0 else float(ndtr(-np.sqrt(d2) / 2)),
        # Outside the range of S the test has no law: rank 0 says so.
        "hotelling": hotelling(d2, n1, n2, within.rank if null == 0 else 0, within.degrees_of_freedom, confidence),
    }
    return found, solution, null


def _kappa_inside(kappa: float, unit: float) -> float:
    """The kappa with which angles of rows times ``unit`` have the order of those of the rows themselves."""
    exponent = float(np.log2(kappa) + 2.0 * np.log2(unit))
    if abs(exponent) < _ORDER:
        return float(np.ldexp(kappa, 2 * int(np.log2(unit))))
    return float(np.exp2(np.copysign(_ORDER, exponent)))


def _standardized_tangent(within: Within, d: NDArray[np.float64]) -> float:
    """The tangent after dividing columns by their spread inside classes, for a singular covariance."""
    unit = within.inside
    spread = within.spread / unit
    basis = np.linalg.qr(spread[:, None] * within.vectors)[0]
    moved = Within(
        within.means / unit, within.center / unit, within.counts, spread, within.vectors, within.variances, basis
    )
    z = d / unit
    return angle_tangent(float(np.linalg.norm(moved.solve(z))), float(np.linalg.norm(moved.null_part(z))), 1.0)


def _rank_notes(within: Within, p: int, null_norms: list[float]) -> tuple[str, ...]:
    if within.rank == p:
        return ()
    notes = [f"the covariance is singular: rank {within.rank} for {p} columns"]
    if any(null > 0 for null in null_norms):
        notes.append(
            "some class means differ in a direction without any spread inside classes: the given rows are separated "
            "perfectly there, which with few rows for many columns says nothing about further rows"
        )
    return tuple(notes)
