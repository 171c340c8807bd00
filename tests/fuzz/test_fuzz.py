"""Files that are nearly right are read or refused in a sentence: the same ten thousand of each kind every time."""

from __future__ import annotations

from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from tests.fuzz.targets import ENDINGS, MODELS, TARGETS

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())
PER_MODEL = 200  # ten thousand models together
COUNTS = {"csv": 10_000, "arff": 10_000, "parquet": 10_000, "model-files": 10_000 - PER_MODEL * len(MODELS)}


@pytest.mark.parametrize("name", list(TARGETS))
def test_changed_inputs(name: str) -> None:
    target = TARGETS[name]
    with threadpool_limits(1):
        for seed in range(COUNTS.get(name, PER_MODEL)):
            found = target.made(seed)
            try:
                target.run(found)
            except Exception as error:
                error.add_note(f"the input is TARGETS[{name!r}].made({seed})")
                raise


@pytest.mark.parametrize("name", list(TARGETS))
def test_whole_inputs_are_read_and_some_changes_too(name: str) -> None:
    """Else the fuzz would only ever see one refusal. Model files carry checksums, which hardly any change survives."""
    target = TARGETS[name]
    with threadpool_limits(1):
        for seed in target.seeds():
            assert target.run(seed) is True
        results = [target.run(target.made(seed)) for seed in range(60)]
    assert True in results or name == "model-files"
    assert False in results


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.name)
def test_what_once_failed(file: Path) -> None:
    ENDINGS[file.suffix[1:]](file.read_bytes())
