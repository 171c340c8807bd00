"""Files that are nearly right are read or refused in a sentence: the same ten thousand of each kind every time."""

from __future__ import annotations

import re
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from tests.fuzz.targets import ENDINGS, MODELS, TARGETS

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())
PER_MODEL = 200  # ten thousand models together
COUNTS = {"csv": 10_000, "arff": 10_000, "parquet": 10_000, "model-files": 10_000 - PER_MODEL * len(MODELS)}
SECONDS = 20  # that one input may take; a hundredth is usual
MEMORY = 2 << 30  # bytes that the process may grow by


@contextmanager
def little_memory() -> Iterator[None]:
    """An input that asks for more is a MemoryError, and not the end of everything that runs beside."""
    status = Path("/proc/self/status")
    if not status.exists():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(re.findall(r"VmSize:\s*(\d+) kB", status.read_text())[0]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def little_time() -> Iterator[None]:
    """Ctrl-C is listened to in every loop of ours, native ones too, and so is this alarm."""

    def over(number: int, frame: object) -> None:
        raise TimeoutError(f"the input took more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_there_are_ten_thousand_of_each_kind() -> None:
    counts = {name: COUNTS.get(name, PER_MODEL) for name in TARGETS}
    models = sum(count for name, count in counts.items() if name.startswith("model-"))
    assert {**{name: counts[name] for name in ("csv", "arff", "parquet")}, "model": models} == dict.fromkeys(
        ("csv", "arff", "parquet", "model"), 10_000
    )


@pytest.mark.parametrize("name", list(TARGETS))
def test_changed_inputs(name: str) -> None:
    target = TARGETS[name]
    target.seeds()
    with threadpool_limits(1), little_memory():
        for seed in range(COUNTS.get(name, PER_MODEL)):
            found = target.made(seed)
            try:
                with little_time():
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
    """Each of these files once hung a reader, or ended it or a loaded model in a foreign error."""
    with little_memory(), little_time():
        ENDINGS[file.suffix[1:]](file.read_bytes())
