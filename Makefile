# From a fresh clone, with Python 3.11+ (and Java 17+ for Spark) and nothing else set up:
#
#   make nightly   in minutes: engines write files, read some files of every source; judge, report
#                  (PROFILE=nightly: write all tables with every engine, read them with every engine)
#   make site      build the site of all runs below HISTORY (out/), which `make nightly` or `colconf run` wrote, into SITE (out/site)
#   make test      run the tests, and name the ten slowest
#   make lint      ruff, mypy, and the tests of imports, words and pages
#   make clean     remove what the above made, results in out/ excepted
#
# Variables: PYTHON (the Python to build .venv from), OUT (results of nightly), HISTORY and SITE (of site), PROFILE (how much
# nightly tests: sample, quick, pr, nightly, deep), RUN_ARGS (further options of `colconf run`), PYTEST_ARGS, WORKERS
# (processes of the tests); from the environment, PARQUET_TEST_DATA and
# ORC_TEST_DATA (checkouts of published corpora).

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OUT ?= out/nightly
PROFILE ?= sample
# A sample has another seed each day, and is done in minutes: what an earlier day left is replaced.
RUN = $(BIN)/colconf run --profile $(PROFILE) --out "$(OUT)" $(if $(filter sample,$(PROFILE)),--overwrite) $(RUN_ARGS)
HISTORY ?= out
SITE ?= out/site
# Of two processes of tests, each waits for its engines a sixth of the time.
WORKERS ?= 3
# Tests that read the sources and the pages, and run nothing.
LINTS := $(patsubst %,harness/tests/test_%.py,layers words architecture readme)
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

# The first Python that is new enough and can build virtual environments.
USABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= python3.13 python3.12 python3.11 python3
FIND_PYTHON = for python in $(PYTHON); do \
	if "$$python" -c '$(USABLE)' >/dev/null 2>&1; then echo "$$python"; break; fi; done

.PHONY: help nightly site test lint clean
.DEFAULT_GOAL := help

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

# The run's exit status becomes make's failure, but only after the report was named.
nightly: $(STAMP)
	@echo "== what this machine has"
	@$(BIN)/colconf doctor || echo "(going on with what is there)"
	@echo '== $(RUN)'
	@status=0; $(RUN) || status=$$?; \
	if [ -f "$(OUT)/report.html" ]; then echo "report: $(abspath $(OUT))/report.html"; fi; \
	if [ $$status -eq 1 ]; then echo "exit status 1: there are findings, see the report"; fi; \
	exit $$status

# A history beside the runs has the files of their findings.
site: $(STAMP)
	@$(BIN)/colconf site "$(HISTORY)" --out "$(SITE)" $(addprefix --history ,$(patsubst %/,%,$(dir $(firstword $(wildcard \
		$(HISTORY)/history.ndjson $(HISTORY)/history/history.ndjson)))))

test: $(STAMP)
	@$(BIN)/python -m pytest -n $(WORKERS) --cov --cov-report=term:skip-covered --durations=10 $(PYTEST_ARGS)

lint: $(STAMP)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/python -m pytest -q $(LINTS)

clean:
	rm -rf $(VENV) .tox .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml $(BIN)/python
	@echo "== installing colconf, every engine and the tools for tests into $(VENV)"
	@$(PIP) install --quiet --editable '.[all,dev]'
	@touch $(STAMP)

$(BIN)/python:
	@python=$$($(FIND_PYTHON)); \
	if [ -z "$$python" ]; then \
		echo "colconf needs Python 3.11 or newer with the venv module; tried: $(PYTHON)." >&2; \
		echo "Install one (Debian and Ubuntu: apt-get install python3 python3-venv)," >&2; \
		echo "or name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; \
		exit 2; \
	fi; \
	echo "== making $(VENV) with $$($$python -V)"; \
	"$$python" -m venv --clear $(VENV)
