"""The view: which table a question is about, and how it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from sepal.data import SCALES
from sepal.distances import DISTANCES
from sepal.exceptions import ParameterError
from sepal.parameters import check_whole

SCALE_NAMES = (*SCALES, "none")
TASKS = ("classify", "regress")
MISSING_TARGETS = ("error", "drop")
MISSING_CELLS = ("distance", "drop")
# Distances that need nothing but a name.
DISTANCE_WORDS = ("auto", *(name for name, entry in DISTANCES.items() if not entry.required))


@dataclass(frozen=True)
class TableView:
    """What every question is asked about.

    Attributes
    ----------
    data : str
        A bundled set, or a file of a :class:`Shelf`.
    target : str or None
        The column with the classes; None: as the reader finds it.
    kinds : mapping
        Column to kind.
    left_out : tuple of str
        Columns that are not used.
    columns : tuple of str or None
        The only features to use.
    task : {"classify", "regress"} or None
        Numbers as classes, or as numbers.
    scale : {"minmax", "standard", "none"}
    distance : str
    sample : int or None
        So many rows drawn at random in place of all.
    groups : str or None
        The column whose equal entries say which rows belong together: these are left out together, and are no
        neighbours of each other. It is no feature.
    ids, na : tuple of str
        Of a file: columns that only say which row it is, and further marks of missing cells.
    encoding : str or None
        Of a file of text.
    missing_target : {"error", "drop"}
        Of a file: rows without a class are an error, or are left out.
    missing : {"distance", "drop"}
        Whether missing cells are left to the distance, or their rows are left out.

    Examples
    --------
    >>> TableView.of({"data": "iris", "left_out": ["sepal_width"]}).left_out
    ('sepal_width',)
    """

    data: str
    target: str | None = None
    kinds: Mapping[str, Any] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None
    task: str | None = None
    scale: str = "minmax"
    distance: str = "auto"
    sample: int | None = None
    groups: str | None = None
    ids: tuple[str, ...] = ()
    na: tuple[str, ...] = ()
    encoding: str | None = None
    missing_target: str = "error"
    missing: str = "distance"

    @classmethod
    def of(cls, given: Any) -> TableView:
        """From JSON; every mistake is named."""
        if not isinstance(given, Mapping):
            raise ParameterError(f"view: expected an object with at least data; got {given!r}")
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                raise ParameterError(f"view: there is no {name!r}", hint=f"there are {', '.join(known)}")
        if not isinstance(given.get("data"), str):
            raise ParameterError("view: data must be the name of a set or of a file that was given")
        for name in ("target", "task", "groups", "encoding"):
            if not isinstance(given.get(name), (str, type(None))):
                raise ParameterError(f"view: {name} must be a text or null; got {given[name]!r}")
        kinds = given.get("kinds") or {}
        if not isinstance(kinds, Mapping):
            raise ParameterError(f"view: kinds must map columns to kinds; got {kinds!r}")
        columns = given.get("columns")
        return cls(
            given["data"],
            given.get("target"),
            {str(name): tuple(kind) if isinstance(kind, list) else kind for name, kind in sorted(kinds.items())},
            _names("left_out", given.get("left_out") or ()),
            None if columns is None else _names("columns", columns),
            _one_of("task", given.get("task"), TASKS, optional=True),
            _one_of("scale", given.get("scale", "minmax"), SCALE_NAMES),
            _one_of("distance", given.get("distance", "auto"), DISTANCE_WORDS),
            check_whole("view: sample", given.get("sample"), at_least=2, optional=True),
            given.get("groups"),
            _names("ids", given.get("ids") or ()),
            _names("na", given.get("na") or (), "texts"),
            given.get("encoding"),
            _one_of("missing_target", given.get("missing_target") or "error", MISSING_TARGETS),
            _one_of("missing", given.get("missing") or "distance", MISSING_CELLS),
        )

    @property
    def how(self) -> dict[str, Any]:
        """Distance and scale, as the functions of the library take them."""
        return {"distance": self.distance, "scale": None if self.scale == "none" else self.scale}

    @property
    def of_file(self) -> dict[str, Any]:
        """What is said about the file alone, as ``read_table`` takes it; what is as usual is left out."""
        said = {"ids": list(self.ids), "na": list(self.na), "encoding": self.encoding}
        found: dict[str, Any] = {name: value for name, value in said.items() if value}
        return found if self.missing_target == "error" else found | {"missing_target": self.missing_target}

    @property
    def dropped(self) -> list[str]:
        """Columns that are left out; that of the groups is none of the features anyway."""
        return [name for name in self.left_out if name != self.groups]

    @property
    def chosen(self) -> list[str] | None:
        """The only features to use."""
        return None if self.columns is None else [name for name in self.columns if name != self.groups]

    def elsewhere(self, data: str, target: str | None, is_file: bool) -> TableView:
        """Other data that are read as these are; all their rows and columns."""
        plain = TableView(data, target, self.kinds, task=self.task)
        if not is_file:
            return plain
        return replace(plain, na=self.na, encoding=self.encoding, missing_target=self.missing_target)

    @property
    def scaling(self) -> dict[str, Any]:
        """The scale alone, for what takes no distance."""
        return {"scale": self.how["scale"]}

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "data": self.data,
            "target": self.target,
            "kinds": {name: list(kind) if isinstance(kind, tuple) else kind for name, kind in self.kinds.items()},
            "left_out": list(self.left_out),
            "columns": None if self.columns is None else list(self.columns),
            "task": self.task,
            "scale": self.scale,
            "distance": self.distance,
            "sample": self.sample,
            "groups": self.groups,
            "ids": list(self.ids),
            "na": list(self.na),
            "encoding": self.encoding,
            "missing_target": self.missing_target,
            "missing": self.missing,
        }

    @property
    def key(self) -> str:
        """The same for equal views."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @property
    def as_read(self) -> bool:
        """Whether the table is used as its source has it."""
        said = (self.target, self.kinds, self.left_out, self.columns, self.task, self.sample)
        return not any(said) and self.missing == "distance"


def _names(what: str, given: Any, of: str = "column names") -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, (list, tuple)) or not all(isinstance(n, str) for n in given):
        raise ParameterError(f"view: {what} must be a list of {of}; got {given!r}")
    return tuple(given)


def _one_of(what: str, given: Any, words: tuple[str, ...], optional: bool = False) -> Any:
    if given in words or (optional and given is None):
        return given
    raise ParameterError(f"view: {what} must be one of {', '.join(words)}; got {given!r}")
