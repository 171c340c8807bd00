"""On what a table was measured: machine, versions and date, in one line that every script can write."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("sepal-learn", "numpy", "scipy", "scikit-learn")


def machine() -> str:
    """Processor and cores, as far as the system tells."""
    told = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", told.read_text(), re.MULTILINE) if told.is_file() else None
    name = found.group(1).strip() if found else platform.processor() or platform.machine()
    return f"{os.cpu_count()} cores ({name}), {platform.system()}"


def versions(packages: Sequence[str] = PACKAGES) -> str:
    """Python and those of the packages that are installed."""
    told = [f"Python {platform.python_version()}"]
    for name in packages:
        try:
            told.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(told)


def made_on(packages: Sequence[str] = PACKAGES) -> str:
    """The line itself."""
    return f"Measured on {date.today().isoformat()}, {machine()}; {versions(packages)}."
