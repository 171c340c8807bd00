"""Ctrl-C while Python code works, in a process of its own: in the same one it could hit pytest."""

from __future__ import annotations

import subprocess
import sys

# The key is pressed when some processor time has been used, and what follows is measured in it: a busy machine
# changes neither. Who does not hear it goes on to the end of the work, which must be longer than is allowed.
FRAME = """
import signal, threading, time
{setup}
main, done, pressed = threading.get_ident(), threading.Event(), []
begin = time.process_time()

def press():
    while not done.wait(0.005):
        if time.process_time() > (pressed[-1] + 5.0 if pressed else begin + {after}):
            pressed.append(time.process_time())
            signal.pthread_kill(main, signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
try:
    {work}
    done.set()
except KeyboardInterrupt:
    done.set()
    print(time.process_time() - pressed[0])
else:
    print("ended by itself")
"""


def work_after_ctrl_c(setup: str, work: str, *, after: float = 0.5) -> float:
    """Seconds of processor time that ``work`` goes on for when Ctrl-C comes ``after`` such seconds.

    ``setup`` stands before it, and nothing else may be said. A signal that falls into a callback of Python's garbage
    collector is lost by Python itself, so that the key is pressed again every five seconds, as a person would.
    """
    code = FRAME.format(setup=setup, work=work, after=after)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert done.stderr == ""
    assert done.stdout != "ended by itself\n", "the work was too small for this test"
    return float(done.stdout)
