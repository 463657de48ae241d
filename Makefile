# `make demo`, `make test`, `make wheel` and `make docs` need nothing but Python 3.11-3.13 and make. They work from any folder
# (make -C path/to/keras-attn demo) and create .venv on their first run.

ROOT := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
VENV := $(ROOT)/.venv
BIN := $(VENV)/bin

SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do $$p -c '$(SUPPORTED)' 2>/dev/null && echo $$p && break; done)

# The linter alone, in the range that pyproject.toml gives: `make lint` is no reason to install TensorFlow.
LINTER := import sys, tomllib; print(*tomllib.load(open(sys.argv[1], "rb"))["project"]["optional-dependencies"]["lint"])

# Of every package the version that was tested, of those that build ours as well (newer pips read a variable of its own for them).
PIP := cd "$(ROOT)" && PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	"$(BIN)/python" -m pip --quiet --disable-pip-version-check

IN_PARALLEL := -n auto --maxprocesses 8 --dist worksteal  # one a core, 2 GB each
# What trains, exports or compiles whole models, drives a browser or runs notebooks stays out of `make check`.
WITHOUT_SLOW_ONES := -m "not slow" --ignore tests/export --ignore tests/web --ignore tests/test_notebooks.py
# On JAX these tests mostly compile: quickly, then, and each loop once, not once a test.
ON_JAX := KERAS_BACKEND=jax JAX_DISABLE_MOST_OPTIMIZATIONS=1 JAX_COMPILATION_CACHE_DIR="$(ROOT)/.pytest_cache/jax" \
	JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0 JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES=-1

# What must run on every backend. On torch it is kept short, and skipped where there is no torch, unless it is required.
ANY_BACKEND := tests/layers tests/models tests/training/test_losses.py
NO_TORCH := echo "torch is not installed, so nothing was tested on it: .venv/bin/pip install 'keras-attn[torch]'"

# The web page: the packaged exports, unless others are named (make web MODELS="runs/mine/litert-int8 ...").
WEB := $(ROOT)/export/web
WEB_PACKAGES := $(WEB)/node_modules/.package-lock.json
PACKAGED := $(wildcard $(ROOT)/saved_models/*-litert)
MODELS ?= $(filter %-en-es-litert,$(PACKAGED)) $(filter-out %-en-es-litert,$(PACKAGED))
PORT ?= 8000

.PHONY: demo check test bench lint format wheel docs clean web web-packages

demo: $(VENV)/.installed
	cd "$(ROOT)" && "$(BIN)/keras-attn" demo configs/phrasebook.toml demo

check: $(VENV)/.installed-test lint
	cd "$(ROOT)" && "$(BIN)/python" -m pytest $(IN_PARALLEL) $(WITHOUT_SLOW_ONES)

test: $(VENV)/.installed-test lint $(if $(shell command -v npm),web-packages)
	cd "$(ROOT)" && "$(BIN)/python" -m pytest $(IN_PARALLEL)
	cd "$(ROOT)" && $(ON_JAX) "$(BIN)/python" -m pytest $(IN_PARALLEL) $(ANY_BACKEND)
	@if "$(BIN)/python" -c "import torch" 2>/dev/null || test -n "$$KERAS_ATTN_TORCH_TESTS"; then cd "$(ROOT)" && \
		KERAS_BACKEND=torch "$(BIN)/python" -m pytest $(IN_PARALLEL) -m "not slow" $(ANY_BACKEND) tests/search; else $(NO_TORCH); fi

lint: $(VENV)/.installed-lint
	cd "$(ROOT)" && "$(BIN)/ruff" check . && "$(BIN)/ruff" format --check . && "$(BIN)/codespell" && "$(BIN)/python" docs/prose.py

# The package and its trained models in one file, for `pip install` elsewhere.
wheel: $(BIN)/python
	$(PIP) wheel --no-deps --wheel-dir dist .
	@ls "$(ROOT)"/dist/*.whl

# The documentation site; a link that leads nowhere and a name without a docstring are errors. `make test` runs the pages' code.
docs: $(VENV)/.installed-test
	cd "$(ROOT)" && "$(BIN)/python" docs/build.py build/docs
	cd "$(ROOT)" && "$(BIN)/python" -m pytest -q tests/docs -m "not slow"

# Speeds beside those of others, some 25 minutes. The competitors get environments of their own.
BENCH := $(ROOT)/build/bench
JOEY := $(ROOT)/build/joey

bench: $(BENCH)/.installed $(JOEY)/.installed
	cd "$(ROOT)" && "$(BENCH)/bin/python" benchmarks/bench.py --joeynmt "$(JOEY)/bin/python" --json build/bench.json

$(BENCH)/.installed: $(ROOT)/pyproject.toml $(ROOT)/constraints.txt
	"$(PYTHON)" -m venv "$(BENCH)"
	cd "$(ROOT)" && PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
		"$(BENCH)/bin/python" -m pip install --quiet --disable-pip-version-check --editable . ai-edge-litert ctranslate2
	@touch "$@"

$(JOEY)/.installed:
	"$(PYTHON)" -m venv "$(JOEY)"
	"$(JOEY)/bin/python" -m pip install --quiet --disable-pip-version-check torch joeynmt importlib_metadata sentencepiece==0.2.0
	@touch "$@"

format: $(VENV)/.installed-lint
	cd "$(ROOT)" && "$(BIN)/ruff" check --fix . && "$(BIN)/ruff" format .

web: web-packages
	@test -n "$(strip $(MODELS))" || { echo "no model is packaged here: name exports, make web MODELS=\"folder ...\"" >&2; exit 1; }
	node "$(WEB)/build.mjs" "$(ROOT)/build/web" $(MODELS)
	"$(PYTHON)" "$(WEB)/serve.py" "$(ROOT)/build/web" $(PORT)

web-packages: $(WEB_PACKAGES)

clean:
	rm -rf "$(ROOT)/.venv" "$(ROOT)/build" "$(ROOT)/dist" "$(WEB)/node_modules" "$(ROOT)/demo" "$(ROOT)/.pytest_cache" "$(ROOT)/.ruff_cache"

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "keras-attn needs Python 3.11, 3.12 or 3.13; none was found. Name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	"$(PYTHON)" -m venv "$(VENV)"

$(VENV)/.installed: $(ROOT)/pyproject.toml $(ROOT)/constraints.txt | $(BIN)/python
	$(PIP) install --editable .
	@touch "$@"

$(VENV)/.installed-test: $(ROOT)/pyproject.toml $(ROOT)/constraints.txt | $(BIN)/python
	$(PIP) install --editable ".[test]"
	@touch "$@"

$(VENV)/.installed-lint: $(ROOT)/pyproject.toml $(ROOT)/constraints.txt | $(BIN)/python
	$(PIP) install $$("$(BIN)/python" -c '$(LINTER)' pyproject.toml)
	@touch "$@"

$(WEB_PACKAGES): $(WEB)/package-lock.json
	@command -v npm >/dev/null || { echo "the web page is built with Node.js 20 or newer: install it, with npm" >&2; exit 1; }
	cd "$(WEB)" && npm ci --loglevel=error
	@touch "$@"
