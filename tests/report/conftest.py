"""Reports that several tests read, made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

import sepal
from sepal.report import SeparabilityReport, separability


@pytest.fixture(scope="session")
def report_of() -> Callable[[str], SeparabilityReport]:
    """The report on a bundled set, by name."""
    return cache(lambda name: separability(sepal.datasets.load(name)))
