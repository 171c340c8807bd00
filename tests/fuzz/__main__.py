"""Endless fuzz: ``make fuzz``. What fails is kept in ``tests/fuzz/corpus``, which the tests replay.

Each round runs in a process of its own, which keeps the input on disk while it tries it: a crash or a hang of native
code leaves it there.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
ROUND = 2000  # inputs per process
SLOW = 60  # seconds that one input may take


def say(text: str) -> None:
    """One line of progress."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def keep(data: bytes, ending: str, why: str) -> None:
    """Put a failing input into the corpus under the digest of its bytes."""
    name = CORPUS / f"{hashlib.sha256(data).hexdigest()[:16]}.{ending}"
    name.write_bytes(data)
    say(f"{name}\n{why}")


def one_round(name: str, first: int, aside: Path) -> None:
    """Try inputs of one kind; failures go into the corpus."""
    from tests.fuzz.targets import TARGETS

    target = TARGETS[name]
    target.seeds()
    for seed in range(first, first + ROUND):
        found = target.made(seed)
        data = target.as_bytes(found)
        aside.write_bytes(data)
        signal.alarm(SLOW)
        try:
            target.run(found)
        except Exception:
            keep(data, target.ending, f"{name}, seed {seed}\n{traceback.format_exc()}")
        finally:
            signal.alarm(0)


def main(names: list[str]) -> None:
    """Rounds without end, kind after kind, each from a seed that nobody chose."""
    from tests.fuzz.targets import TARGETS

    done = 0
    with tempfile.TemporaryDirectory() as folder:
        aside = Path(folder) / "input"
        while True:
            for name in names or TARGETS:
                first = secrets.randbits(48)
                line = [sys.executable, "-m", "tests.fuzz", "--round", name, str(first), str(aside)]
                ended = subprocess.run(line, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}).returncode
                if ended < 0:
                    why = f"{name}, near seed {first}: ended by {signal.Signals(-ended).name}"
                    keep(aside.read_bytes(), TARGETS[name].ending, why)
                elif ended:
                    raise SystemExit(ended)
                done += ROUND
                say(f"{done:,} inputs; last {name} from seed {first}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--round"]:
        one_round(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
    else:
        try:
            main(sys.argv[1:])
        except KeyboardInterrupt:
            sys.exit(130)
