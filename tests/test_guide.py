"""The Python of the guide runs, page by page, and prints what the page says where it says so."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

GUIDE = Path(__file__).parent.parent / "docs" / "guide"
PAGES = [page for page in sorted(GUIDE.glob("*.md")) if "```python" in page.read_text(encoding="utf-8")]


def test_the_index_names_every_page():
    index = (GUIDE / "index.md").read_text(encoding="utf-8").splitlines()
    assert {page.stem for page in GUIDE.glob("*.md")} - {"index"} == {
        line for line in index if (GUIDE / f"{line}.md").is_file()
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page):
    names: dict[str, object] = {"__name__": page.stem}
    for code in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, str(page), "exec"), names)  # noqa: S102 - our own pages
        if "print(" in code:
            assert printed.getvalue().strip()


@pytest.mark.parametrize("page", sorted(GUIDE.glob("*.md")), ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if link.startswith("../gallery/"):
            folder, name = re.fullmatch(r"../gallery/(\w+)/images/sphx_glr_(plot_\w+)_001.png", link).groups()
            assert (GUIDE.parent / "examples" / folder / f"{name}.py").is_file(), link
        elif not link.startswith("http"):
            assert (page.parent / link).exists(), link
