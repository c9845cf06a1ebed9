# `make run` and `make test` are all that is needed on a fresh machine with Python 3.11 or newer.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# Worker processes of the tests: as many as cores.
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# Tests start hundreds of processes: compiled modules are kept, also where the environment says otherwise.
export PYTHONDONTWRITEBYTECODE :=
# What `make run` installs: every package pinned by the hashes of its files. Where a registry builds its own files, say LOCK=requirements.txt.
LOCK ?= requirements.lock
# Most modules that tests bring along are never imported, and to compile them all takes two minutes: Python compiles those that are.
TEST_PIP := --quiet --disable-pip-version-check --no-compile
PYTEST := $(BIN)/python -m pytest tests --ignore=tests/benchmarks

.PHONY: run test prepared all-tests soak benchmark load hostile fuzz docs screenshots samples licences quick lint lock programs peers clean

run: $(VENV)/installed
	$(BIN)/streamlit run app.py

# Types are checked beside the tests: this keeps one core busy for a minute or more.
test: prepared
	$(MAKE) --no-print-directory --jobs 2 lint all-tests

# The installations wait for the network and for each other's files by turns: side by side they take half as long.
prepared:
	$(MAKE) --no-print-directory --jobs 3 $(VENV)/installed-dev peers programs

all-tests:
	$(PYTEST) -n $(JOBS) --dist worksteal

# The long versions: more examples, more rounds, tests marked soak.
soak: prepared
	BENCHSIDE_SOAK=$${BENCHSIDE_SOAK:-20} $(PYTEST) -n $(JOBS) --dist worksteal -m ""

benchmark: $(VENV)/installed-dev
	$(BIN)/python -m pytest tests/benchmarks --benchmark-columns=median,iqr,rounds

# How the server answers many visitors at once, as a table; it takes five minutes.
load: $(VENV)/installed-dev
	$(BIN)/python -m tests.load

# Every hostile file, in the process of the tests and on a real server; prints seconds and memory of each.
hostile: $(VENV)/installed-dev
	$(BIN)/python -m pytest tests/hostile -m ""

# One parser under files with a fault, for so many seconds of processor time; which there are: tests/fuzz/grammars.py.
fuzz: $(VENV)/installed-dev
	BENCHSIDE_FUZZ_SECONDS=$(or $(SECONDS),600) $(BIN)/python -m pytest tests/fuzz -m soak -k "parser and [$(PARSER)]"

screenshots: $(VENV)/installed-dev programs
	$(BIN)/python -m tests.browser.screenshots docs/pictures

# The documentation as a site that needs no network, in build/site.
docs: $(VENV)/installed-dev
	PYTHONPATH=. NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

samples: $(VENV)/installed
	$(BIN)/python -m sample_data.generator
	$(BIN)/python -m sample_data.generator.cover_pictures
	$(BIN)/python -m sample_data.generator.measured_images

# Licences of what users install; fails where one would pass on to the whole program.
licences: $(VENV)/installed-dev
	$(BIN)/python -m tests.support.licences

# Types are checked strictly in scoring, and in the pages as mypy does by itself.
lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

# What is fast: no browser, page, model, server or other program. For every few lines of work.
NOT_QUICK := $(addprefix tests/,browser pages inference single_image platforms deployment sample_data docs simulations server faults hostile fuzz load \
	challenges/isic/test_model.py challenges/melanoma/test_model.py challenges/puma/test_model.py challenges/isic/test_parity.py \
	test_packaging.py test_silence.py test_start.py)
quick: $(VENV)/installed-dev
	$(PYTEST) -n $(JOBS) --dist worksteal -m "not soak and not slow" --hypothesis-profile=quick $(addprefix --ignore=,$(NOT_QUICK))

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found. Name it: make PYTHON=/path/to/python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(LOCK) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(if $(filter %.lock,$(LOCK)),--require-hashes) -r $(LOCK)
	touch $@

$(VENV)/installed-dev: requirements-dev.txt requirements-postgresql.txt requirements-login.txt requirements.txt | $(VENV)/installed
	$(BIN)/python -m pip install $(TEST_PIP) -r requirements-dev.txt
	touch $@

# Both locks anew from the requirements, for Linux, macOS and Windows and every Python from 3.11 on, with the versions that the tests run with. Versions stay as
# they are; UPGRADE=--upgrade takes the newest.
COMPILE := build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --no-emit-index-url --no-emit-find-links $(UPGRADE)
HASHED := $(COMPILE) --generate-hashes --constraints build/lock/tested.txt --custom-compile-command "make lock"
lock:
	$(PYTHON) -m venv build/lock && build/lock/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9
	cp requirements-server.lock build/lock/tested.txt
	$(COMPILE) requirements-dev.txt --output-file build/lock/tested.txt
	$(HASHED) requirements.txt --output-file requirements.lock
	$(HASHED) requirements.txt requirements-postgresql.txt requirements-login.txt --output-file requirements-server.lock

# Programs that the tests compare with, in an environment of their own; where it cannot be made, those tests are skipped and say so.
peers: .venv-peers/installed

.venv-peers/installed: requirements-peers.txt
	@{ $(PYTHON) -m venv .venv-peers && .venv-peers/bin/python -m pip install $(TEST_PIP) -r requirements-peers.txt \
		&& touch $@; } || { rm -rf .venv-peers; echo "The programs to compare with could not be installed: the tests against them will be skipped."; }

# What tests use of Debian: a browser, strace (that nothing leaves the machine) and nginx (the proxy in deploy/). Chromium without windows costs half
# of what Chromium with its own windows does. Where they cannot be installed, those tests are skipped and say so.
programs:
	@has() { command -v $$1 >/dev/null || test -x /usr/sbin/$$1; }; \
	if has chromium-headless-shell && has strace && has nginx; then exit 0; fi; \
	if has apt-get && [ "$$(id -u)" = 0 ]; then \
		apt-get update -qq; \
		browser=chromium-headless-shell; apt-cache show $$browser >/dev/null 2>&1 || browser=chromium; \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$browser strace nginx-light >/dev/null || { has chromium && has strace && has nginx; }; \
	else \
		has chromium || has chromium-headless-shell || echo "No chromium found: the browser tests will be skipped."; \
		has strace || echo "No strace found: the test that nothing leaves the machine will be skipped."; \
		has nginx || echo "No nginx found: the tests of the proxy will be skipped."; \
	fi

clean:
	rm -rf $(VENV) .venv-peers .pytest_cache .ruff_cache .mypy_cache .hypothesis build
