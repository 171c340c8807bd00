"""Pages from templates, which may include one another's parts: all pages of Sepal share one style."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from sepal.exceptions import MissingDependencyError


def _source(name: str) -> str:
    """The text of a template, named as room/file."""
    room, file = name.split("/")
    return files(room).joinpath("templates", file).read_text(encoding="utf-8")


def rendered(name: str, **words: Any) -> str:
    """A page as text; ``name`` is a template as room/file, and what is put into it is escaped."""
    jinja2 = _jinja2()
    loader = jinja2.FunctionLoader(_source)
    world = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=loader)
    return str(world.get_template(name).render(**words))


def as_markup(text: str) -> Any:
    """A text that is put into a page as it is: our own, in which foreign words are escaped already."""
    _jinja2()
    from markupsafe import Markup  # which comes with it

    return Markup(text)  # noqa: S704


def _jinja2() -> Any:
    try:
        import jinja2
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "the HTML report is made with jinja2, which is not installed", hint="pip install 'sepal-learn[app]'"
        ) from error
    return jinja2
