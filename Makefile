# Works from nothing: each target first makes .venv and installs what it needs (see scripts/setup).

.PHONY: help setup demo test test-benchmarks test-local coverage lint format bench docs dist
.DEFAULT_GOAL := help

python := .venv/bin/python
# A worker per core: their libraries may not start as many threads again. Workers, and the many processes that tests
# start, share compiled sources: without, each would compile all of them again.
parallel := env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

help:
	@echo 'make demo    a guarded LangChain chain, end to end; no key, GPU or model needed'
	@echo '             (LOCAL=1 scores sentences by MiniLM as well; installs torch: about 1 GB)'
	@echo 'make test    all tests but those of the benchmarks, on all cores (ARGS="-k leak" passes options to pytest; ARGS=-n0: in one process)'
	@echo 'make test-benchmarks  the tests of the benchmarks, in the same way'
	@echo 'make test-local  the tests of local models, none left out (installs torch: about 1 GB)'
	@echo 'make coverage  the lines that all tests but those of the benchmarks run, by file, into out/coverage.json'
	@echo 'make lint    ruff and mypy'
	@echo 'make format  what ruff can mend by itself'
	@echo 'make bench   every benchmark, short (ARGS= for the whole)'
	@echo 'make docs    the site, into out/site (searchable when served: python3 -m http.server -d out/site)'
	@echo 'make dist    what a release uploads, into dist/, tried with every Python at hand (see scripts/release.py)'
	@echo 'make setup   .venv with everything for development'

setup:
	@scripts/setup dev

demo:
	@scripts/setup $(if $(filter-out 0,$(LOCAL)),demo-local,demo)
	@.venv/bin/guardrail demo $(or $(ARGS),--scripted)

test:
	@scripts/setup dev
	@$(parallel) $(python) -m pytest -n auto --dist worksteal $(ARGS)

test-benchmarks:
	@scripts/setup dev
	@$(parallel) $(python) -m pytest -n auto --dist worksteal benchmarks $(ARGS)

test-local:
	@scripts/setup local
	@GUARDRAIL_TEST_LOCAL=1 $(parallel) $(python) -m pytest -n auto --dist worksteal tests/unit/backends tests/unit/cli/test_check_prompts.py tests/unit/cli/test_check_samples.py tests/unit/memory/test_external_local.py tests/unit/selfcheck/test_ensemble_local.py tests/unit/test_demo.py benchmarks/entailment benchmarks/phr/process/tests/test_model.py benchmarks/phr/speed src/guardrail/backends $(ARGS)

coverage:
	@scripts/setup dev
	@$(parallel) $(python) -m pytest -n auto --dist worksteal --cov --cov-report= --cov-report=json:out/coverage.json $(ARGS)
	@echo "coverage: $$($(python) -m coverage report --precision=1 --format=total) % of the lines, by file in out/coverage.json"

lint:
	@scripts/setup dev
	@$(python) -m ruff check .
	@$(python) -m ruff format --check .
	@$(python) -m mypy

format:
	@scripts/setup dev
	@$(python) -m ruff check --fix .
	@$(python) -m ruff format .

docs:
	@scripts/setup dev
	@NO_MKDOCS_2_WARNING=1 $(python) -m mkdocs build --quiet

dist:
	@$(or $(PYTHON),python3) scripts/release.py $(ARGS)

bench: ARGS = --fast
bench:
	@scripts/setup dev
	@failed=; for name in $$($(python) -c 'import benchmarks; print(*benchmarks.names())'); do \
		$(python) -m benchmarks.$$name $(ARGS) || failed="$$failed $$name"; \
	done; [ -z "$$failed" ] || { echo "bench: missed:$$failed" >&2; exit 1; }
