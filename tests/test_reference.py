"""The reference names everything that is public, grouped by question, and leads from each name to others."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import sepal

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def pages():
    """The modules that write the reference."""
    sys.path.insert(0, str(DOCS))
    try:
        return import_module("reference"), import_module("see_also")
    finally:
        sys.path.remove(str(DOCS))


def test_every_room_is_under_a_question(pages):
    asked = [room for rooms in pages[0].QUESTIONS.values() for room in rooms]
    silent = {room.name for room in iter_modules(sepal.__path__)} - {*asked, "cli", "_native"}
    assert not [room for room in silent if getattr(import_module(f"sepal.{room}"), "__all__", ())]


def test_functions_say_what_goes_in_and_what_comes_out(pages):
    for name, (_, thing) in pages[1].public_names().items():
        if inspect.isfunction(thing):
            told = inspect.getdoc(thing)
            assert "\nReturns\n---" in told or "\nYields\n---" in told, name
            assert not inspect.signature(thing).parameters or "\nParameters\n---" in told, name


def test_classes_say_what_they_take_or_hold(pages):
    classes = {name: thing for name, (_, thing) in pages[1].public_names().items() if inspect.isclass(thing)}
    assert len(classes) > 80
    for name, thing in classes.items():
        if not issubclass(thing, BaseException):
            told = inspect.getdoc(thing)
            assert "\nParameters\n---" in told or "\nAttributes\n---" in told, name


def _named(thing, section):
    """The names in a section of a docstring; ``first, second : str`` are two."""
    found = re.search(rf"^{section}\n-+\n(.*?)(?:\n\n[A-Z]|\Z)", inspect.getdoc(thing), re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", found.group(1), re.MULTILINE) if found else []
    return {name for line in lines for name in line.split(", ")}


def test_what_a_result_is_said_to_hold_is_there(pages):
    for name, (_, thing) in pages[1].public_names().items():
        if inspect.isclass(thing) and is_dataclass(thing):
            there = {each.name for each in fields(thing)} | set(dir(thing))
            assert _named(thing, "Attributes") <= there, name
            assert _named(thing, "Parameters") <= there, name


def test_every_picture_is_drawn_on_given_axes(pages):
    several = {"Projections", "SelectionFacts", "SeparabilityReport"}
    asked = 0
    for name, (_, thing) in pages[1].public_names().items():
        pictures = dict(inspect.getmembers(thing, inspect.isfunction)) if inspect.isclass(thing) else {name: thing}
        for picture, draw in pictures.items():
            if picture == "plot" or picture.startswith(("plot_", "draw_")):
                wanted = "axes" if name in several else "ax"
                assert inspect.signature(draw).parameters[wanted].default is None, f"{name}.{picture}"
                asked += 1
    assert asked >= 40


def test_every_name_leads_to_others(pages):
    known = pages[1].public_names()
    assert len(known) > 190
    for name in known:
        beside = pages[1].related(name)
        assert beside, name
        assert name not in beside
        assert len(beside) <= pages[1].MOST
    assert pages[1].related("ThorntonTest")[0] == "thornton_test"
    assert {"ThorntonTest", "thornton_score"} <= set(pages[1].related("thornton_test"))


def test_families_name_what_exists(pages):
    assert not {name for family in pages[1].FAMILIES for name in family} - set(pages[1].public_names())
