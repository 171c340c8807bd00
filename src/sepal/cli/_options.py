"""The options that several verbs share: one table of their names, words and order, and what they turn into.

An option with a parameter of the library behind it gets its help from that parameter; see :class:`Verb`.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from sepal.cli._answers import JSON_HELP, OUT_HELP
from sepal.distances import DISTANCES
from sepal.exceptions import ParameterError
from sepal.parameters import EVERYWHERE, Parameter, parameters

_FILES = "A CSV, ARFF, JSON lines, Parquet, Feather or Excel file"
_OTHER_FILE = "For a file that has such a name write ./NAME."
DATA_HELP = (
    f"{_FILES}, - for standard input, or the name of a bundled set. {_OTHER_FILE} "
    "A folder, or a pattern in quotes, is a table in partitions."
)
ONE_FILE_HELP = f"{_FILES}, or the name of a bundled set. {_OTHER_FILE}"
# The order in which every verb lists those it has; its own options stand among them.
SHARED = (
    "target",
    "groups",
    "learner",
    "k",
    "weights",
    "inverse",
    "missing",
    "distance",
    "scale",
    "cv",
    "time_limit",
    "seed",
    "jobs",
    "out",
    "all_columns",
    "escape_formulas",
    "as_json",
    "cluster",
    "workers",
)
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?) *([smh]?)")
_LONGEST = 1e9  # seconds, some thirty years: what waits takes no more


class MissingChoice(StrEnum):
    """What to do about missing cells."""

    DISTANCE = "distance"
    DROP = "drop"


class SearchChoice(StrEnum):
    """How neighbours are searched."""

    AUTO = "auto"
    BRUTE = "brute"
    TREE = "tree"
    APPROXIMATE = "approximate"


class Scale(StrEnum):
    """How numbers are made comparable."""

    MINMAX = "minmax"
    STANDARD = "standard"
    NONE = "none"

    @property
    def parameter(self) -> Any:
        """As the functions of the library take it."""
        return None if self is Scale.NONE else self.value


@dataclass(frozen=True)
class Behind:
    """The parameter behind an option: of an estimator, or one that means the same everywhere; ``words`` to choose from.

    Estimators are imported when help is asked for, and not before.
    """

    parameter: str
    room: str = ""
    estimator: str = ""
    words: tuple[str, ...] = ()

    def find(self) -> Parameter:
        """The parameter itself."""
        if not self.room:
            return EVERYWHERE[self.parameter]
        table = parameters(getattr(import_module(self.room), self.estimator))
        return next(each for each in table if each.name == self.parameter)

    def text(self) -> str:
        """Its line of help as a sentence, with the words that are allowed."""
        found = self.find()
        words = self.words or (found.words if self.room else ())
        said = f"{found.help[0].upper()}{found.help[1:]}."
        number = "a number, " if found.kind == "whole" else ""
        return said + (f" One of {number}{', '.join(words)}." if words else "")


# Option -> the parameter behind it. An option that says more than its parameter has a help text of its own.
BEHIND = {
    "k": Behind("n_neighbors", "sepal.learners", "KNNClassifier"),
    "weights": Behind("weights", "sepal.learners", "KNNClassifier"),
    "missing": Behind("missing"),
    "distance": Behind("distance", words=("auto", *(name for name, entry in DISTANCES.items() if not entry.required))),
    "scale": Behind("scale"),
    "seed": Behind("random_state"),
    "jobs": Behind("n_jobs"),
    "strategy": Behind("strategy", "sepal.selection", "SeparabilitySelector"),
    "criterion": Behind("criterion", "sepal.selection", "SeparabilitySelector"),
    "n_features": Behind("n_features", "sepal.selection", "SeparabilitySelector"),
}


class Verb(TyperCommand):
    """A verb whose options take their help from the parameters behind them."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Fill in the help of options that have none, then print."""
        for option in self.params:
            if not getattr(option, "help", "") and option.name in BEHIND:
                option.help = BEHIND[option.name].text()  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)


def _option(*words: str, **more: Any) -> Any:
    return typer.Option(*words, show_default=False, **more)


Data = Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP)]
TargetColumn = Annotated[
    str | None,
    _option(
        metavar="COLUMN",
        help="The column with the classes: its name, or its position (from 0; -1 is the last). Without it a column "
        "called class, target or label, else the last.",
    ),
]
GroupColumn = Annotated[
    str | None,
    _option(
        "--groups",
        metavar="COLUMN",
        help="The column that says which rows belong together (the patient, the batch): they are left out together, "
        "and the column is no feature. Without it copies of a row are kept together where their numbers show that "
        "records were repeated.",
    ),
]
NeighborCount = Annotated[str | None, _option("--k", "-k", "-K", metavar="K")]
Inverse = Annotated[
    bool, _option("-I", help="As Weka's IBk has it: votes by 1 / distance, the same as --weights distance.")
]
Weights = Annotated[str | None, _option(metavar="NAME")]
MissingCells = Annotated[MissingChoice, typer.Option()]
DistanceName = Annotated[str, typer.Option(metavar="NAME")]
DistanceOfLearner = Annotated[str | None, _option(metavar="NAME")]
ScaleOption = Annotated[Scale, typer.Option()]
ScaleOfLearner = Annotated[Scale | None, _option()]
Folds = Annotated[
    str | None,
    _option(
        "--cv",
        metavar="FOLDS",
        help="How many folds; 10. For evaluate also loo, which is leave-one-out; for select also 0, which leaves the "
        "score on held-out rows away.",
    ),
]
TimeLimit = Annotated[
    str | None,
    _option(
        metavar="TIME",
        help="At most this long for everything: seconds (60s or 60), minutes (2m) or hours (1.5h). What is not done by "
        "then is left out, or is the best so far, and that is said.",
    ),
]
Exactly = Annotated[
    bool | None,
    _option(
        "--exact/--no-exact",
        help="Of rows in partitions: let every row ask, however long it takes, or only a sample. Without it every row, "
        "if that takes no longer than --time-limit, or two minutes.",
    ),
]
SampleSize = Annotated[
    int | None, _option("--sample", metavar="N", min=1, help="Of rows in partitions: let so many rows ask all rows.")
]
SearchMethod = Annotated[
    SearchChoice | None,
    _option(
        "--method",
        help="With approximate FAISS searches for neighbours and misses some; the share of them that is found stands "
        "beside every figure. Without it all are found.",
    ),
]
ClusterAddress = Annotated[
    str | None,
    _option("--cluster", metavar="ADDRESS", help="Work on workers: the Dask scheduler to use, tcp://host:8786."),
]
WorkerCount = Annotated[
    int | None,
    _option("--workers", metavar="N", min=1, help="Work on workers: start so many processes here."),
]
Seed = Annotated[int, typer.Option(min=0)]
SeedOfAction = Annotated[int | None, _option("--seed", min=0)]
Jobs = Annotated[int | None, _option(metavar="N")]
Out = Annotated[Path | None, _option("--out", "-o", metavar="FILE", help=OUT_HELP)]
ModelOut = Annotated[Path, _option("--out", "-o", metavar="FILE", help=OUT_HELP)]
AsJson = Annotated[bool, _option("--json", help=JSON_HELP)]
EscapeFormulas = Annotated[
    bool,
    _option(
        "--escape-formulas",
        help="Put an apostrophe before texts that begin with =, +, - or @, which a spreadsheet would run as formulas. "
        "Without it texts are written as they are.",
    ),
]


def seconds(text: str, option: str) -> float:
    """``60s``, ``2m``, ``1.5h``, or a plain number of seconds, also as 1e-3."""
    found = _DURATION.fullmatch(text.strip().lower())
    length = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not length > 0:
        raise ParameterError(
            f"{option} {text}: expected a time above 0, in seconds (s), minutes (m) or hours (h)", hint=f"{option} 60s"
        )
    return min(length, _LONGEST)


def at_most_threads(jobs: int | None) -> AbstractContextManager[None]:
    """``--jobs`` where it holds for all that is asked within."""
    from sepal.neighbors import threads_by_default

    return threads_by_default(jobs)


def folds(text: str | None, *, loo: bool = False, none: bool = False) -> int | str:
    """``--cv``: a number of folds, or a word for another way where the verb knows it; 10 where nothing is said."""
    if text is None:
        return 10
    if loo and text == "loo":
        return text
    least = "0 or at least 2" if none else "at least 2"
    expected = f"a number of folds, {least}{', or loo' if loo else ''}"
    try:
        number = int(text)
    except ValueError as error:
        raise ParameterError(f"--cv {text}: expected {expected}", hint="--cv 10") from error
    if number < 2 and not (none and number == 0):
        raise ParameterError(f"--cv {text}: expected {expected}", hint="--cv 10")
    return number


def size(text: str) -> int | float:
    """A share or a number of rows, as it is written."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    raise ParameterError(
        f"--train-size {text}: expected a share such as 0.5, or a number of rows such as 100",
        hint="--train-size 0.5",
    )
