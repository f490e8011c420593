# Two commands matter: `make demo` (see it work) and `make test` (see that it works).
# Both set up everything they need in .venv, from the package registries alone, in the versions of constraints.txt.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := .make/installed

AT_ONCE = $(shell $(PYTHON) -c 'import os; print(min(2 * os.cpu_count(), 16))')

INSTALL := $(BIN)/python -m pip install -q --disable-pip-version-check

.PHONY: demo test check format lint types tests cost endurance docs site constraints clean

demo: .make/demo
	$(BIN)/lycosa demo --out demo

test: $(STAMP) .make/peers check

check: format lint types tests cost

format:
	$(BIN)/ruff format --check src lab/src tests research

lint:
	$(BIN)/ruff check src lab/src tests research

types:
	$(BIN)/mypy

# The tests include the doctests and the documentation's own tests. Twice as many at once as there are cores: a third of
# their time they wait, for hosts that rest, browsers and programs that begin. Idle processes take from the busiest.
tests:
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(AT_ONCE) --dist worksteal

# What a page costs beside a fixed piece of work: fails where it has grown. Alone, after the tests.
cost:
	OMP_NUM_THREADS=1 $(BIN)/python -m research.cost

# A tenth of the thousand kills of docs/endurance.md; fails where a killed crawl ends otherwise than one that was not.
endurance:
	$(BIN)/python -m research.endurance.kills --pages 334 --kills 34

# Writes the pages that are made from the program itself.
docs:
	$(BIN)/python -m lycosa.commands.reference spec > docs/spec.md
	$(BIN)/python -m lycosa.commands.reference > docs/commands.md
	$(BIN)/python -m lycosa.commands.reference strategies > docs/strategies/choosing.md

# The documentation as a site, in site/; from installed packages alone.
site: $(STAMP)
	$(BIN)/python -m research.site

.make/venv:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Lycosa needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 …")'
	$(PYTHON) -m venv $(VENV)
	mkdir -p .make && touch $@

.make/demo: .make/venv pyproject.toml lab/pyproject.toml constraints.txt
	$(INSTALL) -c constraints.txt -e '.[fonts,lab]' -e lab
	touch $@

$(STAMP): .make/venv pyproject.toml lab/pyproject.toml constraints.txt
	$(INSTALL) -c constraints.txt -e '.[dev]' -e lab
	touch $@

# Renews the versions: the newest that pyproject.toml allows. Run `make check` afterwards, then commit the file.
constraints: .make/venv
	$(INSTALL) --upgrade -e '.[dev]' -e lab
	$(BIN)/python -m research.constraints > constraints.new
	mv constraints.new constraints.txt

# Programs that tests talk to: pywb (in an environment of its own: it brings an old brotli) and a
# browser (Debian's, where we may install it). Tests that miss one are skipped, visibly.
.make/peers: .make/venv
	-$(PYTHON) -m venv .venv-pywb && .venv-pywb/bin/python -m pip install -q --disable-pip-version-check pywb
	-command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null 2>&1
	touch $@

clean:
	rm -rf $(VENV) .venv-pywb .make demo site
