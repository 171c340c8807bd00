"""Look into a built sdist and its wheels, and try each wheel in a clean environment of every Python that it claims.

``python .ci/check_wheel.py dist``. A wheel for Python 3.11, and one of the stable ABI for all later ones, are built
from the sdist where they are missing and a Python for them is found here. Exit status 1 and a sentence if anything is
wrong.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

# Alone, without extras: what is numeric works, and the command says which line brings what it needs.
CORE = """
import importlib.util, subprocess, sys, sepal
for name in ("pandas", "polars", "matplotlib", "typer"):
    assert importlib.util.find_spec(name) is None, name
table = sepal.datasets.load("athletes")
assert sepal.thornton_score(table) == 1.0
assert sepal.SepalClassifier().fit(table).score(table, table.y) >= 0.5
sepal.separability(table).to_json()
told = subprocess.run([sys.executable.replace("python", "sepal"), "report"], capture_output=True, text=True)
assert told.returncode == 2 and "sepal-learn[app]" in told.stderr, told
"""
SMOKE = """
import importlib.metadata, subprocess, sys, sepal
version = importlib.metadata.version("sepal-learn")
assert sepal.__version__ == version, sepal.__version__
sepal_command = [sys.executable.replace("python", "sepal")]
told = subprocess.run([*sepal_command, "--version"], capture_output=True, text=True, check=True).stdout.split()
assert told == ["sepal", version], told
table = sepal.datasets.load("athletes")
assert sepal.thornton_score(table) == 1.0
assert sepal.KNNClassifier(1).fit(table).score(table, table.y) == 1.0
subprocess.run([*sepal_command, "report", "athletes", "--out", "r.html"], capture_output=True, check=True)
assert "</html>" in open("r.html", encoding="utf-8").read()
print("  python", ".".join(map(str, sys.version_info[:2])), "sepal", version, "works")
"""
CARRIED = ("licenses/LICENSE", "sepal/py.typed", "sepal/_native.pyi", "sepal/data/bundled/", "sepal/report/templates/")
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEM = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libpthread.so.0", "ld-linux")
STRANGE = (".venv/", "build/", "dist/")


def claimed(wheel: Path) -> list[str]:
    """The Python versions a wheel is for: one for ``cp311-cp311``, that and all later ones for ``abi3``."""
    _, _, python, abi, _ = wheel.stem.split("-", 4)
    first = f"3.{python.removeprefix('cp3')}"
    later = [version for version in VERSIONS if int(version[2:]) >= int(first[2:])]
    return later if abi == "abi3" else [first]


def interpreter(version: str) -> str | None:
    """A Python of that version, on the PATH or from pyenv, that really starts."""
    named = shutil.which(f"python{version}")
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for path in [*([named] if named else []), *map(str, kept)]:
        if subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    return None


def look_into_sdist(sdist: Path) -> None:
    """Only what belongs to the project, and nothing that was built from it."""
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
    for name in names:
        inside = name.partition("/")[2]
        if inside.startswith(STRANGE) or inside.endswith((".so", ".o", ".pyc")):
            sys.exit(f"{sdist.name} carries {inside}")


def look_into_wheel(wheel: Path) -> None:
    """Licence, types and data are there; the native part links only what every Linux has."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for part in CARRIED:
            if not any(part in name for name in names):
                sys.exit(f"{wheel.name} does not carry {part}")
        for name in names:
            if name.endswith(".so") and "linux" in wheel.name:
                strange = [library for library in linked(archive.read(name)) if not library.startswith(SYSTEM)]
                if strange:
                    sys.exit(f"{wheel.name}: {name} links {', '.join(strange)}")


def linked(library: bytes) -> list[str]:
    """The shared libraries that one asks for."""
    from elftools.elf.elffile import ELFFile

    dynamic = ELFFile(BytesIO(library)).get_section_by_name(".dynamic")
    return [tag.needed for tag in dynamic.iter_tags() if tag.entry.d_tag == "DT_NEEDED"]


def clean_environment(python: str, folder: str, *packages: str) -> str:
    """The Python of a new environment with these packages."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    inside = str(Path(folder) / "bin" / "python")
    install(inside, *packages)
    return inside


def install(python: str, *packages: str) -> None:
    """Add packages to an environment."""
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages], check=True)


def build_missing(sdist: Path) -> None:
    """The wheel of 3.11, and that of the stable ABI, from the sdist and with a git that does nothing."""
    for versions in (VERSIONS[:1], VERSIONS[1:]):
        if any(set(claimed(wheel)) & set(versions) for wheel in sdist.parent.glob("*.whl")):
            continue
        python = next(filter(None, map(interpreter, versions)), None)
        if python is None:
            print(f"  no Python of {', '.join(versions)} here: no wheel for them")
            continue
        with tempfile.TemporaryDirectory() as folder:
            inside = clean_environment(python, folder, "cmake", "ninja")
            git = Path(inside).with_name("git")
            git.write_text("#!/bin/sh\nexit 127\n")
            git.chmod(0o755)
            path = os.pathsep.join([str(git.parent), os.environ["PATH"]])
            line = [inside, "-m", "pip", "wheel", "-q", "--no-deps", "--disable-pip-version-check", "-w"]
            subprocess.run([*line, str(sdist.parent), str(sdist)], check=True, env={**os.environ, "PATH": path})


def try_out(wheel: Path) -> None:
    """Install it and use it."""
    tried = 0
    for version in claimed(wheel):
        python = interpreter(version)
        if python is None:
            print(f"  python {version}: not here, not tried")
            continue
        with tempfile.TemporaryDirectory() as folder:
            inside = clean_environment(python, folder, str(wheel.resolve()))
            subprocess.run([inside, "-c", CORE], check=True, cwd=folder)
            install(inside, f"{wheel.resolve()}[app]")
            subprocess.run([inside, "-c", SMOKE], check=True, cwd=folder)
            tried += 1
    if not tried:
        sys.exit(f"no Python for {wheel.name} was found here")


if __name__ == "__main__":
    (sdist,) = Path(sys.argv[1]).glob("*.tar.gz")
    look_into_sdist(sdist)
    build_missing(sdist)
    for built in sorted(Path(sys.argv[1]).glob("*.whl")):
        print(built.name)
        look_into_wheel(built)
        try_out(built)
