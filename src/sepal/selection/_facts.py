"""Everything ``sepal select`` says about a table, as plain facts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from sepal.data import plural
from sepal.parameters import Parameter, RandomState, checked
from sepal.progress import Progress, silent
from sepal.selection._choose import Procedure, procedure_keywords
from sepal.selection._criteria import as_criterion
from sepal.selection._in_time import NO_FOLDS, NoTimeForFoldsError, rows_for_the_time, seconds_of_each
from sepal.selection._near_best import Subset, inclusion, smallest
from sepal.selection._nested_score import NestedScore, nested_score
from sepal.selection._parameters import PROCEDURE
from sepal.selection._search import SubsetSearch
from sepal.selection._subset_sweep import SubsetSweep
from sepal.selection._telling import search_teller

MOST_LISTED = 1000

# What is being done, and the share of the whole work that is behind.


@dataclass(frozen=True, eq=False)
class SelectionFacts:
    """The answer of ``sepal select``.

    Attributes
    ----------
    best, smallest : Subset
        The best subset, and the smallest that the data cannot tell from it.
    near_best : tuple of Subset
        Best first.
    inclusion : dict
        Share of near-best subsets that hold each feature.
    kept : tuple of str
        Columns in every subset, by the user's wish.
    nested : NestedScore or None
        The honest score beside the optimistic one.
    sentence : str
        How much the data can tell.
    result : SubsetSweep or SubsetSearch
        All scores, for pictures.
    strategy, criterion : str
        How subsets were searched, and what they were judged by.
    n_rows, n_features, n_evaluations : int
        Rows and features to choose from, and how many subsets were scored.
    seconds : float
        How long the search took.
    stopped : str
        What ended it, as in :class:`SubsetSearch`.
    notes : tuple of str
        What the reader should know.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import select_facts
    >>> facts = select_facts(table, cv=4)
    >>> facts.best.features, facts.nested.honest
    (('speed', 'agility'), 1.0)
    """

    result: SubsetSweep | SubsetSearch
    strategy: str
    criterion: str
    n_rows: int
    n_features: int
    n_evaluations: int
    seconds: float
    stopped: str
    best: Subset
    near_best: tuple[Subset, ...]
    inclusion: dict[str, float]
    smallest: Subset
    kept: tuple[str, ...]
    nested: NestedScore | None
    sentence: str
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, texts and numbers, ready for JSON."""
        nested = self.nested
        return {
            "strategy": self.strategy,
            "criterion": self.criterion,
            "n_rows": self.n_rows,
            "n_features": self.n_features,
            "n_evaluations": self.n_evaluations,
            "seconds": self.seconds,
            "stopped": self.stopped,
            "best": _plain(self.best),
            "smallest_near_best": _plain(self.smallest),
            "n_near_best": len(self.near_best),
            "near_best": [_plain(subset) for subset in self.near_best[:MOST_LISTED]],
            "inclusion": self.inclusion,
            "kept": list(self.kept),
            "honest": None
            if nested is None
            else {
                "accuracy": nested.honest,
                "standard_error": nested.standard_error,
                "interval": list(nested.interval),
                "gain_error": nested.gain_error,
                "all_features": nested.all_features,
                "optimistic": nested.optimistic,
            },
            "sentence": self.sentence,
            "notes": list(self.notes),
        }

    def plot(self, axes: Any = None) -> Any:
        """The scores by size, and beside them the inclusion bars.

        Parameters
        ----------
        axes : sequence of two matplotlib axes, optional
            Where to draw them. A new figure without it.

        Returns
        -------
        array of matplotlib axes
        """
        from sepal import plots as draw

        height = max(4.2, 1.0 + 0.28 * min(len(self.inclusion), 30))
        drawn = draw.side_by_side(height) if axes is None else draw.several_axes(axes, 2)[:2]
        left, right = drawn
        self.result.plot("size", ax=left)
        draw.draw_inclusion([*self.inclusion], [*self.inclusion.values()], n_subsets=len(self.near_best), ax=right)
        return drawn


def _plain(subset: Subset) -> dict[str, Any]:
    return {
        "features": list(subset.features),
        "columns": list(subset.columns),
        "score": subset.score,
        "difference": subset.difference,
        "standard_error": subset.standard_error,
    }


@checked(
    Parameter("cv", "whole", "how many folds", at_least=2),
    Parameter("honest", "flag", "repeat the selection inside folds, for a score without optimism"),
    *PROCEDURE,
    passes_on=procedure_keywords("random_state", "time_limit"),
)
def select_facts(
    X: Any,
    y: Any = None,
    *,
    honest: bool = True,
    cv: int = 10,
    groups: Any = None,
    time_limit: float | None = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
    **procedure: Any,
) -> SelectionFacts:
    """Select features and say how far the answer can be believed.

    Parameters
    ----------
    X, y
        Labelled rows.
    honest : bool
        Also repeat the whole selection inside every fold.
    cv : int
        How many folds.
    groups : array-like, "rows", "copies" or None
        Rows that are left out together where subsets are judged, and held out together, as in :func:`nested_score`.
    time_limit : float, optional
        Seconds for all of it: the search on all rows and its repetition in each fold have equal parts. Where that is
        little for so many rows a random sample is searched, and where nothing is left the folds are left out; ``notes``
        say so.
    random_state : int, Generator or None
        For strategies that use chance, for the folds, and for the sample.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.
    strategy, criterion, n_features, prefer, scale, ties, missing, blocks, keep
        How features are selected: as in :class:`SeparabilitySelector`; ``missing`` as in :func:`subset_sweep`.
    max_evaluations, patience, n_jobs, options, **procedure
        Bounds of a search: as in :func:`search_subsets`.

    Returns
    -------
    SelectionFacts
        What ``sepal select`` prints.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> facts = select_facts(table, cv=4)
    >>> facts.best.features
    ('speed', 'agility')
    """
    say, begin = progress or silent, time.monotonic()
    part, folded = seconds_of_each(time_limit, honest, cv)
    notes = [NO_FOLDS] if honest and not folded else []
    how = Procedure(random_state=random_state, time_limit=part, **procedure)
    problem, how = how.prepare(X, y, groups), how.settled_by(X)
    if part is not None:
        some, of_them, note = rows_for_the_time(X, y, problem, groups, how, part, random_state)
        if note is not None:
            X, y, groups, procedure = some, None, of_them, {**procedure, "scale": how.scale}
            problem = how.prepare(X, None, groups)
            notes.append(note)
    started = time.monotonic()
    first = 1.0 / (1 + cv) if folded else 1.0
    say("scoring subsets", 0.0)
    n_subsets = 2**problem.n_units if how.sweeps(problem) else None
    result = how.run(problem, search_teller(say, n_subsets, how.limit, first))
    seconds = time.monotonic() - started
    best = how.choose(result) if how.prefer == "best" else result.best
    comparable = as_criterion(how.criterion, how.ties).per_row
    near = _near(result, how.n_features) if comparable else (best,)
    nested = None

    def tell(text: str, done: float) -> None:
        say(f"selecting again, {text}", first + (1 - first) * done)
        if time_limit is not None and done < 1 and time.monotonic() - begin > time_limit:
            raise NoTimeForFoldsError

    if folded:
        say("selecting again inside folds", first)
        try:
            tell("fold 1", 0.0)
            nested = nested_score(
                X,
                y,
                cv=cv,
                groups=groups,
                random_state=random_state,
                progress=tell,
                result=result,
                time_limit=part,
                **procedure,
            )
        except NoTimeForFoldsError:
            notes.append(NO_FOLDS)
    say("done", 1.0)
    swept = isinstance(result, SubsetSweep)
    n_evaluations = len(result.scores) - (problem.smallest_mask if swept else 0)
    least = smallest(near)
    return SelectionFacts(
        result,
        "sweep" if swept else getattr(result, "strategy", how.strategy),
        result.criterion,
        problem.n_rows,
        problem.n_units,
        n_evaluations,
        seconds,
        "finished" if isinstance(result, SubsetSweep) else result.stopped,
        best,
        near,
        inclusion(near, problem.names),
        least,
        tuple(problem.table.names[column] for column in problem.kept),
        nested,
        _sentence(near, least, _n_compared(result, how.n_features), problem.n_rows, nested, comparable),
        (*notes, *problem.notes),
    )


def _near(result: SubsetSweep | SubsetSearch, n_features: int | None) -> tuple[Subset, ...]:
    """Near-best subsets of the wanted size; a search keeps to it by itself."""
    return result.near_best(size=n_features) if isinstance(result, SubsetSweep) else result.near_best()


def _n_compared(result: SubsetSweep | SubsetSearch, n_features: int | None) -> int:
    """How many subsets (of the wanted size) have a score."""
    if isinstance(result, SubsetSearch):
        return sum(n_features is None or mask.bit_count() == n_features for mask in result.scores)
    sizes = result.sizes[result.problem.smallest_mask :]
    return len(sizes) if n_features is None else int(np.sum(sizes == n_features))


def _sentence(
    near: tuple[Subset, ...],
    least: Subset,
    n_evaluations: int,
    n_rows: int,
    nested: NestedScore | None,
    comparable: bool,
) -> str:
    """How much the data can tell."""
    parts = []
    if not comparable:
        parts.append("This criterion is no mean over rows, so how many subsets are as good as the best is not known.")
    elif len(near) == 1:
        parts.append(f"{n_rows} rows tell the best of {n_evaluations} subsets from all others.")
    else:
        always = set.intersection(*(set(s.features) for s in near))
        parts.append(
            f"{n_rows} rows cannot tell {len(near)} of {n_evaluations} subsets apart; {len(always)} "
            f"{plural(len(always), 'feature is', 'features are')} in all of them"
            f"{' (' + ', '.join(sorted(always)) + ')' if always else ''}, and {least.size} "
            f"{plural(least.size, 'suffices', 'suffice')}."
        )
    if nested is not None:
        # The score of another criterion is no accuracy that could be promised.
        promised = f"the selected subset promised {nested.optimistic:.4f}, and " if comparable else ""
        parts.append(
            f"On rows that took no part in selecting, accuracy is {nested.honest:.4f} (95 % interval "
            f"{nested.interval[0]:.4f} to {nested.interval[1]:.4f}); "
            f"{promised}all features reach {nested.all_features:.4f}."
        )
        gain = nested.honest - nested.all_features
        if abs(gain) <= 1.96 * nested.gain_error:
            parts.append("These rows do not tell whether selecting features helps or harms the nearest neighbour.")
        else:
            parts.append(f"Selecting features {'helps' if gain > 0 else 'harms'} the nearest neighbour here.")
    return " ".join(parts)
