"""Make the pictures of the guide to the Explorer: python docs/make_screens.py

A server is started for the bundled breast-cancer set, and a real browser (Chromium) opens the screens by their address.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

IMAGES = Path(__file__).parent / "images"
COMMAND = [sys.executable, "-c", "from sepal.cli import main; main()", "explore", "--no-browser", "--port", "0"]
DATA = "breast-cancer"
PLANE = f"data={DATA}&x=clump_thickness&y=bare_nuclei"
# File name -> address, buttons to press, what to wait for, and the theme.
SCREENS = {
    "explorer-data": (f"#/data?data={DATA}", (), "section.column canvas", "light"),
    "explorer-separability": (f"#/separability?data={DATA}", ("Work out everything",), "ul.verdict", "light"),
    "explorer-features": (
        f"#/features?data={DATA}",
        ("Try every subset",),
        "table[aria-label='columns in the near-best sets']",
        "light",
    ),
    "explorer-neighbors": (f"#/neighbors?{PLANE}&k=5&row=8", (), "table[aria-label^='neighbours of']", "light"),
    "explorer-rows": (f"#/rows?data={DATA}", ("Look for suspects",), "table[aria-label^='neighbours of']", "light"),
    "explorer-kernels": (
        f"#/kernels?data={DATA}",
        ("Work out the alignment",),
        "button:has-text('Use the aligned width')",
        "light",
    ),
    "explorer-classify": (f"#/classify?data={DATA}", ("Start",), ".matrix", "light"),
    "explorer-predict": (
        f"#/predict?data={DATA}",
        ("Copy it", "Predict this row"),
        "table[aria-label^='neighbours of']",
        "light",
    ),
    "explorer-dark": (f"#/neighbors?data={DATA}&k=5&row=8", (), "table[aria-label^='neighbours of']", "dark"),
}


def main() -> None:
    """One PNG for each screen."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    told = subprocess.PIPE
    with subprocess.Popen([*COMMAND, DATA], stdout=told, text=True) as server, sync_playwright() as driver:  # noqa: S603
        assert server.stdout is not None  # noqa: S101 - it is a pipe
        link = next(line.strip() for line in server.stdout if "#token=" in line)
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 760})
        page.goto(link)
        page.locator("#screen h1").wait_for()
        for name, (address, presses, ready, theme) in SCREENS.items():
            page.get_by_label("Theme").select_option(theme)
            page.evaluate("address => { location.hash = address; }", address)
            page.locator("#screen:not([aria-busy]) h1").wait_for()
            for button in presses:
                page.get_by_role("button", name=button, exact=True).click()
                page.wait_for_timeout(300)
            page.locator(ready).first.wait_for()
            page.wait_for_timeout(1500)
            page.screenshot(path=IMAGES / f"{name}.png")
        browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
