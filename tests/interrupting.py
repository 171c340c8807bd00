"""Ctrl-C while Python code works, in a process of its own: in the same one it could hit pytest."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

FRAME = """
{setup}
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("stopped")
else:
    print("ended by itself")
"""


def seconds_to_stop(setup: str, work: str, *, after: float = 1.0) -> float:
    """How long ``work`` goes on after Ctrl-C; ``setup`` stands before it, and nothing else may be said.

    A signal that falls into a callback of Python's garbage collector is lost by Python itself, so that the key is
    pressed again every five seconds, as a person would.
    """
    code = FRAME.format(setup=setup, work=work)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(after)
        begin = time.monotonic()
        for _ in range(5):
            process.send_signal(signal.SIGINT)
            try:
                said = process.communicate(timeout=5.0)
                break
            except subprocess.TimeoutExpired:
                begin = time.monotonic()
        else:
            process.kill()
            said = process.communicate()
    assert said == (b"stopped\n", b"")
    return time.monotonic() - begin
