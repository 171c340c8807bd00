"""The Explorer as its user sees it: a server in its own process and a real browser that presses the keys.

There is no peer here; the goals are times on two cores without a graphics card. A step is timed inside the page, from
the key to the frame after the new map was drawn.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
COMMAND = [sys.executable, "-c", "from sepal.cli import main; main()", "explore", "--no-browser", "--port", "0"]
PAGE = Path(__file__).parents[2] / "src" / "sepal" / "explore" / "page"
# Press a key on the slider and wait for the frame after the map of the new k.
STEP = """async (key) => {
  const slider = document.querySelector("input[type=range]"), shown = document.querySelector("#screen > div");
  const wanted = String(Number(slider.value) + (key === "up" ? 1 : -1));
  const begin = performance.now();
  slider.value = wanted;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  while (shown.dataset.k !== wanted) await new Promise((next) => setTimeout(next, 0));
  await new Promise((next) => requestAnimationFrame(next));
  return performance.now() - begin;
}"""
# Move the slider at every frame for two seconds, and count the different maps that were shown.
DRAG = """async () => {
  const slider = document.querySelector("input[type=range]"), shown = document.querySelector("#screen > div");
  const begin = performance.now();
  let maps = 0, last = shown.dataset.k, at = 1;
  while (performance.now() - begin < 2000) {
    slider.value = String((at++ % 45) + 1);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((next) => requestAnimationFrame(next));
    if (shown.dataset.k !== last) { maps++; last = shown.dataset.k; }
  }
  return maps / ((performance.now() - begin) / 1000);
}"""
# Draw the points alone, and read a pixel so that the drawing has really happened.
POINTS = """async (many) => {
  const { placesOf, drawPlaces } = await import("/page/draw/points.js");
  const { theme } = await import("/page/draw/marks.js");
  const { canvasPen } = await import("/page/draw/pen.js");
  const x = Float64Array.from({ length: many }, Math.random), y = Float64Array.from({ length: many }, Math.random);
  const places = placesOf(x, y, Int32Array.from(x, (_, i) => i % 3));
  const canvas = document.createElement("canvas");
  canvas.width = 900; canvas.height = 700;
  const ctx = canvas.getContext("2d");
  const times = [];
  for (let i = 0; i < 9; i++) {
    const begin = performance.now();
    drawPlaces(canvasPen(ctx), places, { ax: 900, bx: 0, ay: -700, by: 700, width: 900, height: 700 }, theme(), 1);
    ctx.getImageData(0, 0, 1, 1);
    times.push(performance.now() - begin);
  }
  return times;
}"""
# Step to another row with an arrow key, and wait for the frame after its table of neighbours.
CLICK = """async (key) => {
  const canvas = [...document.querySelectorAll("canvas.over")].at(-1);
  const shown = () => document.querySelector("table[aria-label^='neighbours of']");
  const before = shown();
  const begin = performance.now();
  canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  while (shown() === before) await new Promise((next) => setTimeout(next, 0));
  await new Promise((next) => requestAnimationFrame(next));
  return performance.now() - begin;
}"""


@contextmanager
def _served(*data: str) -> Iterator[str]:
    process = subprocess.Popen(
        [*COMMAND, *data], stdout=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "200"}
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "#token=" in line:
                yield line.strip()
                break
    finally:
        process.terminate()
        process.communicate()


def _made(path: Path, n: int, p: int) -> str:
    """Two overlapping normal classes as CSV."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    rows = np.column_stack([rng.normal(size=(n, p)) + 0.8 * y[:, None], y])
    header = ",".join([*(f"x{j}" for j in range(p)), "class"])
    np.savetxt(path, rows, delimiter=",", header=header, comments="", fmt=["%.6g"] * p + ["%d"])
    return str(path)


def _tell(name: str, value: float, goal: float, *, unit: str = "ms", at_least: bool = False) -> None:
    reached = value >= goal if at_least else value < goal
    bound = "at least" if at_least else "under"
    print(f"  {name:<44}{value:9.1f} {unit}; goal {bound} {goal:g} {unit}: {'reached' if reached else 'MISSED'}")


def _steps(page: Any, name: str, steps: int) -> None:
    page.wait_for_function("() => document.querySelector('#screen > div')?.dataset.k !== undefined", timeout=120_000)
    times = [page.evaluate(STEP, "up" if i < steps // 2 else "down") for i in range(steps)][2:]
    _tell(f"{name}: key to map, median", statistics.median(times), 60)
    _tell(f"{name}: key to map, 95th percentile", float(np.percentile(times, 95)), 100)
    _tell(f"{name}: maps a second in a drag", page.evaluate(DRAG), 20, unit="/s", at_least=True)
    clicks = [page.evaluate(CLICK, "ArrowLeft" if i % 2 else "ArrowRight") for i in range(9)]
    _tell(f"{name}: row chosen to neighbour table", statistics.median(clicks), 100)


def run(data_folder: Path | None, *, steps: int = 40, rows: int = 20_000) -> None:
    """Drive the browser; ``data_folder`` is not needed."""
    from playwright.sync_api import sync_playwright

    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        print("\nthe Explorer: no Chromium here")
        return
    print(f"\nthe Explorer in Chromium, load {os.getloadavg()[0]:.1f}")
    size = sum(each.stat().st_size for each in PAGE.rglob("*") if each.suffix in (".html", ".js", ".css", ".svg"))
    _tell("the page in all", size / 1000, 300, unit="KB")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        with _served("breast-cancer") as link:
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            begin = time.perf_counter()
            page.goto(link, wait_until="commit")
            page.locator("section.column").first.wait_for()
            ready = 1000 * (time.perf_counter() - begin)
            paint = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN")
            _tell("first paint", paint, 500)
            _tell("ready, the columns are shown", ready, 1000)
            _tell("100,000 points drawn, median", statistics.median(page.evaluate(POINTS, 100_000)), 60)
            page.evaluate("() => { location.hash = '#/neighbors?data=breast-cancer&k=5'; }")
            _steps(page, "breast-cancer", steps)
        with _served(_made(Path(folder) / "rows.csv", rows, 10)) as link:
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.goto(link)
            page.locator("section.column").first.wait_for(timeout=120_000)
            page.evaluate("() => { location.hash = '#/neighbors?data=file-1&k=5&x=x0&y=x1'; }")
            _steps(page, f"{rows:,} x 10", steps)
        browser.close()
