"""The learners of the command: what was said about one, and the estimator that follows."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from sepal.cli._options import Scale
from sepal.data import Table
from sepal.exceptions import ParameterError
from sepal.explore import FOR_NUMBERS, LEARNERS, number_to_predict

# What users of Weka type: its names for what we have, and what is nearest to what we have not.
WEKA = {
    "ibk": "knn",
    "ib1": "knn",
    "smo": "svm",
    "libsvm": "svm",
    "fld": "fisher",
    "lda": "fisher",
    "zeror": "majority",
}
WEKA_K = {"ibk": 1, "ib1": 1}  # what these take where no -K is given
ABSENT = {
    "naivebayes": "--learner parzen, which estimates densities too, or --learner fisher",
    "j48": "--learner auto, which has bagged trees among its members",
    "randomforest": "--learner auto, which has bagged trees among its members",
    "logistic": "--learner fisher, or --learner svm --set kernel=linear",
    "multilayerperceptron": "--learner auto, or --learner svm",
    "kstar": "--learner knn --weights similarity",
}
# What `sepal evaluate DATA` shows beside the first of each, and beside the majority or the mean.
CLASSIFIERS = ("auto", "svm", "knn", "fisher")
REGRESSORS = ("auto-regressor", "feature-vectors-regressor", "knn-regressor")
LearnerName = Annotated[
    str | None,
    typer.Option("--learner", "-l", metavar="NAME", help=f"One of {', '.join(LEARNERS)}.", show_default=False),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other parameter of the learner, as in Python. May be given several times.",
        show_default=False,
    ),
]


def learner_named(name: str | None) -> str | None:
    """Our name of a learner that was named, perhaps as Weka names it (``weka.classifiers.lazy.IBk``, ``SMO``)."""
    if name is None or name in LEARNERS:
        return name
    return WEKA.get(name.rpartition(".")[2].lower(), name)


def _weka_k(learner: str | None, settings: Sequence[str] | None) -> int | None:
    """Weka's k for its own names, unless ``--set`` says another."""
    if learner is None or learner in LEARNERS or any(each.startswith("n_neighbors=") for each in settings or ()):
        return None
    return WEKA_K.get(learner.rpartition(".")[2].lower())


def default_learner(options: Mapping[str, Any], table: Table, task: str | None = None) -> str:
    """What to use where no learner is named: neighbours if an option is about them, else the one without choices."""
    numbers = number_to_predict(table) if task is None else task == "regress"
    if any(value is not None for value in options.values()):
        return "knn-regressor" if numbers else "knn"
    return "auto-regressor" if numbers else "auto"


@dataclass(frozen=True)
class Chosen:
    """What was said about the learner. Options that are None were not given; every learner takes the last two."""

    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Sequence[str] = ()
    seed: int = 0
    jobs: int | None = None
    method: str | None = None  # how those learners search that ask for neighbours

    @classmethod
    def said(
        cls,
        k: str | None,
        weights: str | None,
        inverse: bool,
        distance: str | None,
        scale: Scale | None,
        settings: list[str] | None,
        seed: int,
        jobs: int | None,
        learner: str | None = None,
    ) -> Chosen:
        """From the words on the command line; a ``learner`` named as Weka names it has Weka's default for k."""
        if inverse and weights not in (None, "distance"):
            raise ParameterError(f"-I and --weights {weights}: -I is the same as --weights distance; leave one out")
        options = {
            "k": neighbors(k) if k is not None else _weka_k(learner, settings),
            "weights": "distance" if inverse else weights,
            "distance": distance,
            "scale": None if scale is None else scale.value,
        }
        return cls(options, settings or [], seed, jobs)

    @property
    def any(self) -> bool:
        """Whether anything was said that only some learners understand."""
        return bool(self.settings) or any(value is not None for value in self.options.values())


def for_target(learner: str, table: Table, task: str | None) -> str:
    """The learner of that name for numbers, where the target holds numbers."""
    numeric = number_to_predict(table) if task is None else task == "regress"
    return FOR_NUMBERS.get(learner, learner) if numeric else learner


def set_threads(learner: Any, jobs: int) -> None:
    """How many threads a learner may use, itself or inside; one without the parameter uses one."""
    within = getattr(learner, "machine", learner)
    if "n_jobs" in within.get_params(deep=False):
        within.set_params(n_jobs=jobs)


def make_learner(name: str, chosen: Chosen, table: Table | None = None) -> Any:
    """An estimator that is not fitted yet, fit for the columns of the table."""
    options, settings = chosen.options, chosen.settings
    if name not in LEARNERS:
        if name.lower() in ABSENT:
            raise ParameterError(f"--learner {name}: we have no {name}", hint=f"nearest: {ABSENT[name.lower()]}")
        near = difflib.get_close_matches(name, LEARNERS, n=1)
        raise ParameterError(
            f"--learner {name}: expected one of {', '.join(LEARNERS)}",
            hint=f"did you mean {near[0]}?" if near else None,
        )
    entry = LEARNERS[name]
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in entry.options:
            takes = ", ".join(f"--{known}" for known in entry.options) or "none of them"
            raise ParameterError(f"--{option}: the learner {name} has no such option; it takes {takes}")
    learner = entry.make()
    # "none" is a word on the command line and None in Python.
    said = {option: None if (option, value) == ("scale", "none") else value for option, value in given.items()}
    parameters = {entry.options[option]: value for option, value in said.items()}
    others = set_values(settings, name, list(learner.get_params(deep=False)))
    for option in given:
        if entry.options[option] in others:
            raise ParameterError(f"--{option} and --set {entry.options[option]}: both say the same; leave one out")
    learner.set_params(**parameters, **others)
    if chosen.method is not None and "method" in learner.get_params(deep=False):
        if "method" in others:
            raise ParameterError("--method and --set method: both say the same; leave one out")
        learner.set_params(method=chosen.method)
    if chosen.jobs is not None:
        set_threads(learner, chosen.jobs)
    if "random_state" in learner.get_params(deep=False) and "random_state" not in others:
        learner.set_params(random_state=chosen.seed)
    return entry.fit_for(learner, table)


def set_values(given: Sequence[str], learner: str, known: list[str]) -> dict[str, Any]:
    """``NAME=VALUE``, where a value that reads as JSON is meant so, and any other as text."""
    found = {}
    for setting in given:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise ParameterError(f"--set {setting}: expected NAME=VALUE", hint="--set smoothing=1")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise ParameterError(
                f"--set {setting}: {learner} has no parameter {name}",
                hint=f"did you mean {near[0]}?" if near else f"it has {', '.join(sorted(known))}",
            )
        try:
            found[name] = json.loads(text)
        except ValueError:
            found[name] = text
    return found


def neighbors(text: str | None) -> int | str | None:
    """``--k``: a number, or a word the learner knows."""
    if text is None or text in ("auto", "all"):
        return text
    try:
        return int(text)
    except ValueError as error:
        raise ParameterError(f"--k {text}: expected a whole number, auto or all", hint="--k 3") from error
