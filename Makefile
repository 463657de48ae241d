# Two commands need nothing but Python 3.11-3.13 and make: `make demo` and `make test`. Both work from any folder
# (make -C path/to/keras-attn demo) and create .venv on their first run.

ROOT := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
VENV := $(ROOT)/.venv
BIN := $(VENV)/bin

SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do $$p -c '$(SUPPORTED)' 2>/dev/null && echo $$p && break; done)

TWO_AT_A_TIME := -n 2 --dist worksteal
# On JAX these tests mostly compile: quickly, then, and each loop once, not once a test.
ON_JAX := KERAS_BACKEND=jax JAX_DISABLE_MOST_OPTIMIZATIONS=1 JAX_COMPILATION_CACHE_DIR="$(ROOT)/.pytest_cache/jax" \
	JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0 JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES=-1

.PHONY: demo test lint format clean

demo: $(VENV)/.installed
	cd "$(ROOT)" && "$(BIN)/keras-attn" demo configs/phrasebook.toml demo

test: $(VENV)/.installed-test lint
	cd "$(ROOT)" && "$(BIN)/python" -m pytest $(TWO_AT_A_TIME)
	cd "$(ROOT)" && $(ON_JAX) "$(BIN)/python" -m pytest $(TWO_AT_A_TIME) tests/layers tests/models tests/training/test_losses.py

lint: $(VENV)/.installed-test
	cd "$(ROOT)" && "$(BIN)/ruff" check . && "$(BIN)/ruff" format --check .

format: $(VENV)/.installed-test
	cd "$(ROOT)" && "$(BIN)/ruff" check --fix . && "$(BIN)/ruff" format .

clean:
	rm -rf "$(ROOT)/.venv" "$(ROOT)/demo" "$(ROOT)/.pytest_cache" "$(ROOT)/.ruff_cache"

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "keras-attn needs Python 3.11, 3.12 or 3.13; none was found. Name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	"$(PYTHON)" -m venv "$(VENV)"

$(VENV)/.installed: $(ROOT)/pyproject.toml | $(BIN)/python
	"$(BIN)/python" -m pip install --quiet --disable-pip-version-check --editable "$(ROOT)"
	@touch "$@"

$(VENV)/.installed-test: $(ROOT)/pyproject.toml | $(BIN)/python
	"$(BIN)/python" -m pip install --quiet --disable-pip-version-check --editable "$(ROOT)[test]"
	@touch "$@"
