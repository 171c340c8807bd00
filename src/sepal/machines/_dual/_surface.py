"""The error of a support vector machine over a grid of widths and C."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal._waiting import each
from sepal.data import Table, data_frame
from sepal.exceptions import DataError, ParameterError
from sepal.kernels import gamma_from_width
from sepal.machines._dual._c_by_groups import group_folds, group_parts
from sepal.machines._dual._c_search import C_GRID, warm_start
from sepal.machines._dual._cross_fitting import given_groups
from sepal.machines._dual._leave_one_out import WHOLE_GRAM_ROWS, LeaveOneOutEstimate, left_out
from sepal.machines._dual._pairs import TrainingRows, gather, winners
from sepal.machines._dual._solvers import NativeKernel, PairSolution, kernel_matrix
from sepal.machines._dual._svm import SVMClassifier
from sepal.neighbors import thread_count
from sepal.parameters import check_numbers, check_parameters, checked
from sepal.progress import Progress, Share, part, stage

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ErrorSurface:
    """Errors over a grid of widths and C.

    Attributes
    ----------
    width, C : ndarray
        The grid, rising.
    error : ndarray, shape (n_widths, n_C)
        The share of rows that are wrong.
    n_support : ndarray of int, shape (n_widths, n_C)
        Distinct support rows of the machine of all training rows.
    method : {"test set", "leave-one-out", "held-out groups"}
    standard_error : ndarray, shape (n_widths, n_C)
        Of a leave-one-out error that was estimated from a sample of the support rows; 0 where the error is exact.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.machines import hyperparameter_surface
    >>> surface = hyperparameter_surface(sepal.SVMClassifier(), table, C=[1.0], width=[0.25, 0.5])
    >>> surface.best
    (0.5, 1.0)
    """

    width: Floats
    C: Floats
    error: Floats
    n_support: NDArray[np.int64]
    method: str
    standard_error: Floats

    @property
    def best(self) -> tuple[float, float]:
        """Width and C of least error: the smallest C among equals, then the largest width."""
        where = np.argwhere(self.error == self.error.min())
        i, j = min(where.tolist(), key=lambda place: (place[1], -place[0]))
        return float(self.width[i]), float(self.C[j])

    def frame(self) -> Any:
        """One line per grid point: width, gamma, C, error, n_support, standard_error."""
        width, C = (each.ravel() for each in np.meshgrid(self.width, self.C, indexing="ij"))
        return data_frame(
            {
                "width": width,
                "gamma": 1.0 / (2.0 * width**2),
                "C": C,
                "error": self.error.ravel(),
                "n_support": self.n_support.ravel(),
                "standard_error": self.standard_error.ravel(),
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Error as shades over width and C, the best point marked; returns the matplotlib axes.

        Shades end at four times the distance from the least to the median error: where a machine fails altogether,
        one shade is enough, and the valley keeps its contrast.
        """
        from sepal.plots import draw_surface

        label = f"error ({self.method})"
        return draw_surface(
            self.width, self.C, self.error, xlabel="width", ylabel="C", label=label, best=self.best, ax=ax
        )

    def __repr__(self) -> str:
        width, C = self.best
        return (
            f"<ErrorSurface {len(self.width)} widths x {len(self.C)} C, {self.method}: "
            f"least error {self.error.min():.4f} at width {width:.4g}, C {C:g}>"
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>C = {C:g}</th>" for C in self.C)
        rows = "".join(
            f"<tr><th>{width:.4g}</th>{''.join(f'<td>{e:.4f}</td>' for e in errors)}</tr>"
            for width, errors in zip(self.width, self.error, strict=True)
        )
        table = f"<table><thead><tr><th>width</th>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return f"<div><p>{html.escape(repr(self)[1:-1])}</p>{table}</div>"


@checked()
def hyperparameter_surface(
    machine: SVMClassifier,
    X: Any,
    y: Any = None,
    *,
    C: ArrayLike | None = None,
    width: ArrayLike | None = None,
    test: Table | tuple[Any, Any] | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    progress: Progress | None = None,
) -> ErrorSurface:
    """The error of a support vector machine at every width and C of a grid.

    For each width the kernel is computed once and the solution for one C starts from that of the one before.

    Parameters
    ----------
    machine : SVMClassifier
        Gives scaling, tolerance, class weights and threads; its own C and width are not used. The kernel must be rbf.
    X, y : rows and classes
        As for ``fit``.
    C : array-like, optional
        By default powers of two from 1/16 to 1024.
    width : array-like, optional
        Widths s of ``exp(-|x - z|^2 / (2 s^2))`` in scaled units; by default 1/8 to 8 times the aligned one.
    test : Table or (X, y), optional
        Rows to count errors on. Without them leave-one-out, exact; with many tens of thousands of rows estimated from a
        sample of the support rows.
    sample_weight : array-like, optional
        Weights of the training rows.
    groups : array-like, "rows", "copies" or None
        Without ``test``. Labels: rows of one group are held out together, in up to ten folds; "rows": each row is left
        out alone; "copies": with all rows of its class that are equal to it. None: copies where their numbers show that
        records were repeated, else each alone.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    ErrorSurface
        With ``frame()``, ``plot()`` and the ``best`` point.

    Examples
    --------
    >>> import sepal.datasets
    >>> from sepal.machines import SVMClassifier, hyperparameter_surface
    >>> hyperparameter_surface(SVMClassifier(), sepal.datasets.load("athletes"), C=[1, 10], width=[0.2, 0.5])
    <ErrorSurface 2 widths x 2 C, leave-one-out: least error 0.0500 at width 0.5, C 1>
    """
    if not isinstance(machine, SVMClassifier) or machine.kernel != "rbf":
        raise ParameterError(f"machine must be an SVMClassifier with kernel='rbf'; got {machine!r}")
    check_parameters(machine)
    apart = given_groups(groups, X)
    if apart is not None and test is not None:
        raise ParameterError("groups= are held out where there is no test=; give one of them")
    tell = stage(progress, "widths and C")
    threads = thread_count(machine.n_jobs)
    shell = SVMClassifier(**machine.get_params())
    shell._copies_go = groups
    first = None if width is None else float(_grid("width", width)[0])
    shell.set_params(width="aligned" if first is None else first, gamma=None, C=1.0)
    training, unit_box, classes = shell._training(X, y, sample_weight, threads)
    widths = _grid("width", float(shell.width_ or 1.0) * np.exp2(np.linspace(-3, 3, 25)) if width is None else width)
    values = _grid("C", C_GRID if C is None else C)
    if apart is not None:
        few = _Task(shell, training, unit_box, values, training.rows.x[:1], training.rows.codes[:1])
        n_support = _run(few, widths * shell._unit, threads, part(tell, 0.0, 0.1))[1]
        error = _error_by_groups(shell, (X, y, sample_weight, apart), widths, values, part(tell, 0.1, 1.0))
        return ErrorSurface(widths, values, error, n_support, "held-out groups", np.zeros(error.shape))
    if test is None and shell._copies_leave_together(training):
        training = replace(training, rows=replace(training.rows, leaves=np.ones(len(training.rows.codes))))
    queries, truth = _test_rows(shell, test, classes)
    task = _Task(shell, training, unit_box, values, queries, truth)
    error, n_support, standard_error = _run(task, widths * shell._unit, threads, tell)
    method = "test set" if test is not None else "leave-one-out"
    return ErrorSurface(widths, values, error, n_support, method, standard_error)


@dataclass(frozen=True, eq=False)
class _Task:
    """All but the width."""

    machine: SVMClassifier
    training: TrainingRows
    unit_box: Floats
    C: Floats
    queries: Floats | None
    truth: NDArray[np.intp] | None
    share: Floats | None = None  # what each of the queries counts; by default all the same, together 1
    told: Callable[[], object] = lambda: None  # called after each C of a width, and again when rows were left out

    @property
    def n_steps(self) -> int:
        """How often it tells of one width."""
        return len(self.C) * (2 if self.queries is None else 1)

    def column(self, width: float, threads: int) -> list[tuple[float, int, float]]:
        """Error, number of support rows and standard error for each C, at one width."""
        rows = self.training.rows
        kernel = NativeKernel("rbf", gamma_from_width(width))
        path = self._path(kernel, threads)
        if self.queries is not None and rows.n_classes == 2:
            return self._tested(self.queries, [solutions[0] for _, solutions in path], kernel, threads)
        machines = [gather(training, solutions) for training, solutions in path]
        counts = [len(m.support) for m in machines]
        if self.queries is not None:
            used = np.unique(np.concatenate([m.support for m in machines]))
            similar = kernel_matrix(self.queries, rows.x[used], kernel, threads)
            errors = [self._error(m.over(used, rows.codes).from_values(similar)) for m in machines]
            return [(error, count, 0.0) for error, count in zip(errors, counts, strict=True)]
        found = [self._left_out(t, s, threads) for t, s in path]
        return [(each.error, count, each.standard_error) for each, count in zip(found, counts, strict=True)]

    def _tested(
        self, queries: Floats, solutions: list[PairSolution], kernel: NativeKernel, threads: int
    ) -> list[tuple[float, int, float]]:
        """The same for two classes, on test rows: all C in one product."""
        coef = np.stack([solution.beta for solution in solutions], axis=1)
        used = np.flatnonzero(coef.any(axis=1))
        decisions = kernel_matrix(queries, self.training.rows.x[used], kernel, threads) @ coef[used]
        decisions += [solution.bias for solution in solutions]
        counts = np.count_nonzero(coef, axis=0).tolist()
        return [(self._counted(k > 0), c, 0.0) for k, c in zip(decisions.T, counts, strict=True)]

    def _path(self, kernel: NativeKernel, threads: int) -> list[tuple[TrainingRows, list[PairSolution]]]:
        """Solutions from the smallest C up, each from the one before."""
        rows = self.training.rows
        training = TrainingRows(rows, kernel)
        if len(rows.codes) <= WHOLE_GRAM_ROWS:
            training = TrainingRows(rows, NativeKernel("precomputed"), kernel_matrix(rows.x, rows.x, kernel, threads))
        path: list[tuple[TrainingRows, list[PairSolution]]] = []
        for k, C in enumerate(self.C):
            warm = warm_start(path[-1][1], C / self.C[k - 1]) if path else None
            path.append((training, self.machine._solve(training, C * self.unit_box, threads, warm)))
            self.told()
        return path

    def _left_out(self, training: TrainingRows, solutions: list[PairSolution], threads: int) -> LeaveOneOutEstimate:
        found = left_out(training, solutions, tol=self.machine.tol, threads=threads)
        self.told()
        return found

    def _error(self, decisions: Floats) -> float:
        return self._counted(winners(decisions, self.training.rows.n_classes))

    def _counted(self, answers: NDArray[Any]) -> float:
        wrong = answers != self.truth
        return float(np.mean(wrong) if self.share is None else wrong @ self.share)


def _error_by_groups(
    shell: SVMClassifier,
    given: tuple[Any, Any, Any, NDArray[np.intp]],
    widths: Floats,
    values: Floats,
    progress: Share | None,
) -> Floats:
    """The share of rows that machines without their group get wrong; columns are scaled anew in every fold."""
    X = given[0]
    labels, weight, folds = group_folds(*given)
    threads, wrong = thread_count(shell.n_jobs), np.zeros((len(widths), len(values)))
    share = 1.0 / len(folds)
    for at, (train, test) in enumerate(folds):
        known = np.isin(labels[test], labels[train][weight[train] > 0])
        wrong += weight[test[~known]].sum()  # of a class that no machine has seen
        test = test[known]
        if len(test):
            fold = SVMClassifier(**shell.get_params())
            seen, asked = group_parts(fold, X, labels, train, test)
            training, unit_box, classes = fold._training(seen, labels[train], weight[train], threads)
            task = _Task(
                fold, training, unit_box, values, *_test_rows(fold, (asked, labels[test]), classes), weight[test]
            )
            wrong += _run(task, widths * fold._unit, threads, part(progress, at * share, (at + 1) * share))[0]
        elif progress is not None:
            progress((at + 1) * share)
    return np.asarray(wrong / weight.sum())


def _run(task: _Task, widths: Floats, threads: int, progress: Share | None) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Small problems: one thread per width. Large ones: all threads on one width after the other."""
    small = len(task.training.rows.codes) <= WHOLE_GRAM_ROWS and threads > 1
    steps: list[None] = []  # one for each that was told; any thread may append

    def tell() -> None:
        if progress is not None:
            progress(len(steps) / (task.n_steps * len(widths)))

    def told() -> None:
        steps.append(None)
        if not small:
            tell()

    tell()
    heard = replace(task, told=told)
    found = each(
        lambda width: heard.column(float(width), 1 if small else threads),
        widths,
        threads if small else 1,
        meanwhile=tell,
        end_threads=True,
    )
    tell()
    facts = np.array(found)  # widths, C, facts
    return facts[:, :, 0], facts[:, :, 1].astype(np.int64), facts[:, :, 2]


def _grid(name: str, values: ArrayLike) -> Floats:
    return np.unique(check_numbers(name, values, above=0.0))


def _test_rows(
    shell: SVMClassifier, test: Table | tuple[Any, Any] | None, classes: NDArray[Any]
) -> tuple[Floats | None, NDArray[np.intp] | None]:
    if test is None:
        return None, None
    if isinstance(test, Table):
        X, y = test, test.y
    elif isinstance(test, tuple) and len(test) == 2:
        X, y = test
    else:
        raise ParameterError(f"test must be a Table with a target or a pair (X, y); got {type(test).__name__}")
    labels = np.asarray(y)
    values = shell._new_numbers(X).values
    if labels.shape != (len(values),):
        raise DataError(f"test: expected {len(values)} labels, found shape {labels.shape}")
    known = np.isin(labels, classes)
    if not known.all():
        raise DataError(f"test: the class {labels[~known][0]} does not occur in training")
    return np.ascontiguousarray(shell._scaling.apply(values)), np.searchsorted(classes, labels)
