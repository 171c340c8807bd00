"""The screen Kernels: machines on a plane, and the error over width and C."""

from __future__ import annotations

from typing import Any

from sepal.explore._action import Action, ActionSettings, call, field
from sepal.explore._data_actions import PLANE, plane_code, plane_of
from sepal.explore._neighbor_actions import N_GRID
from sepal.explore._separability_actions import KERNEL_ALIGNMENT
from sepal.explore._shelf import Space

# Machine -> where it lives, and which of the parameters it takes.
MACHINES: dict[str, tuple[str, tuple[str, ...]]] = {
    "svm": ("SVMClassifier", ("C", "width", "scale")),
    "adatron": ("KernelAdatronClassifier", ("C", "width", "scale")),
    "parzen": ("ParzenClassifier", ("width", "scale")),
    "fisher": ("FisherDiscriminant", ()),
    "feature-vectors": ("FeatureVectorClassifier", ("width", "scale")),
}
ON_THE_PLANE = field("plane", "flag", "of the two columns of the plane instead of all columns", True)


def _named(space: Space, settings: ActionSettings) -> dict[str, Any]:
    _, takes = MACHINES[settings["machine"]]
    values = {"C": settings["C"], "width": settings["width"], **space.view.scaling}
    return {name: values[name] for name in takes if name != "width" or values[name] is not None}


def _map(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal import machines

    flat = plane_of(space, settings)
    machine = getattr(machines, MACHINES[settings["machine"]][0])(**_named(space, settings)).fit(flat.table)
    return {
        "regions": machines.decision_regions(machine, flat, n_grid=settings["n_grid"]),
        "width": getattr(machine, "width_", None),
        "training_accuracy": float(machine.score(flat.table, flat.table.y)),
    }


def _map_code(space: Space, settings: ActionSettings) -> str:
    machine = call(f"sepal.machines.{MACHINES[settings['machine']][0]}", **_named(space, settings))
    grid = call("sepal.machines.decision_regions", "machine", "plane", n_grid=settings["n_grid"])
    return (
        f"{plane_code(space, settings)}\n"
        f"machine = {machine}.fit(plane.table)\n"
        f'result = {{\n    "regions": {grid},\n    "width": getattr(machine, "width_", None),\n'
        '    "training_accuracy": machine.score(plane.table, plane.table.y),\n}'
    )


def _surface(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.machines import SVMClassifier, hyperparameter_surface

    rows = plane_of(space, settings).table if settings["plane"] else space.table
    machine = SVMClassifier(**space.view.scaling)
    together = space.together("sepal.machines.hyperparameter_surface")
    if together and settings["plane"]:
        together = {"groups": together["groups"][plane_of(space, settings).rows]}
    return hyperparameter_surface(
        machine, rows, C=settings["C"], width=settings["width"], progress=progress, **together
    )


def _surface_code(space: Space, settings: ActionSettings) -> str:
    rows = "plane.table" if settings["plane"] else "table"
    before = plane_code(space, settings) + "\n" if settings["plane"] else ""
    machine = call("sepal.SVMClassifier", **space.view.scaling)
    groups = "groups[plane.rows]" if settings["plane"] else "groups"
    told = [] if space.groups is None else [f"groups={groups}"]
    named = {"C": settings["C"], "width": settings["width"]}
    surface = call("sepal.machines.hyperparameter_surface", machine, rows, *told, **named)
    return f"{before}result = {surface}"


KERNEL_ACTIONS = (
    KERNEL_ALIGNMENT,
    Action(
        "kernels.map",
        "what a machine answers at every point of a plane, with its support or feature vectors",
        "cheap",
        (
            field("machine", "word", "which machine", "svm", words=tuple(MACHINES)),
            *PLANE,
            field(
                "width",
                "number",
                "how far the kernel reaches; its own choice by default",
                None,
                above=0.0,
                optional=True,
            ),
            field("C", "number", "cost of a row on the wrong side of the margin", 1.0, above=0.0),
            N_GRID,
        ),
        _map,
        _map_code,
    ),
    Action(
        "kernels.surface",
        "the error of a support vector machine over width and C",
        "job",
        (
            *PLANE,
            ON_THE_PLANE,
            field("C", "other", "the values of C; a grid by default", None, optional=True, also=("sequence",)),
            field("width", "other", "the widths; a grid by default", None, optional=True, also=("sequence",)),
        ),
        _surface,
        _surface_code,
    ),
)
