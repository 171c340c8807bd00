"""What import-linter cannot see: the compiled module has few doors, and no file grows into a second idea."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src" / "sepal"

# The only files that may open the native module, one per native family.
DOORS = {
    "auto/_forest.py",
    "data/_cell_copies.py",
    "data/_equal_rows.py",
    "data/_text_codes.py",
    "learners/_moving_window.py",
    "mail/_cases.py",
    "machines/_dual/_solvers.py",
    "measures/_alignment.py",
    "measures/_label_shuffles.py",
    "neighbors/_kept_tree.py",
    "neighbors/_planner.py",
    "neighbors/_search.py",
    "neighbors/_sparse_index.py",
    "neighbors/_spread.py",
    "prototypes/_condense.py",
    "selection/_sweep.py",
}


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_only_the_named_doors_open_the_native_module():
    users = {str(p.relative_to(SOURCES)) for p in SOURCES.rglob("*.py") if "sepal._native" in _imports(p)}
    assert users == DOORS


def test_no_grab_bag_modules():
    names = {p.stem.strip("_") for p in SOURCES.rglob("*.py")}
    assert not names & {"utils", "util", "core", "common", "helpers", "helper", "misc"}


def test_no_module_is_longer_than_can_be_read_at_once():
    lengths = {
        str(p.relative_to(SOURCES)): len(p.read_text(encoding="utf-8").splitlines()) for p in SOURCES.rglob("*.py")
    }
    assert [name for name, lines in lengths.items() if lines > 400] == []


def test_every_room_says_what_it_is():
    for room in (p.parent for p in SOURCES.rglob("__init__.py")):
        doc = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
        assert doc, f"{room.name}/__init__.py has no docstring"


NATIVE = SOURCES.parent.parent / "native"


def test_every_parallel_region_is_a_parallel_for():
    """OpenMP regions ended the process when memory ran out, and hung after fork(); these loops do neither."""
    foreign = re.compile(
        r"#\s*pragma\s+omp\s+(?!simd\b)|_Pragma|omp\.h|std::(jthread|thread|async)\b|\bpthread_create\b"
    )
    users = {path.name for path in NATIVE.iterdir() if foreign.search(path.read_text(encoding="utf-8"))}
    assert users == {"bindings.hpp", "parallel.cpp"}  # the first asks how many cores there are


def test_native_code_is_called_by_keyword():
    """Up to 19 arguments, many of one type: by position two of them could change places unseen."""
    for door in DOORS:
        for node in ast.walk(ast.parse((SOURCES / door).read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if ast.unparse(node.func.value).split(".")[-1] in ("_native", "native"):  # the module, or an object of it
                assert len(node.args) < 2, f"{door}:{node.lineno}"


def test_native_answers_of_many_parts_have_names():
    """Three values may be unpacked; where there are more, two of one type could change places unseen."""
    makers = re.compile(r"nb::make_tuple\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")
    for path in NATIVE.glob("bind*"):
        text = path.read_text(encoding="utf-8")
        assert text.count("nb::make_tuple(") == len(makers.findall(text)), path.name
        for parts in makers.findall(text):
            flat = re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", parts)
            assert flat.count(",") < 3, f"{path.name}: {parts}"


def test_native_functions_take_keywords_only():
    """Every argument has a name in its binding, and stands behind ``kw_only``."""
    for path in NATIVE.glob("bind*.cpp"):
        for call in re.split(r"\bm?\.def\(", path.read_text(encoding="utf-8"))[1:]:
            if "nb::arg(" in call:
                assert "nb::kw_only()" in call[: call.index("nb::arg(")], f"{path.name}: {call[:60]}"


# One place each for what rooms wrote again and again: the text that gives such a copy away, and where it may stand.
ONE_PLACE = {
    r"np\.unique\([^\n]*axis=": set(),  # equal rows: sepal.data.row_groups, sorted_groups
    r"np\.void\b": {"data/_equal_rows.py"},  # rows by their bits: bit_order
    r"(?i)0xBF58476D1CE4E5B9|0x94D049BB133111EB": set(),  # splitmix64: mixed_bits
    r"blake2b\(str\(": {"data/_equal_rows.py"},  # levels as numbers: row_marks
    r"StratifiedShuffleSplit|import resample": set(),  # samples by class: draw_by_class, sample_by_class
    r"\[[^\n]*\.choice\([^\n]*\bfor\b": {"data/_sampling.py"},
    r"lambda \w*(, \w+)?: None": set(),  # nobody listens: sepal.progress.silent
    r"def \w*plural\w*\(|'s' if |\"s\" if ": {"data/_error_words.py"},
    r"def _?p_(text|phrase)\(": {"data/_error_words.py"},
    r"def \w*softmax\w*\(|np\.exp\([^\n]* - [^\n]*\.max\(": set(),  # scipy.special.softmax
    r"def squared_distances\(": {"kernels/_squared_distances.py"},
}


@pytest.mark.parametrize("telltale", ONE_PLACE)
def test_one_mechanism_for_one_thing(telltale):
    """Seven groupings of equal rows, three hashes and four samplers had begun to disagree."""
    users = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(telltale, path.read_text(encoding="utf-8"))
    }
    assert users == ONE_PLACE[telltale]


def test_every_native_header_says_in_one_line_what_it_does():
    for header in NATIVE.glob("*.hpp"):
        assert header.read_text(encoding="utf-8").startswith("/// @brief "), header.name


def test_parameters_are_checked_in_one_place():
    """Whether a number is no truth value is asked by ``sepal.parameters``; elsewhere only of cells and contents."""
    asking = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(r"isinstance\([^)]*\bbool", path.read_text(encoding="utf-8"))
    }
    assert asking == {
        "parameters.py",
        "cli/_mail_exchange.py",  # a line of a file
        "data/_columns.py",  # the key of a column
        "data/_labels.py",  # labels
        "data/_same_labels.py",  # of two sources
        "distances/_mixed.py",  # the key of a column
        "estimators/_field_types.py",  # what a model file holds
        "estimators/_saving.py",
        "estimators/_scikit_learn_steps.py",
        "estimators/_shell.py",  # levels
        "evaluation/_scorers.py",  # what a scorer gives
        "report/_shown.py",  # a fact as JSON
    }


def test_no_room_opens_a_private_module_of_another():
    """What a room gives to others stands in its ``__init__``: in ``__all__`` for users, or as ``x as x`` for rooms."""
    private = re.compile(r"sepal\.(\w+)\._\w+")
    found = {
        f"{path.relative_to(SOURCES)}: {name}"
        for path in SOURCES.rglob("*.py")
        for name in _imports(path)
        if (inside := private.match(name)) and inside[1] != path.relative_to(SOURCES).parts[0]
    }
    assert not found


TESTS = Path(__file__).parent
GENERATORS = {"default_rng", "RandomState", "Generator", "Random", "check_random_state"}


def _run_by_import(node: ast.AST) -> Iterator[ast.AST]:
    """All that runs when a module is imported: of functions their decorators and defaults, not what stands in them."""
    match node:
        case ast.Lambda(args=args) | ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
            outside = [*getattr(node, "decorator_list", []), *args.defaults, *filter(None, args.kw_defaults)]
        case _:
            yield node
            outside = list(ast.iter_child_nodes(node))
    for each in outside:
        yield from _run_by_import(each)


def test_no_module_of_tests_holds_a_random_generator():
    """Whoever draws from one changes what the next test sees: ask for the fixture ``rng``, or for ``tests.drawn``."""
    found = [
        f"{path.relative_to(top)}:{node.lineno}"
        for top in (SOURCES, TESTS, TESTS.parent / "benchmarks")
        for path in top.rglob("*.py")
        for node in _run_by_import(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) in GENERATORS
    ]
    assert not found


def _own_statements(node):
    """What stands in a function, without the functions in it."""
    for each in ast.iter_child_nodes(node):
        if not isinstance(each, (ast.FunctionDef, ast.Lambda)):
            yield each
            yield from _own_statements(each)


def test_no_test_ends_before_its_asserts():
    """A silent ``return`` stands for a parameter: whoever reads that all tests passed does not know what was asked."""
    found = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in TESTS.rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and any(isinstance(each, ast.Return) for each in _own_statements(node))
    ]
    assert not found


# What every module of sepal.reproduce that is an experiment has.
EXPERIMENT = {"FULL", "QUICK", "run", "draw"}


def _defined(path: Path) -> dict[str, str]:
    """The public names of a module with what each is: its kind, or of a constant or an alias what it stands for."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = type(node).__name__
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
            found |= dict.fromkeys(names, ast.unparse(node.value))
    shape = EXPERIMENT if re.fullmatch(r"_[a-e]\d_\w+", path.stem) else set()
    return {name: what for name, what in found.items() if not name.startswith("_") and name not in shape}


def test_two_rooms_never_give_one_name_to_two_things():
    """A constant stands in one module only; ``Array`` and the like are the same type wherever they stand."""
    homes: dict[str, dict[str, str]] = {}
    for path in SOURCES.rglob("*.py"):
        for name, what in _defined(path).items():
            homes.setdefault(name, {})[str(path.relative_to(SOURCES))] = what
    shared = {
        name: sorted(where)
        for name, where in homes.items()
        if len(where) > 1 and (name.isupper() or len(set(where.values())) > 1 or "Def" in next(iter(where.values())))
    }
    # verbs are called after what they do
    assert shared == {
        "evaluate": ["cli/_evaluate.py", "evaluation/_evaluate.py"],
        "reproduce": ["cli/_reproduce.py", "reproduce/_reproduce.py"],
    }
