# Everything works from a bare clone with python3 >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow check format bench docs mutate fuzz clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("python3 >= 3.11 is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $(READY)

demo: $(READY)
	$(BIN)/bertillon demo

test: $(READY)  # every slow test has a fast twin among these
	$(BIN)/python -m pytest -n auto -m "not slow"

test-slow: $(READY)
	$(BIN)/python -m pytest -n auto -m slow

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)
	$(BIN)/python -m benchmarks

docs: $(READY)  # the site, in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

mutate: $(READY)  # change the code in small ways and see the tests notice
	$(BIN)/python tools/mutate.py

fuzz: $(READY)  # random and mangled files for every reader
	$(BIN)/python -m pytest -n auto fuzz

clean:
	rm -rf docs/_build mutants $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis demo-output
