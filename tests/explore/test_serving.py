"""The running server: its link, its port, its end; and what it says where something is missing."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys

import httpx
import pytest
from typer.testing import CliRunner

from sepal.cli._app import app
from sepal.exceptions import MissingDependencyError, ParameterError
from sepal.explore._serving import free_port, needs_explore

HIDDEN = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("starlette", "uvicorn"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
from sepal.cli import main
sys.argv = ["sepal", *WORDS]
main()
"""


def test_without_the_extra_it_says_which_line_installs_it():
    code = HIDDEN.replace("WORDS", "['explore', 'iris']")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "pip install 'sepal-learn[app,explore]'" in result.stderr
    code = HIDDEN.replace("WORDS", "['do', 'data.rows', 'iris', '--set', 'count=1']")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert json.loads(result.stdout)["row"] == [0]  # questions need no server


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingDependencyError, match="uvicorn"):
        needs_explore()


def test_a_taken_port_leads_to_the_next():
    with free_port(0) as first:
        number = first.getsockname()[1]
        with free_port(number) as second:
            assert number < second.getsockname()[1] < number + 50
            assert second.getsockname()[0] == "127.0.0.1"
    for wrong in (-1, 70_000):
        with pytest.raises(ParameterError, match="port"):
            free_port(wrong)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing.csv"], "nothing.csv"),
        (["iris", "--target", "nothing"], "nothing"),
        (["iris", "--session", "s.json"], "leave one out"),
        (["--session", "nothing.json"], "nothing.json"),
    ],
)
def test_mistakes_are_told_before_anything_is_served(words, said):
    result = CliRunner().invoke(app, ["explore", "--no-browser", *words])
    assert result.exit_code == 2
    assert said in result.stderr


def _stopped(process):
    """What it said on its way out; Python itself may lose a signal, so that the key is pressed again, as one would."""
    for _ in range(4):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=15)[1]
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    pytest.fail(f"Ctrl-C does not end it: {process.communicate()[1]}")


def test_it_serves_on_loopback_and_ends_with_ctrl_c():
    """Python could hang where it ended while another thread still imported."""
    with free_port(0) as taken:
        number = taken.getsockname()[1]
        words = ["sepal", "explore", "iris", "--no-browser", "--port", str(number)]
        command = [sys.executable, "-c", f"import sys; sys.argv = {words!r}; from sepal.cli import main; main()"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline().startswith(f"Port {number} is taken; this is port ")
            text = "".join(process.stdout.readline() for _ in range(3))
            link = re.search(r"http://127\.0\.0\.1:(\d+)/#token=(\S+)", text)
            assert link, text
            base, token = f"http://127.0.0.1:{link[1]}", link[2]
            assert int(link[1]) != number
            with httpx.Client(
                base_url=base, headers={"X-Sepal": "1"}, transport=httpx.HTTPTransport(retries=5)
            ) as client:
                bearer = client.post("/api/login", json={"token": token}).json()["bearer"]
                start = client.get("/api/start", headers={"Authorization": f"Bearer {bearer}"}).json()
            assert start["view"]["data"] == "iris"
            errors = _stopped(process)
            assert (process.returncode, errors) == (0, "")  # it was said that Ctrl-C ends it
