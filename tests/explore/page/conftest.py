"""One server, one browser and one tab for the tests of the page: each test finds the tab at the start page."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SIZE = {"width": 1280, "height": 900}
WAIT = 60_000.0  # milliseconds; a busy machine is slow, and no test judges speed


@dataclass
class Explorer:
    """``sepal explore`` in a process of its own."""

    process: subprocess.Popen[str]
    link: str

    @property
    def home(self) -> str:
        """The address without the token."""
        return self.link.partition("#")[0]

    def new_link(self) -> str:
        """A link that has not been used."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


# A new link for every line on standard input: a token works once.
START = """
import sys, threading
from pathlib import Path
from sepal.explore import Server, Shelf, serve

shelf = Shelf()
for path in sys.argv[1:]:
    shelf.add(Path(path).name, Path(path).read_bytes())
server = Server(shelf)

def say(text):
    link = next(word for word in text.split() if word.startswith("http"))
    print(link, flush=True)
    threading.Thread(target=more, args=(link.partition("#")[0],), daemon=True).start()

def more(home):
    for _ in sys.stdin:
        print(f"{home}#token={server.keys.token()}", flush=True)

serve(server, port=0, browser=False, say=say)
"""


@contextmanager
def running(*files: Path) -> Iterator[Explorer]:
    """A server on a free port, ended at the end."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", START, *map(str, files)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        assert process.stdout is not None
        yield Explorer(process, process.stdout.readline().strip())
    finally:
        process.kill()
        process.communicate()


@dataclass
class Tab:
    """A page that remembers what went wrong in it and whom it asked."""

    page: Any
    errors: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(WAIT)
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def go(self, address: str, heading: str) -> Any:
        """Show a screen by its address, and wait until it stands."""
        self.page.evaluate("address => { location.hash = address; }", address)
        self.page.locator("#screen:not([aria-busy]) h1", has_text=heading).wait_for()
        return self.page

    def begin(self) -> None:
        """The start page, with nothing done before and nothing gone wrong."""
        self.page.set_viewport_size(SIZE)
        self.page.evaluate(
            "() => { for (const key of Object.keys(sessionStorage)) if (key !== 'sepal-bearer')"
            " sessionStorage.removeItem(key);"
            " document.getElementById('toasts').replaceChildren(); location.hash = '#/'; }"
        )
        self.page.locator("#screen h1", has_text="Open a table").wait_for()
        self.errors.clear()
        self.asked.clear()

    def drop(self, name: str, text: str) -> None:
        """Give the page a file."""
        file = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
        self.page.locator("input[type=file]").set_input_files(file)

    def check(self, home: str) -> None:
        """Nothing went wrong, and nobody but our server was asked."""
        assert self.errors == []
        assert {url.split("/")[2] for url in self.asked if url.startswith("http")} <= {home.split("/")[2]}

    def until(self, condition: str, argument: Any = None) -> None:
        """Wait for a condition in the page, a function in JavaScript."""
        self.page.wait_for_function(condition, arg=argument)


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def explorer() -> Iterator[Explorer]:
    """One server for all tests."""
    with running() as started:
        yield started


@pytest.fixture
def open_tab(browser: Any, explorer: Explorer) -> Iterator[Callable[..., Tab]]:
    """Opens logged-in tabs, each in a context of its own; at the end nothing may have gone wrong in them."""
    tabs: list[Tab] = []

    def opened(**how: Any) -> Tab:
        tabs.append(logged_in(browser, explorer, **how))
        return tabs[-1]

    yield opened
    for tab in tabs:
        tab.page.context.close()
        tab.check(explorer.home)


def logged_in(browser: Any, explorer: Explorer, **how: Any) -> Tab:
    """A tab in a context of its own."""
    made = Tab(browser.new_context(**({"viewport": SIZE} | how)).new_page())
    made.page.goto(explorer.new_link())
    made.page.locator("#screen h1").wait_for()
    return made


@pytest.fixture(scope="session")
def one_tab(browser: Any, explorer: Explorer) -> Iterator[Tab]:
    """The tab that the tests share: loading the page costs more than most of them."""
    made = logged_in(browser, explorer)
    yield made
    made.page.context.close()


@pytest.fixture
def tab(one_tab: Tab, explorer: Explorer) -> Iterator[Tab]:
    """The shared tab at the start page; at the end nothing may have gone wrong in it."""
    one_tab.begin()
    yield one_tab
    one_tab.check(explorer.home)
