# Stages of the project. `make verify` and `make test` need only Python 3.11 or newer (with venv) and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is imported is compiled when it is, once: to compile all the rest takes longer than to install it.
PIP := "$(BIN)/python" -m pip --disable-pip-version-check --no-input -qq install --no-compile
export PYTHONDONTWRITEBYTECODE :=
# The same for what tests install: 0 is what pip takes for that.
export PIP_NO_COMPILE := 0
RUN_STAMP := $(VENV)/.installed
TEST_STAMP := $(VENV)/.installed-test

.DEFAULT_GOAL := help
# All targets work on one environment.
.NOTPARALLEL:
.PHONY: help verify test test-changed test-integrations operator verdicts differences report docs release soak bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-18s %s\n", $$1, $$2 }' Makefile

# `pip install .` puts a copy in the place of the checkout, and edits are silently not run.
EDITABLE := "$(BIN)/python" -P -c 'import os, sonnx_verify as s; os._exit(not os.path.samefile(s.__file__, "sonnx_verify/__init__.py"))'

verify: $(RUN_STAMP) ## check everything under spec/ and proofs/, against the ledger
	@$(EDITABLE) || { echo "== install the checkout again"; $(PIP) --no-deps --editable .; }
	@echo "== verify"
	@"$(BIN)/python" -m sonnx_verify check --frozen

# What is tested is the wheel, as its users have it. Tests wait for solvers and other processes some of the time: two
# cores are busy with three at once, and types are checked beside them.
test: $(TEST_STAMP) ## linter, type checker, tests
	@echo "== lint"
	@"$(BIN)/python" -m ruff check .
	@"$(BIN)/python" -m ruff format --check .
	@"$(BIN)/lint-imports" --no-cache --no-logo
	@echo "== wheel"
	@rm -rf build/wheel
	@$(PIP) --no-deps --no-build-isolation --target build/wheel .
	@echo "== types and tests"
	@"$(BIN)/python" -m mypy & types=$$!; \
	PYTHONPATH="$(CURDIR)/build/wheel" PYTHONSAFEPATH=1 "$(BIN)/python" -m pytest -n 3 --dist worksteal; tests=$$?; \
	wait $$types && exit $$tests

test-integrations: $(TEST_STAMP) ## what other systems run: actions, hooks, containers, a browser
	@echo "== install what they need"
	@$(PIP) --no-build-isolation --editable ".[test,docs,integrations]"
	@echo "== tests with other systems"
	@"$(BIN)/python" -m pytest -n 2 --dist loadfile -m "integrations and not soak" tests/integrations

test-changed: $(TEST_STAMP) ## the tests that what differs from SINCE can touch; without it from main
	@"$(BIN)/python" tools/changed_tests.py $(SINCE)

operator: $(TEST_STAMP) ## all records of the operator NAME, those that are stale, and what is left to decide
	@"$(BIN)/python" -m sonnx_verify record $(NAME)

report: $(RUN_STAMP) ## what was decided as pages of HTML, in build/report
	@echo "== install what it needs"
	@$(PIP) --editable ".[report]"
	@echo "== report"
	@"$(BIN)/python" -m sonnx_verify report --out build/report

docs: $(RUN_STAMP) ## the documentation site of this version, in build/site
	@echo "== install what it needs"
	@$(PIP) --editable ".[docs]"
	@echo "== documentation"
	@"$(BIN)/python" tools/site.py build/site

# CONTRIBUTING.md has the steps before and after it.
release: $(TEST_STAMP) ## the wheel, a bill of what is installed with it, and their checksums, in dist
	@echo "== install what it needs"
	@$(PIP) --editable ".[test,integrations]"
	@echo "== wheel"
	@rm -rf dist build/release
	@"$(BIN)/python" -m build --wheel --no-isolation --outdir dist . >/dev/null
	@"$(PYTHON)" -m venv build/release
	@build/release/bin/python -m pip --disable-pip-version-check --no-input -qq install dist/*.whl
	@echo "== bill of materials"
	@"$(BIN)/python" -m cyclonedx_py environment --output-reproducible --output-file dist/sbom.json build/release
	@echo "== checksums"
	@cd dist && sha256sum -- *.whl sbom.json > SHA256SUMS && cat SHA256SUMS

soak: $(TEST_STAMP) ## long random search
	@echo "== soak"
	@SONNX_SOAK=1 "$(BIN)/python" tests/soak.py

verdicts: $(TEST_STAMP) ## decide every text and twin, and compare with the records beside them
	@echo "== verdicts"
	@"$(BIN)/python" tools/verdicts.py --check

differences: $(RUN_STAMP) ## decide the recorded differences of versions anew, and compare
	@echo "== differences"
	@"$(BIN)/python" -m sonnx_verify diff --frozen

bench: $(TEST_STAMP) ## measure the time and memory budgets
	@echo "== bench"
	@"$(BIN)/python" tests/bench_check.py
	@"$(BIN)/python" tests/bench.py

clean: ## remove the environment and what the tools left
	@echo "== clean"
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN_STAMP): pyproject.toml
	@echo "== install"
	@"$(PYTHON)" -m venv $(VENV)
	@$(PIP) --editable .
	@touch $@

# At once: the tools bring what the package needs with them.
$(TEST_STAMP): pyproject.toml
	@echo "== install with test tools"
	@"$(PYTHON)" -m venv $(VENV)
	@$(PIP) --editable ".[test]"
	@touch $(RUN_STAMP) $@
