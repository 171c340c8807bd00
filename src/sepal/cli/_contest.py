"""Several learners on the same folds, in one table with the test of each difference."""

from __future__ import annotations

import textwrap
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sepal import __version__
from sepal.cli._bounded import bounded, fold_progress, too_slow
from sepal.cli._learners import Chosen, make_learner
from sepal.data import Table
from sepal.evaluation import Evaluation, PairTest, compare, evaluate
from sepal.exceptions import SepalError, SepalWarning
from sepal.progress import Progress
from sepal.report import Clock, TimeIsOverError, alarm

TITLES = {
    "auto": "SepalClassifier",
    "auto-regressor": "SepalRegressor",
    "svm": "SVM, aligned width, best C",
    "knn": "k-NN, k by leave-one-out",
    "knn-regressor": "k-NN, k by leave-one-out",
    "fisher": "Fisher's discriminant",
    "feature-vectors-regressor": "feature vectors",
}


FIRST_PART = 0.6  # of the time limit, for the first learner


@dataclass(frozen=True, eq=False)
class Entrant:
    """One learner: what it answered (None if it could not), its seconds, remarks, and the first learner against it."""

    name: str
    title: str
    found: Evaluation | None
    seconds: float
    remarks: tuple[str, ...] = ()
    test: PairTest | None = None


@dataclass(frozen=True, eq=False)
class Contest:
    """The learners, the one that is compared with all others first."""

    entrants: tuple[Entrant, ...]

    @property
    def first(self) -> Evaluation:
        """The evaluation of the first learner."""
        found = self.entrants[0].found
        assert found is not None  # noqa: S101 - contest() ends with an error where none answers
        return found

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values, for JSON."""
        first = self.first
        return {
            "data": first.data,
            "task": first.task,
            "test_mode": first.test_mode,
            "seed": first.random_state,
            "n_rows": first.n_rows,
            **({} if first.costs is None else {"compared_by": "mean cost"}),
            "learners": [_entrant_facts(entrant) for entrant in self.entrants],
        }

    def to_text(self, width: int | None = None) -> str:
        """The table, and what its last columns mean; folded into ``width`` columns where it is given."""
        first = self.first
        classes = "" if first.classes is None else f", {len(first.classes)} classes"
        seed = "" if first.random_state is None else f", seed {first.random_state}"
        heading = f"{first.data}: {first.test_mode}{seed}, {first.n_rows:,} rows{classes}, sepal {__version__}"
        heads = self._heads()
        rows = [heads, *(_cells(entrant, heads) for entrant in self.entrants)]
        tested = next((e.test for e in self.entrants if e.test is not None), None)
        name = "McNemar's test on the rows"
        if tested is not None and tested.t_p is not None:
            name = "the paired t test on the rows" if len(first.fold_sizes) == 1 else "the corrected t test over folds"
        notes = [f"gain: {_WHAT_GAIN[_compared_by(first)].format(self.entrants[0].title)}; p: by {name}."]
        if "recall" in heads:
            notes.append(
                "recall: share of the 10 nearest that approximate neighbours are, in percent, least of all folds."
            )
        notes += [f"{entrant.title}: {remark}" for entrant in self.entrants for remark in entrant.remarks]
        lines = [*_folded([heading], width), "", *_table(rows, width), "", *_folded(notes, width)]
        return "\n".join(lines) + "\n"

    def _heads(self) -> tuple[str, ...]:
        """The columns of the table; with what a row costs, where costs were given, and recall where it is not all."""
        name, *others, seconds, gain, p = _HEADS[self.first.task]
        cost = () if self.first.costs is None else ("cost",)
        found = [entrant.found for entrant in self.entrants if entrant.found is not None]
        recall = ("recall",) if any(each.recall is not None for each in found) else ()
        return (name, *cost, *others, *recall, seconds, gain, p)


_HEADS = {
    "classification": ("", "accuracy", "balanced", "log-loss", "kappa", "seconds", "gain", "p"),
    "regression": ("", "RMSE", "MAE", "correlation", "seconds", "gain", "p"),
}

_WHAT_GAIN = {
    "cost": "how much less a row costs with {}",
    "classification": "how much higher the accuracy of {} is",
    "regression": "how much lower the RMSE of {} is",
}


def _compared_by(found: Evaluation) -> str:
    return found.task if found.costs is None else "cost"


def _folded(texts: Sequence[str], width: int | None) -> list[str]:
    return [
        line
        for text in texts
        for line in ([text] if width is None else textwrap.wrap(text, width, break_on_hyphens=False))
    ]


def _table(rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """A line for each learner; where that is too wide its name above its figures, or these as a sentence."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    lines = ["  ".join(_padded(row, widths)).rstrip() for row in rows]
    if width is None or max(map(len, lines)) <= width:
        return lines
    figures = ["  ".join(_padded(["", *row[1:]], [0, *widths[1:]])).rstrip() for row in rows]
    if max(map(len, figures)) <= width:
        named = [line for row, line in zip(rows[1:], figures[1:], strict=True) for line in (row[0], line)]
        return [figures[0], *named]
    found = []
    for row in rows[1:]:
        pairs = ", ".join(f"{head} {cell}" for head, cell in zip(rows[0][1:], row[1:], strict=True) if cell)
        found += [
            row[0][:width],
            *textwrap.wrap(pairs, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False),
        ]
    return found


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]


def _cells(entrant: Entrant, heads: Sequence[str]) -> tuple[str, ...]:
    found = entrant.found
    if found is None:
        return (entrant.title, *("-" for _ in heads[1:]))
    seconds = f"{entrant.seconds:.1f}" if entrant.seconds else ""
    if found.task == "classification":
        measures = [f"{100 * found.accuracy:.2f}", f"{100 * found.balanced_accuracy:.2f}", f"{found.log_loss:.3f}"]
        measures.append(f"{found.kappa:.3f}")
        measures = [*([] if found.costs is None else [f"{found.mean_cost():.4f}"]), *measures]
    else:
        measures = [f"{found.errors['rmse']:.4g}", f"{found.errors['mae']:.4g}", f"{found.correlation:.3f}"]
    if "recall" in heads:
        measures.append("" if found.recall is None else f"{100 * found.recall:.1f}")
    return (entrant.title, *measures, seconds, *_test_cells(entrant, found))


def _test_cells(entrant: Entrant, found: Evaluation) -> tuple[str, str]:
    test = entrant.test
    if test is None:
        return "", ""
    by = _compared_by(found)
    gain = f"{100 * test.difference:+.2f}" if by == "classification" else f"{test.difference:+.4f}"
    if by == "regression":
        gain = f"{_root_gain(test, found):+.4g}"
    p = test.mcnemar_p if test.t_p is None else test.t_p
    return gain, "" if p is None else f"{p:.3f}"


def _root_gain(test: PairTest, found: Evaluation) -> float:
    """The difference of the root mean squared errors; the test's is that of minus the squares."""
    own = found.errors["rmse"]
    return float(own - np.sqrt(max(own**2 - test.difference, 0.0)))


def _entrant_facts(entrant: Entrant) -> dict[str, Any]:
    facts: dict[str, Any] = {"learner": entrant.name, "seconds": entrant.seconds}
    if entrant.found is None:
        return {**facts, "problem": entrant.remarks[0]}
    test = None
    if entrant.test is not None:
        test = {name: value for name, value in vars(entrant.test).items() if name not in ("first", "second")}
    return {**facts, **entrant.found.to_dict(), "first_against_this": test}


def contest(
    names: Sequence[str],
    chosen: Chosen,
    table: Table,
    how: Mapping[str, Any],
    progress: Progress,
    limit: float | None = None,
    costs: Mapping[Any, float] | None = None,
) -> Contest:
    """Evaluate the learners one after the other, and the majority or mean from the same folds.

    ``how`` goes to :func:`sepal.evaluate`: ``cv``, ``test``, ``groups`` and ``random_state``. ``costs``, where given,
    decide the answers. With a ``limit`` in
    seconds the first has 60 % of it and aims at half of that, and each other learner has an equal part of what is left
    when its turn comes.

    A learner that needs more time or cannot answer stands in the table without figures, and why is said below it; the
    first that answered is then compared with the others. Where none can it is an error: what the first one says.
    """
    entrants: list[Entrant] = []
    over, problem, late = Clock(limit), None, False
    for place, name in enumerate(names):
        title = TITLES[name]
        left = over.left()
        part = FIRST_PART if place == 0 else 1.0 / (len(names) - place)
        mine = Clock(None if left is None else max(left, 1e-3) * part)
        folds = n_folds(how)
        watch = fold_progress(title, folds, mine, _share_of(progress, place, len(names)))
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SepalWarning)
            try:
                learner = bounded(make_learner(name, chosen, table), _own_limit(mine, place), folds)
                with alarm(mine):
                    found = _at_costs(evaluate(learner, table, **how, progress=watch), costs)
            except TimeIsOverError:
                late = True
                entrants.append(Entrant(name, title, None, 0.0, ("no answer: its share of the time limit was over",)))
                continue
            except SepalError as error:
                problem = problem or error
                entrants.append(Entrant(name, title, None, 0.0, (f"no answer: {str(error).splitlines()[0]}",)))
                continue
        said = tuple(dict.fromkeys(f"in a fold, {each.message}" for each in caught))
        entrants.append(Entrant(name, title, found, time.perf_counter() - start, said[:1]))
    entrants.sort(key=lambda entrant: entrant.found is None)  # stable: those that answered come first
    first = entrants[0]
    if first.found is None and problem is not None and not late:
        raise problem
    if first.found is None:
        raise too_slow("Even the quickest learner", limit)
    base = first.found.majority
    word = base.scheme
    always = word if word == "mean" else "largest class" if base.costs is None else "class of least cost"
    entrants.append(Entrant(word, f"always the {always}", base, 0.0))
    return Contest((first, *(_tested(first, entrant) for entrant in entrants[1:])))


def alone_in(
    name: str,
    learner: Any,
    table: Table,
    how: Mapping[str, Any],
    progress: Progress,
    limit: float | None = None,
    costs: Mapping[Any, float] | None = None,
) -> Evaluation:
    """Evaluate one learner within the limit."""
    clock, folds = Clock(limit), n_folds(how)
    told = fold_progress(name, folds, clock, progress)
    try:
        with alarm(clock):
            found = _at_costs(evaluate(bounded(learner, limit, folds), table, **how, progress=told), costs)
    except TimeIsOverError as error:
        raise too_slow(name, limit) from error
    return found.majority if name in ("majority", "mean") else found


def _at_costs(found: Evaluation, costs: Mapping[Any, float] | None) -> Evaluation:
    return found if costs is None else found.with_costs(costs)


def n_folds(how: Mapping[str, Any]) -> Any:
    """How many times a learner is fitted, or "loo"."""
    return 1 if how["test"] is not None or isinstance(how["cv"], float) else how["cv"]


def _own_limit(clock: Clock, place: int) -> float | None:
    """What a learner is told: the first is needed for the comparison, and may overrun what it was told."""
    return clock.limit if clock.limit is None or place else clock.limit / 2


def _share_of(progress: Progress, place: int, n: int) -> Progress:
    return lambda what, done: progress(what, (place + done) / n)


def _tested(first: Entrant, other: Entrant) -> Entrant:
    if first.found is None or other.found is None:
        return other
    (test,) = compare({first.name: first.found, other.name: other.found}).pairs
    return replace(other, test=test)
