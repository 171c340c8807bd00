"""Test modules of an installed library, loaded with some of its names replaced by others."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import pytest


@contextmanager
def stand_in(package: str, names: Mapping[str, Any]) -> Iterator[ModuleType]:
    """The package, with these names replaced, in the eyes of whoever imports it meanwhile."""
    real = import_module(package)
    copy = ModuleType(package)
    copy.__dict__.update(real.__dict__)
    copy.__dict__.update(names)
    parent, _, child = package.rpartition(".")
    sys.modules[package] = copy
    setattr(sys.modules[parent], child, copy)
    try:
        yield copy
    finally:
        sys.modules[package] = real
        setattr(sys.modules[parent], child, real)


def load_tests(module: str, package: str, names: Mapping[str, Any]) -> ModuleType:
    """A private copy of a test module that has seen the package with these names replaced."""
    spec = importlib.util.find_spec(module)
    assert spec is not None, f"{module} is not shipped"
    assert spec.origin is not None, f"{module} has no file"
    private = importlib.util.spec_from_file_location(f"tests.peers.copy_of_{module.rpartition('.')[2]}", spec.origin)
    assert private is not None, module
    assert private.loader is not None, module
    loaded = importlib.util.module_from_spec(private)
    with stand_in(package, names):
        private.loader.exec_module(loaded)
    for name, value in names.items():
        if hasattr(loaded, name):
            setattr(loaded, name, value)
    return loaded


def functions_of(module: ModuleType) -> dict[str, FunctionType]:
    """The test functions of a module, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if name.startswith("test_") and isinstance(value, FunctionType)
    }


def with_cases(function: FunctionType, wanted: Callable[[Any], bool]) -> FunctionType:
    """The function, parametrised by those cases only of which every value is wanted."""
    marks = []
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            names, values = mark.args[:2]
            several = not isinstance(names, str) or "," in names
            kept = [each for each in values if all(map(wanted, each if several else [each]))]
            mark = pytest.mark.parametrize(names, kept, **mark.kwargs).mark
        marks.append(mark)
    function.pytestmark = marks
    return function
