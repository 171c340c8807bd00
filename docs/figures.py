"""Pictures of the gallery that belong to no window: an example's ``figure``, and the sentence of what was ``found``."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def scrape_figure(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figure that a block of an example left, once, and give the lines that show it."""
    names = block_vars["example_globals"]
    figure = names.pop("figure", None)
    if not isinstance(figure, Figure):
        return ""
    path = next(block_vars["image_path_iterator"])
    figure.savefig(path, dpi=100)
    return f"\n{names['found'].sentence}\n\n{figure_rst([path], gallery_conf['src_dir'])}"
