"""The running server: a free port on loopback, one link, the browser, and an end by Ctrl-C."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

from sepal.exceptions import DataError, MissingDependencyError, ParameterError

LOOPBACK = "127.0.0.1"
FIRST_PORT, PORTS_TRIED = 8765, 50
WARM_AFTER = 2.0  # seconds: the first screen comes first


def needs_explore() -> None:
    """Say which line installs what is missing."""
    for package in ("starlette", "uvicorn"):
        try:
            __import__(package)
        except ModuleNotFoundError as error:
            raise MissingDependencyError(
                f"sepal explore needs the package {package}, which is not installed",
                hint="pip install 'sepal-learn[app,explore]'",
            ) from error


def free_port(asked: int | None) -> socket.socket:
    """A socket on the first free port of loopback, from the one that was asked for on."""
    first = FIRST_PORT if asked is None else asked
    if not 0 <= first <= 65535:
        raise ParameterError(f"--port {first}: expected a port from 0 to 65535")
    for port in range(first, min(first + PORTS_TRIED, 65536)):
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1 if sys.platform != "win32" else 0)
        try:
            found.bind((LOOPBACK, port))
            found.listen(128)
        except OSError:
            found.close()
            continue
        return found
    raise DataError(f"no port from {first} to {first + PORTS_TRIED - 1} is free", hint="--port 0 takes any")


def hosts_of(port: int) -> tuple[str, ...]:
    """What a browser may call this server."""
    return (f"{LOOPBACK}:{port}", f"localhost:{port}")


def serve(
    server: Any,
    *,
    port: int | None = None,
    browser: bool = True,
    say: Callable[[str], object] = print,
    greet: Callable[[str], object] | None = None,
) -> None:
    """Serve until Ctrl-C.

    Parameters
    ----------
    server : Server
        What answers.
    port : int, optional
        Where to begin to look for a free one.
    browser : bool
        Whether to open it.
    say : callable
        Where the link, and whatever else there is, is told.
    greet : callable, optional
        Called with the link as soon as it is known, in place of a sentence to ``say``.
    """
    import uvicorn

    warming = threading.Timer(WARM_AFTER, _warm_up)
    warming.daemon = True
    warming.start()
    place = free_port(port)
    number = place.getsockname()[1]
    wanted = FIRST_PORT if port is None else port
    if number != wanted != 0:
        say(f"Port {wanted} is taken; this is port {number}.")
    link = f"http://{LOOPBACK}:{number}/#token={server.keys.token()}"
    if greet is not None:
        greet(link)
    else:
        say(f"The Explorer is at\n\n    {link}\n\nCtrl-C ends it; Enter prints a new link.")
    config = uvicorn.Config(
        server.app(hosts_of(number)), log_level="warning", access_log=False, server_header=False,
        lifespan="off", ws="none", timeout_graceful_shutdown=1,
    )  # fmt: skip
    running = uvicorn.Server(config)
    if browser:
        threading.Timer(0.3, lambda: webbrowser.open(link)).start()
    if sys.stdin is not None and sys.stdin.isatty():
        threading.Thread(target=_links, args=(server, number, say), daemon=True).start()
    try:
        running.run(sockets=[place])
    except KeyboardInterrupt:  # as was said it ends here; nothing was interrupted
        pass
    finally:
        server.workers.close()
        place.close()
        warming.cancel()
        warming.join(10.0)  # Python may hang where it ends while another thread still imports


def _warm_up() -> None:
    """Load what forms are made from, once the first screen is shown."""
    from sepal.explore._forms import forms

    forms()


def _links(server: Any, number: int, say: Callable[[str], object]) -> None:
    """A new link for every Enter."""
    for _ in sys.stdin:
        say(f"    http://{LOOPBACK}:{number}/#token={server.keys.token()}")
