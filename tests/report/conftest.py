"""Reports that several tests read, made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

import sepal
from sepal.report import ReportFacts, report_facts


@pytest.fixture(scope="session")
def report_of() -> Callable[[str], ReportFacts]:
    """The report on a bundled set, by name."""
    return cache(lambda name: report_facts(sepal.datasets.load(name)))
