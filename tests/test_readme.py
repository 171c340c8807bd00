"""What the README and the first page of the guide show is run, and its outputs are true."""

from __future__ import annotations

import io
import os
import re
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
OVERVIEW = (ROOT / "docs" / "guide" / "overview.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent


def blocks(page: str, language: str) -> list[str]:
    """The fenced code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def promised(code: str) -> list[str]:
    """What stands as a comment behind the print lines."""
    return [line.split("  # ", 1)[1] for line in code.splitlines() if line.startswith("print(")]


def test_the_readme_is_short_and_says_what_is_needed():
    assert len(README.split()) < 500
    assert re.findall(r"^## (.+)$", README, re.MULTILINE) == ["Two commands", "Ten lines of Python", "Where to go on"]
    for needed in ("Python 3.11 or later", "make", "C++20 compiler", "make test"):
        assert needed in README
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_ten_lines_of_python_print_what_they_promise(tmp_path):
    (code,) = blocks(README, "python")
    assert len([line for line in code.splitlines() if line.strip()]) == 10
    script, printed = tmp_path / "ten_lines.py", io.StringIO()
    script.write_text(code, encoding="utf-8")
    with redirect_stdout(printed):
        runpy.run_path(str(script))
    assert printed.getvalue().splitlines() == promised(code)


def test_the_classifier_of_the_overview_beats_the_nearest_neighbor_and_explains_itself(tmp_path):
    (code,) = blocks(OVERVIEW, "python")
    script, printed = tmp_path / "classifier.py", io.StringIO()
    script.write_text(code, encoding="utf-8")
    with redirect_stdout(printed):
        runpy.run_path(str(script))
    score, answers, *explanation = printed.getvalue().splitlines()
    assert 0.875 < float(score) < 1  # Thornton's index of the same rows
    assert answers == "['R' 'R']"  # the file begins with rocks
    assert any(line.startswith("majority") and "53.37" in line for line in explanation)  # 111 of 208 are mines


@pytest.fixture
def flowers(tmp_path):
    """The file that the overview calls flowers.csv."""
    iris = load_iris()
    lines = ["species,a,b,c,d"]
    for label, row in zip(iris.target, iris.data, strict=True):
        lines.append(",".join([iris.target_names[label], *(str(cell) for cell in row)]))
    (tmp_path / "flowers.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_nine_lines_of_shell_run(flowers):
    (code,) = blocks(OVERVIEW, "sh")
    lines = code.splitlines()
    assert len(lines) == 9
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    outputs = []
    for line in lines:
        done = subprocess.run(
            ["bash", "-c", line], cwd=flowers, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, f"{line}: {done.stderr}"
        outputs.append(done.stdout)
    complete_rows, iris, written, sonar, liver, selected, evaluated, trained, predicted = outputs
    # Sources of the figures: tests/measures/test_published_figures.py, tests/cli/test_select.py.
    assert re.search(r"score +0\.9578 ", complete_rows)
    assert "setosa" in iris
    assert written == ""
    assert (flowers / "flowers.json").is_file()
    assert "0.8300" in sonar
    assert "0.8678" in sonar
    assert "not a diagnosis" in liver
    assert re.search(r"0\.9693 .* 5 +clump_thickness", selected)
    assert (flowers / "features.png").is_file()
    for learner in ("SepalClassifier", "SVM", "k-NN", "Fisher", "largest class"):
        assert learner in evaluated
    assert "leave-one-out" in trained
    assert predicted == ""
    assert len((flowers / "answers.csv").read_text().splitlines()) == 1 + 150


def test_the_commands_are_targets_of_the_makefile():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = re.findall(r"^    make ([a-z]+)", README, re.MULTILINE)
    assert commands == ["report", "test"]
    assert set(commands) <= targets


def test_every_link_and_picture_is_there():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith("http")]
    assert "docs/images/overview.png" in links
    for link in links:
        assert (ROOT / link).is_file(), link


def test_the_picture_is_made_by_the_project(tmp_path):
    picture = tmp_path / "overview.png"
    script = runpy.run_path(str(ROOT / "docs" / "make_images.py"))
    script["overview"](picture)
    shown = ROOT / "docs" / "images" / "overview.png"
    for file in (picture, shown):
        content = file.read_bytes()
        assert content.startswith(b"\x89PNG")
        # Width and height stand in the first chunk.
        assert int.from_bytes(content[16:20], "big") == 1300
        assert len(content) < 150_000
