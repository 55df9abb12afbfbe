# Two commands on a fresh machine: `make demo` and `make test`. Each sets up .venv first.
PYTHON ?= python3.11
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test coverage check lint types layers bench assurance format vectors clean
.DEFAULT_GOAL := check

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

demo: $(STAMP)  ## the main job, told as a story
	$(BIN)/tally demo

test: $(STAMP)  ## every test
	$(BIN)/python -m pytest -q -n 2

coverage: $(STAMP)  ## the tests, and what they leave out
	$(BIN)/python -m pytest -q -n 2 --cov --cov-report=term:skip-covered --cov-fail-under=98

check: lint types layers test  ## what CI runs

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

bench: $(STAMP)  ## figures for docs/benchmarks.md, in about 25 minutes
	$(BIN)/python -m tools.dev.bench --write

assurance: $(STAMP)  ## the long tests whole; writes docs/assurance.md
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[fuzz]'
	$(BIN)/python -m tools.dev.assurance --write

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

vectors: $(STAMP)  ## write tests/vectors again
	$(BIN)/python -m tools.dev.vectors

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
