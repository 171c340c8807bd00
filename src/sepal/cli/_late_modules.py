"""Modules that others import as they start, and that the command hardly ever uses, are loaded at first use.

scikit-learn imports scipy.stats and pandas, and scipy numpy.f2py: together more than half of the time until the command
begins to work.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

LATE = ("scipy.stats", "numpy.f2py")
WITHOUT_PANDAS = "sklearn.utils.fixes"  # imports pandas if it can; for frames of pandas only, which the command has not
_loading = RLock()


def load_late() -> None:
    """From now on an import of these modules, or of a name of theirs, loads nothing; using one does."""
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


class _LateModule(ModuleType):
    """Stands for a module that nobody has used yet."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _LateName(self.__name__, name)


class _LateName:
    """Stands for what a late module has under a name, until it is called or asked for something."""

    def __init__(self, module: str, name: str) -> None:
        self._late = (module, name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return getattr(_loaded(self._late[0]), self._late[1])(*given, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(_loaded(self._late[0]), self._late[1]), name)


class _LatePath(list[str]):
    """Where the parts of a package are; whoever looks for one needs the package."""

    def __init__(self, package: str) -> None:
        super().__init__()
        self._package = package

    def __iter__(self) -> Iterator[str]:
        return iter(_loaded(self._package).__path__)


class _LateFinder(MetaPathFinder, Loader):
    """Finds the late modules before those that would load them do."""

    def __init__(self, names: Sequence[str]) -> None:
        self.late = set(names)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name == WITHOUT_PANDAS:
            return _without_pandas(PathFinder.find_spec(name, path))
        if name not in self.late:
            return None
        spec = ModuleSpec(name, self)
        spec.submodule_search_locations = _LatePath(name)
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _LateModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: that is the point."""


class _WithoutPandas(Loader):
    """Executes a module as if pandas were not installed."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        hidden = sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]  # None: an import of it fails
        try:
            self._loader.exec_module(module)
        finally:
            if hidden is None:
                del sys.modules["pandas"]


def _without_pandas(spec: ModuleSpec | None) -> ModuleSpec | None:
    if spec is not None and spec.loader is not None:
        spec.loader = _WithoutPandas(spec.loader)
    return spec


_finder = _LateFinder(LATE)


def _loaded(name: str) -> ModuleType:
    """The module itself; from now on imports find it."""
    with _loading:
        if name in _finder.late:
            _finder.late.remove(name)
            del sys.modules[name]
        return import_module(name)
