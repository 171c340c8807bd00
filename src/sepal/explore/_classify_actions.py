"""The screen Classify: any estimator of the command, judged on rows it has not seen; thresholds, costs, comparisons."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sepal.exceptions import DataError, ParameterError
from sepal.explore._action import Action, ActionSettings, Field, call, field
from sepal.explore._code import other_code, reading_words, set_words, source_word, verb_reads
from sepal.explore._learners import LEARNERS
from sepal.explore._shelf import Space
from sepal.progress import Progress

MODES = ("cv", "loo", "split", "test")
LEARNER = field("learner", "word", "which estimator", "auto", "learner", words=tuple(LEARNERS))
LEARNER_SETTINGS = field("settings", "other", "its parameters", None, "settings", optional=True, also=("mapping",))
SEED = field("seed", "whole", "seed of the folds and of all that is left to chance", 0, at_least=0)
RUN: tuple[Field, ...] = (
    LEARNER,
    LEARNER_SETTINGS,
    field("mode", "word", "how rows are held out", "cv", words=MODES),
    field("cv", "whole", "how many folds", 10, at_least=2),
    field("percent", "number", "percent of the rows to train on", 66.0, above=0.0, below=100.0),
    field("test", "word", "other rows to answer", None, "data", optional=True, looked_up=True),
    SEED,
)
RUN_NAMES = tuple(each.parameter.name for each in RUN)


def learner_values(settings: ActionSettings) -> dict[str, Any]:
    """The parameters that an estimator gets: what is fixed for its name, what was chosen, and the seed."""
    from sepal.explore._forms import learner_parameters

    entry = LEARNERS[settings["learner"]]
    given = dict(settings["settings"] or {})
    known = {each.name: each for each in learner_parameters(settings["learner"])}
    for name, value in given.items():
        if name not in known:
            there = ", ".join(known) or "no parameters here"
            raise ParameterError(f"settings: {settings['learner']} has no parameter {name!r}", hint=f"it has {there}")
        known[name].check(value)
    if "random_state" in known and "random_state" not in given:
        given["random_state"] = settings["seed"]
    return {**entry.fixed, **given}


def made_learner(space: Space, settings: ActionSettings) -> Any:
    """The estimator, not fitted yet, able to take the columns of the view."""
    entry = LEARNERS[settings["learner"]]
    return entry.fit_for(entry.make(**learner_values(settings)), space.table)


def learner_code(space: Space, settings: ActionSettings) -> tuple[str, str]:
    """The import that it needs, and the estimator as Python."""
    entry = LEARNERS[settings["learner"]]
    text = call(entry.name, **learner_values(settings))
    before = f"from {entry.home} import {entry.name}"
    if entry.fit_for(None, space.table) is not None:  # wrapped, for columns that are no complete numbers
        return f"{before}\nfrom sepal.estimators import AnyTable", f"AnyTable({text})"
    return before, text


def _held_out(settings: ActionSettings) -> Any:
    return {"cv": settings["cv"], "loo": "loo", "split": settings["percent"] / 100.0}.get(settings["mode"], 10)


def evaluation_of(space: Space, settings: ActionSettings, progress: Progress) -> Any:
    """The evaluation of one run; kept, so that thresholds and comparisons need no new one."""
    from sepal.evaluation import evaluate

    chosen = {name: settings[name] for name in RUN_NAMES}
    if (chosen["mode"] == "test") != (chosen["test"] is not None):
        raise ParameterError("mode and test: other rows are answered with mode 'test', and only then")

    def made() -> Any:
        test = None if chosen["test"] is None else space.other(chosen["test"])
        learner = made_learner(space, chosen)
        how = {"cv": _held_out(chosen), "test": test, "random_state": chosen["seed"]}
        how |= {} if test is not None else space.together("sepal.evaluate")
        return evaluate(learner, space.table, progress=progress, **how)

    return space.keep(("evaluation", json.dumps(chosen, sort_keys=True)), made)


def evaluation_code(space: Space, settings: ActionSettings, called: str = "evaluation") -> list[str]:
    """``evaluation = ...``, as lines of Python."""
    before, learner = learner_code(space, settings)
    lines = [before]
    if settings["test"] is not None:
        lines.append(other_code(space, settings["test"]))
    held = "test=test" if settings["test"] is not None else f"cv={_held_out(settings)!r}"
    held += ", groups=groups" if settings["test"] is None and space.together("sepal.evaluate") else ""
    lines.append(f"{called} = sepal.evaluate({learner}, table, {held}, random_state={settings['seed']!r})")
    return lines


def _run(space: Space, settings: ActionSettings, progress: Any) -> Any:
    found = evaluation_of(space, settings, progress)
    answers = {name: getattr(found, name) for name in ("rows", "fold", "actual", "predicted", "share")}
    return {**found.to_dict(), "summary": found.summary(), "answers": answers}


def _run_code(space: Space, settings: ActionSettings) -> str:
    names = '("rows", "fold", "actual", "predicted", "share")'
    answers = f"{{name: getattr(evaluation, name) for name in {names}}}"
    last = f'result = {{**evaluation.to_dict(), "summary": evaluation.summary(), "answers": {answers}}}'
    return "\n".join([*evaluation_code(space, settings), last])


def _run_verb(space: Space, settings: ActionSettings) -> list[str] | None:
    if not verb_reads(space, LEARNERS[settings["learner"]].task == "regress"):
        return None
    words = ["evaluate", source_word(space), *reading_words(space.view), "--learner", settings["learner"]]
    words += set_words(settings["settings"] or {})
    mode = settings["mode"]
    if mode == "test":
        file = space.shelf.files.get(settings["test"])
        words += ["--test", settings["test"] if file is None else file.written]
    elif mode == "split":
        words += ["--split", f"{settings['percent']:g}"]
    else:
        words += ["--cv", "loo" if mode == "loo" else str(settings["cv"])]
    words += ["--seed", str(settings["seed"])] if settings["seed"] else []
    return [*words, "--json"]


def _one_of_two(evaluation: Any, positive: Any) -> int:
    if evaluation.classes is None or evaluation.share is None:
        raise DataError("thresholds need a classifier with probabilities")
    labels = evaluation.classes.tolist()
    if positive is None:
        return len(labels) - 1
    if positive not in labels:
        raise ParameterError(f"positive: there is no class {positive!r}; there are {', '.join(map(repr, labels[:10]))}")
    return int(labels.index(positive))


def _threshold(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sklearn.metrics import roc_curve

    from sepal.evaluation import best_threshold, cost_curve, cost_matrix

    found = evaluation_of(space, settings, progress)
    at = _one_of_two(found, settings["positive"])
    scores, yes = found.share[:, at], found.actual == at
    false, true, thresholds = roc_curve(yes, scores, drop_intermediate=True)
    costs = settings["costs"]
    matrix = cost_matrix([[0.0, 1.0], [1.0, 0.0]] if costs is None else costs, ["no", "yes"])
    best = best_threshold(scores, yes, false_alarm=matrix[0, 1], miss=matrix[1, 0])
    return {
        "positive": found.classes[at],
        "roc": {"false_positive_rate": false, "true_positive_rate": true, "threshold": thresholds},
        "roc_area": found.by_class["ROC Area"][at],
        "cost_curve": cost_curve(scores, yes),
        "best": best,
        "costs": matrix,
        **({} if found.recall is None else {"recall": found.recall}),
    }


def _threshold_code(space: Space, settings: ActionSettings) -> str:
    positive = repr(settings["positive"]) if settings["positive"] is not None else "evaluation.classes[-1]"
    costs = settings["costs"] or [[0.0, 1.0], [1.0, 0.0]]
    return "\n".join(
        [
            *evaluation_code(space, settings),
            "from sklearn.metrics import roc_curve",
            f"at = evaluation.classes.tolist().index({positive})",
            "scores, yes = evaluation.share[:, at], evaluation.actual == at",
            f"costs = sepal.evaluation.cost_matrix({costs!r}, ['no', 'yes'])",
            'roc = dict(zip(("false_positive_rate", "true_positive_rate", "threshold"), roc_curve(yes, scores)))',
            "result = {",
            '    "positive": evaluation.classes[at],',
            '    "roc": roc,',
            '    "roc_area": evaluation.by_class["ROC Area"][at],',
            '    "cost_curve": sepal.evaluation.cost_curve(scores, yes),',
            '    "best": sepal.evaluation.best_threshold(scores, yes, false_alarm=costs[0, 1], miss=costs[1, 0]),',
            '    "costs": costs,',
            '    **({} if evaluation.recall is None else {"recall": evaluation.recall}),',
            "}",
        ]
    )


def _said_costs(costs: Any, labels: list[Any]) -> Any:
    """A matrix as it is, words as a mapping; every error costs 1 where nothing was said."""
    from sepal.evaluation import costs_said

    if costs and all(isinstance(each, str) for each in costs):
        return costs_said(costs, labels, "costs")
    return costs or {}


def _costs(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.evaluation import matrix_threshold

    found = evaluation_of(space, settings, progress)
    if found.classes is None:
        raise DataError("costs are about classes, and numbers are predicted here")
    costs = _said_costs(settings["costs"], found.classes.tolist())
    weighed = found.with_costs(costs)
    return {
        **weighed.to_dict(),
        "summary": weighed.summary(),
        "answers": {name: getattr(weighed, name) for name in ("rows", "fold", "actual", "predicted")},
        "cost_before": found.mean_cost(costs),
        "threshold": matrix_threshold(weighed.costs) if len(found.classes) == 2 else None,
    }


def _costs_code(space: Space, settings: ActionSettings) -> str:
    costs = _said_costs(settings["costs"], class_labels(space))
    names = '("rows", "fold", "actual", "predicted")'
    return "\n".join(
        [
            *evaluation_code(space, settings),
            f"costs = {costs!r}",
            "weighed = evaluation.with_costs(costs)",
            "two = len(evaluation.classes) == 2",
            "result = {",
            "    **weighed.to_dict(),",
            '    "summary": weighed.summary(),',
            f'    "answers": {{name: getattr(weighed, name) for name in {names}}},',
            '    "cost_before": evaluation.mean_cost(costs),',
            '    "threshold": sepal.evaluation.matrix_threshold(weighed.costs) if two else None,',
            "}",
        ]
    )


def class_labels(space: Space) -> list[Any]:
    """The classes of the rows."""
    return sorted(dict.fromkeys([] if space.table.y is None else space.table.y.tolist()))


def _runs(settings: ActionSettings) -> dict[str, dict[str, Any]]:
    """The settings of each run by its name."""
    checked: dict[str, dict[str, Any]] = {}
    for at, given in enumerate(settings["runs"] or []):
        if not isinstance(given, Mapping):
            raise ParameterError(f"runs: expected the parameters of each run; got {given!r}")
        chosen = RUN_ACTION.settings(given)
        checked[f"{at + 1}. {chosen['learner']}"] = chosen
    if len(checked) < 2:
        raise ParameterError("runs: at least two are needed to compare")
    return checked


def _compare(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.evaluation import compare

    return compare({name: evaluation_of(space, each, progress) for name, each in _runs(settings).items()})


def _compare_code(space: Space, settings: ActionSettings) -> str:
    lines, names = [], []
    for at, (name, each) in enumerate(_runs(settings).items(), start=1):
        lines += evaluation_code(space, each, f"evaluation_{at}")
        names.append(f"{name!r}: evaluation_{at}")
    return "\n".join([*lines, f"result = sepal.compare({{{', '.join(names)}}})"])


RUN_ACTION = Action(
    "classify.run",
    "an estimator, judged on rows it has not seen; every choice it makes is made inside the folds",
    "job",
    RUN,
    _run,
    _run_code,
    _run_verb,
)
CLASSIFY_ACTIONS = (
    RUN_ACTION,
    Action(
        "classify.threshold",
        "the ROC curve and the cost curve of a run, and the threshold that costs lead to",
        "job",
        (
            *RUN,
            field(
                "positive",
                "other",
                "the class that counts as yes; the last by default",
                None,
                "class",
                optional=True,
                looked_up=True,
            ),
            field(
                "costs",
                "other",
                "what errors cost: rows that are no and yes, answers no and yes",
                None,
                "matrix",
                optional=True,
                also=("sequence",),
            ),
        ),
        _threshold,
        _threshold_code,
    ),
    Action(
        "classify.costs",
        "a run answered so that every row is expected to cost least, by a matrix of what errors cost",
        "job",
        (
            *RUN,
            field(
                "costs",
                "other",
                "rows of each class down, answers across; or CLASS=COST and CLASS:ANSWER=COST",
                None,
                "matrix",
                optional=True,
                also=("sequence",),
            ),
        ),
        _costs,
        _costs_code,
    ),
    Action(
        "classify.compare",
        "runs on the same rows and folds, pair by pair, with the paired tests",
        "job",
        (field("runs", "other", "the parameters of each run", None, "runs", optional=True, also=("sequence",)),),
        _compare,
        _compare_code,
    ),
)
