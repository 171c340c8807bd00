"""Fixtures that every room uses."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator

# Read when the libraries are first loaded, so these stand before numpy. The peers we compare with use OpenMP, whose
# threads spin while they wait; OpenBLAS's wait for each other where every core has its own process of tests already.
# On a busy machine both cost far more than the work itself.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest

# A process that a shell started in the background, or pytest-xdist, ignores Ctrl-C, and so would the commands that
# tests start and interrupt. pytest-xdist also sets the width of the terminal, which a pipe does not have.
signal.signal(signal.SIGINT, signal.default_int_handler)
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.pop("COLUMNS", None)


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator that gives every test the same numbers, whatever ran before it."""
    return np.random.default_rng(20240229)


@pytest.fixture(autouse=True)
def _ctrl_c_is_heard_again() -> Iterator[None]:
    """The command, run inside a test, leaves Ctrl-C ignored at its end: what later tests start would inherit it."""
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out two of scikit-learn's checks.

    Other array libraries: no estimator here claims to take them, and the check skips itself. The order of named
    columns: here they may come in any; ``tests/estimators/test_contract.py`` shows that all else of it holds.
    """
    names = ("check_array_api_input", "check_dataframe_column_names_consistency")
    left_out = [item for item in items if any(name in item.name for name in names)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not any(name in item.name for name in names)]


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
NO_BROWSER = "no Chromium on the PATH"
NO_MAIL_AGENT = "no procmail on the PATH"


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a real browser. Without one the test is left out, and the last line says so; under CI it fails."""
    return _program(BROWSERS, NO_BROWSER)


@pytest.fixture(scope="session")
def procmail() -> str:
    """The path of a real program that delivers mail, by the same rule."""
    return _program(("procmail",), NO_MAIL_AGENT)


def _program(names: tuple[str, ...], lacking: str) -> str:
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None and os.environ.get("CI") == "true":
        pytest.fail(lacking)
    if found is None:
        pytest.skip(lacking)
    return found


def pytest_unconfigure(config: pytest.Config) -> None:
    """Name the tests that were left out for want of a program, after everything else that pytest prints."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    skipped = terminal.stats.get("skipped", []) if terminal else []
    for lacking in (NO_BROWSER, NO_MAIL_AGENT):
        names = [report.nodeid for report in skipped if lacking in str(report.longrepr)]
        if names:
            terminal.write_line(f"NOT RUN, {lacking}: {', '.join(names)}", red=True, bold=True)
