# One command each: every target first sets up what it needs, in .venv, and only when something changed.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(VENV)/.core
DEV    := $(VENV)/.dev
ORACLE := build/pycanon
ARGS   ?=
CPUS   ?= x86-64-v4 x86-64-v3
# make newcomer CPUS=highest compiles nothing anew: code for this machine is there since make setup.

# OpenMP threads that spin while they wait take a busy machine away from everyone else.
export OMP_WAIT_POLICY := passive
# Bytecode is kept, whatever the machine says: each of the many processes of a run would make it anew.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export VIRTUAL_ENV := $(CURDIR)/$(VENV)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo docs quick test soak repeat pace oracle check format schema bench experiments constraints lock wheel newcomer datasets ready clean

help:  ## show what there is
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

setup: $(DEV)  ## install everything for development into .venv

demo: $(if $(wildcard $(DEV)),$(DEV),$(CORE))  ## show what Shoal does, on invented patients (installs the core alone)
	@$(BIN)/shoal demo

quick: $(DEV)  ## run the quick tests, while you work: most of all, in a minute or so
	@$(BIN)/python -m pytest -n 3 --dist worksteal -m 'not slow' $(ARGS)

test: $(DEV)  ## run all tests; ARGS='-k mondrian' passes options on
	@$(BIN)/python -m pytest -n 3 --dist worksteal $(ARGS)

soak: $(DEV)  ## attack it with random cases for an hour; ARGS='--hours 0.1 --seed 7' for six minutes
	@cd tests && ../$(BIN)/python -m soak $(ARGS)

repeat: $(DEV)  ## repeat the tests with processes, browsers, servers and noise; ARGS='--times 20'
	@$(BIN)/python tests/repeat.py $(ARGS)

pace: $(DEV)  ## measure which tests are slow, into tests/slow_tests.txt; needs a quiet machine
	@$(BIN)/python -m pytest -n 0 --measure-pace $(ARGS)

oracle: $(ORACLE)/.pycanon  ## install pyCANON, which one test asks for a second opinion, into build/pycanon

check: $(DEV)  ## format, lint, types and layers, without running anything
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: $(DEV)  ## put every file into shape, and write what is made from the table of options
	@$(BIN)/python -m tools.write_options
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

schema: $(DEV)  ## write the JSON Schemas of certificates into docs/reference
	@$(BIN)/python -m shoal.cli.schemas docs/reference

docs: $(DEV)  ## build the documentation site into build/site, strictly and without asking anyone
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build
	@echo "built: build/site/index.html"

bench: $(DEV)  ## speed and loss beside the peers; ARGS='--quick' for a short run
	@$(BIN)/python -m benchmarks.run $(ARGS)

experiments: $(DEV)  ## rerun what the founding papers measured, into docs/results; ARGS='last_2014 --claim rules' for one claim
	@$(BIN)/python -m experiments $(ARGS)

constraints: $(BIN)/uv  ## choose the newest versions of all dependencies anew, with their hashes
	@$(call lock,--upgrade)

lock: $(BIN)/uv  ## write the hashes of dependencies that were added to pyproject.toml; the others keep their versions
	@$(call lock,)

# One for this Python and kind of machine, with compiled code, and one for all others, without.
wheel: $(if $(wildcard $(DEV)),$(DEV),$(CORE))  ## build the wheels, with and without compiled code, and bills of materials into dist
	@rm -rf dist build/shipped
	@for cpu in $(CPUS); do SHOAL_CPU=$$cpu $(BIN)/python -m tools.ship_kernels build/shipped || exit; done
	@SHOAL_SHIPPED=build/shipped $(BIN)/python -m hatchling build -t wheel -d dist
	@$(BIN)/python -m hatchling build -t wheel -d dist
	@$(BIN)/python -m tools.write_sbom dist

newcomer: $(DEV) wheel  ## try the wheel as a newcomer does: an empty environment, import, demo, types
	@$(BIN)/python -m tools.newcomer dist

ready:  ## check what a release needs: version, changelog, addresses
	@$(PYTHON) -m tools.check_ready

datasets: $(if $(wildcard $(DEV)),$(DEV),$(CORE))  ## build the wheel of the public tables into dist/datasets
	@rm -rf dist/datasets
	@cd datasets && ../$(BIN)/python -m hatchling build -t wheel -d ../dist/datasets

clean:  ## remove .venv and everything that tools leave behind
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
	find src tests benchmarks experiments -name __pycache__ -type d -prune -exec rm -rf {} + 2> /dev/null || true

# Locks have one entry for each version, with the hashes of all its files, for every system and Python.
define lock
	for extra in '--extra=dev --output-file=constraints.txt' '--constraints=constraints.txt --output-file=constraints-core.txt'; do \
	    $(BIN)/uv pip compile --system-certs --quiet $(1) --universal --python-version 3.11 pyproject.toml --group build \
	        --generate-hashes --no-header --no-annotate --no-emit-index-url $$extra > /dev/null || exit; \
	done
endef

# Files that have no hash in the lock are refused; ours is then built from here without asking anyone.
# uv installs three times as fast as pip; where it can't be had or can't reach the packages, pip does the same.
define install
	@echo "Installing what $(1) names into $(VENV)" >&2
	@{ [ -x $(BIN)/uv ] && $(BIN)/uv pip install --quiet --system-certs --require-hashes -r $(1) $(2) \
	    && $(BIN)/uv pip install --quiet --no-deps --no-build-isolation -e .; } \
	    || { $(BIN)/python -m pip install --quiet --require-hashes -r $(1) \
	    && $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --no-index -e .; }
endef

$(CORE): pyproject.toml constraints-core.txt | $(BIN)/python
	$(call install,constraints-core.txt)
	@touch $@

$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	$(call install,constraints.txt,--compile-bytecode)
	@$(BIN)/python -m shoal.cli.warm
	@touch $(CORE) $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "Shoal needs Python 3.11 or later, and $(PYTHON) is: $$($(PYTHON) --version 2>&1)" >&2; \
	    echo "  try: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@sed -n '/^uv==/,/[^\\]$$/p' constraints.txt > $(VENV)/uv.txt
	@$(BIN)/python -m pip install --quiet --require-hashes -r $(VENV)/uv.txt \
	    || echo "uv is not to be had: going on with pip" >&2

$(BIN)/uv: | $(BIN)/python

# It pins old versions of what we use ourselves, so it lives apart and is called as a program.
$(ORACLE)/.pycanon: | $(BIN)/python
	@echo "Installing pyCANON into $(ORACLE)" >&2
	@$(BIN)/python -m venv $(ORACLE)
	@{ [ -x $(BIN)/uv ] && $(BIN)/uv pip install --quiet --system-certs --python $(ORACLE)/bin/python pycanon==1.3.6; } \
	    || $(ORACLE)/bin/python -m pip install --quiet pycanon==1.3.6
	@touch $@
