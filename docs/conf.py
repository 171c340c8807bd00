"""Sphinx: how the pages of ``docs`` become a site. ``make docs`` builds it; a warning is an error."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for the modules beside this one

from benchmark_page import write_benchmarks  # noqa: E402
from command import write_command  # noqa: E402
from reference import write_reference  # noqa: E402
from see_also import add_see_also  # noqa: E402

project = "Sepal"
project_copyright = "the Sepal developers"
release = version = installed_version("sepal-learn")
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "mathml",  # beside this file
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
_OF_SCIKIT_LEARN = (  # told of there
    "get_metadata_routing", "get_params", "set_fit_request", "set_output", "set_params", "set_partial_fit_request",
    "set_predict_request", "set_score_request", "set_transform_request",
)  # fmt: skip
autodoc_default_options = {"exclude-members": ", ".join(_OF_SCIKIT_LEARN)}
autodoc_typehints = "none"  # the docstrings tell the types
sphinx_gallery_conf = {  # every example is run; one that fails ends the build
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 30,
    "capture_repr": (),
    "image_scrapers": ("matplotlib", "figures.scrape_figure"),
    "write_computation_times": False,  # these pages would load scripts from elsewhere
}
exclude_patterns = ["examples"]
templates_path = ["_templates"]
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "Sepal"
html_show_sourcelink = False
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False}

write_reference(HERE / "reference.md")
write_command(HERE / "command.md")
write_benchmarks(HERE / "benchmarks.md")


def setup(app: Any) -> None:
    """Every public name gets its "See also" before numpydoc reads the docstring."""
    app.connect("autodoc-process-docstring", add_see_also, priority=100)
