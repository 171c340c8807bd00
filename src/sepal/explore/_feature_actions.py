"""The screen Features: what each column says, every subset, the search, and the planes that show the classes."""

from __future__ import annotations

from typing import Any

from sepal.exceptions import DataError
from sepal.explore._action import Action, ActionSettings, field, taken
from sepal.explore._code import asking, reading_words, source_word, verb_reads
from sepal.explore._shelf import Space
from sepal.parameters import parameters

MOST_SWEPT = 16  # columns whose subsets, 65,536 of them, are drawn as dots


def _selector_table() -> Any:
    from sepal.selection import SeparabilitySelector

    return parameters(SeparabilitySelector)


def _rank(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.selection import rank_features

    return rank_features(space.table, **space.together("sepal.rank_features"), **space.view.scaling)


def _sweep(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.selection import subset_sweep

    if space.table.n_columns > MOST_SWEPT:
        raise DataError(
            f"{space.table.n_columns} columns have too many subsets to show them all; {MOST_SWEPT} columns at most",
            hint="search for the best subsets instead, or leave columns out",
        )
    how = {**space.together("sepal.subset_sweep"), **space.view.scaling}
    found = subset_sweep(space.table, criterion=("thornton", "alignment"), missing="drop", progress=progress, **how)
    return _told(found)


def _told(found: Any) -> dict[str, Any]:
    near = found.near_best()
    return {
        "sweep": found,
        "near_best": near,
        "inclusion": found.inclusion(),
        "correlation": found.correlation(),
    }


def _sweep_code(space: Space, settings: ActionSettings) -> str:
    named = {"criterion": ("thornton", "alignment"), "missing": "drop", **space.view.scaling}
    sweep = asking(space, "sepal.subset_sweep", "table", **named)
    return (
        f"sweep = {sweep}\n"
        "result = {\n"
        '    "sweep": sweep,\n'
        '    "near_best": sweep.near_best(),\n'
        '    "inclusion": sweep.inclusion(),\n'
        '    "correlation": sweep.correlation(),\n'
        "}"
    )


def _procedure(space: Space, settings: ActionSettings) -> dict[str, Any]:
    named = {name: settings[name] for name in ("strategy", "criterion", "n_features", "honest", "cv")}
    limit = {} if settings["time_limit"] is None else {"time_limit": settings["time_limit"]}
    return {**named, "random_state": settings["seed"], **limit, **space.view.scaling}


def _search(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.selection import select_facts

    together = space.together("sepal.selection.select_facts")
    return select_facts(space.table, progress=progress, **together, **_procedure(space, settings))


def _search_verb(space: Space, settings: ActionSettings) -> list[str] | None:
    if not verb_reads(space) or settings["time_limit"] is not None:
        return None
    words = ["select", source_word(space), *reading_words(space.view)]
    words += ["--scale", space.view.scale] if space.view.scale != "minmax" else []
    for option, name in (("--strategy", "strategy"), ("--criterion", "criterion"), ("--n-features", "n_features")):
        words += [] if settings[name] in (None, "auto", "thornton") else [option, str(settings[name])]
    words += ["--cv", str(settings["cv"] if settings["honest"] else 0)]
    words += ["--seed", str(settings["seed"])] if settings["seed"] else []
    return [*words, "--json"]


def _planes(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.measures import informative_projections

    together = space.together("sepal.measures.informative_projections")
    return informative_projections(space.table, progress=progress, **together, **space.view.scaling)


FEATURE_ACTIONS = (
    Action(
        "features.rank",
        "what each column says alone and beside the best subset",
        "job",
        (),
        _rank,
        lambda space, settings: "result = " + asking(space, "sepal.rank_features", "table", **space.view.scaling),
    ),
    Action(
        "features.sweep",
        "every subset of the columns: Thornton's index against kernel alignment",
        "job",
        (),
        _sweep,
        _sweep_code,
    ),
    Action(
        "features.search",
        "the subsets that separate the classes best, and an honest score of choosing them",
        "job",
        (
            taken(_selector_table(), "strategy", "auto"),
            taken(_selector_table(), "criterion", "thornton"),
            taken(_selector_table(), "n_features", None),
            field("honest", "flag", "also repeat the whole selection inside every fold", True),
            field("cv", "whole", "how many folds", 10, at_least=2),
            taken(_selector_table(), "time_limit", None),
            field("seed", "whole", "seed of all that is left to chance", 0, at_least=0),
        ),
        _search,
        lambda space, settings: (
            "result = " + asking(space, "sepal.selection.select_facts", "table", **_procedure(space, settings))
        ),
        _search_verb,
    ),
    Action(
        "features.planes",
        "the pairs of columns that show the classes best",
        "job",
        (),
        _planes,
        lambda space, settings: (
            "result = " + asking(space, "sepal.measures.informative_projections", "table", **space.view.scaling)
        ),
    ),
)
