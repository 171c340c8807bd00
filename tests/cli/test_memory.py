"""Every verb under address-space limits: an error with a hint and status 2, or the answer; never a crash."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.children import in_children

# Each verb first answers a small table, so that everything is imported.
VERBS = {
    "report": ["report", "{}.csv", "--out", "r.html"],
    "measure": ["measure", "{}.csv"],
    "select": ["select", "{}.csv"],
    "evaluate": ["evaluate", "{}.csv", "-l", "knn", "--cv", "3"],
    "train knn": ["train", "{}.csv", "-l", "knn", "-o", "m.sepal"],
    "train svm": ["train", "{}.csv", "-l", "svm", "-o", "m.sepal"],
    "train auto": ["train", "{}.csv", "-l", "auto", "-o", "m.sepal"],
    "predict": ["predict", "small.sepal", "{}.csv", "-o", "p.csv"],
    "do": ["do", "neighbors.curve", "{}.csv"],
    "run": ["run", "{}.json", "-o", "run"],
    "reproduce": ["reproduce", "--only", "B2", "--quick", "-o", "figures"],
    "mail learn": ["mail", "learn", "--spam", "{}.eml", "--store", "mail.db"],
    "mail eval": ["mail", "eval", "{}-mail.csv", "--skip", "0"],
    "mail filter": ["mail", "filter", "--store", "mail.db"],
}
# Reads the table before it serves; the small one would be served for ever.
EXPLORE = ["explore", "large.csv", "--no-browser"]
SMALL_WORK = {"reproduce", "mail filter"}  # bundled rows, an empty message: that may be done with next to nothing
LITTLE, MORE = 1, 8  # megabytes; the table alone takes 1.5


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    for name, n in (("small", 40), ("large", 6_000)):
        rows = np.round(rng.normal(size=(n, 30)), 4).tolist()
        head = ",".join([f"x{j}" for j in range(30)] + ["class"])
        lines = (",".join(map(str, row)) + f",{'ab'[i % 2]}" for i, row in enumerate(rows))
        (tmp_path / f"{name}.csv").write_text(head + "\n" + "\n".join(lines) + "\n")
        raw = (tmp_path / f"{name}.csv").read_bytes()
        source = {"file": f"{name}.csv", "size": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
        session = {"sepal_session": 1, "source": source, "actions": [{"action": "neighbors.curve"}]}
        (tmp_path / f"{name}.json").write_text(json.dumps(session))
        words = " ".join(f"word{i}" for i in range(n * 50))
        (tmp_path / f"{name}.eml").write_text(f"Subject: {name}\n\n{words}\n")
        (tmp_path / f"{name}-mail.csv").write_text(f"text,class\n{words},spam\nhello,ham\n")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the size of the process from /proc")
@pytest.mark.usefixtures("tables")
def test_no_verb_dies_of_too_little_memory():
    """Memory that could not be had ended the process inside native code."""

    def filled(words, table):
        return [word.format(table) for word in words]

    first = [["train", "small.csv", "-l", "knn", "-o", "small.sepal"]]
    first += [filled(words, "small") for words in VERBS.values()]
    large = {name: filled(words, "large") for name, words in VERBS.items()}
    worlds = {f"memory {LITTLE}": {**large, "explore": EXPLORE}, f"memory {MORE}": large}
    poor = {"MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}
    found = {name: (code, err) for name, (code, _, err) in in_children(first, worlds, **poor).items()}
    told = {name: (code, err) for name, (code, err) in found.items() if code}
    assert {name for name, (code, _) in told.items() if code != (3 if name.startswith("mail") else 2)} == set(), found
    assert {f"{name}, memory {LITTLE}" for name in {*VERBS, "explore"} - SMALL_WORK} <= set(told)
    assert [err for _, err in told.values() if not err.startswith("error: there is not enough memory")] == []
    assert [err for _, err in told.values() if "\nhint: " not in err or "Traceback" in err] == []
    assert not Path("p.csv").exists() or len(Path("p.csv").read_text().splitlines()) in (41, 6_001)
