"""Install a built wheel into a clean environment of every Python it claims and is found here, and try it.

``python .ci/check_wheel.py dist/*.whl``. Exit status 1 and a sentence if anything is missing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SMOKE = """
import importlib.metadata, pathlib, sepal
assert sepal.__version__ == importlib.metadata.version("sepal-learn"), sepal.__version__
table = sepal.datasets.load("athletes")
assert sepal.thornton_score(table) == 1.0
assert sepal.KNNClassifier(1).fit(table).score(table, table.y) == 1.0
print("  python", ".".join(map(str, __import__("sys").version_info[:2])), "sepal", sepal.__version__, "works")
"""
CARRIED = ("licenses/LICENSE", "sepal/py.typed", "sepal/_native.pyi", "sepal/data/")
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def claimed(wheel: Path) -> list[str]:
    """The Python versions a wheel is for: one for ``cp311-cp311``, that and all later ones for ``abi3``."""
    _, _, python, abi, _ = wheel.stem.split("-", 4)
    first = f"3.{python.removeprefix('cp3')}"
    later = [version for version in VERSIONS if int(version[2:]) >= int(first[2:])]
    return later if abi == "abi3" else [first]


def interpreter(version: str) -> str | None:
    """A Python of that version on the PATH that really starts."""
    path = shutil.which(f"python{version}")
    if path is None or subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode:
        return None
    return path


def check(wheel: Path) -> None:
    """Look into the wheel, then install and try it."""
    names = zipfile.ZipFile(wheel).namelist()
    for part in CARRIED:
        if not any(part in name for name in names):
            sys.exit(f"{wheel.name} does not carry {part}")
    tried = 0
    for version in claimed(wheel):
        python = interpreter(version)
        if python is None:
            print(f"  python {version}: not here, not tried")
            continue
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([python, "-m", "venv", folder], check=True)
            inside = str(Path(folder) / "bin" / "python")
            install = [inside, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel.resolve())]
            subprocess.run(install, check=True)
            subprocess.run([inside, "-c", SMOKE], check=True, cwd=folder)
            tried += 1
    if not tried:
        sys.exit(f"no Python for {wheel.name} was found here")


if __name__ == "__main__":
    for given in sys.argv[1:]:
        print(given)
        check(Path(given))
