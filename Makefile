# The recipes of this book; `make help` prints what each does.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCKED := $(VENV)/.locked
READY := $(VENV)/.ready
NOTEBOOKS = $(shell find book -name '*.ipynb' -not -path '*/.*' | sort)
WORKERS ?= 2
# `make test` skips tests that have passed before and have not changed; ALL=1 runs everything, as the workflows do.
ALL ?= $(CI)
SEED ?= 0
INSTALL := $(BIN)/uv pip install --quiet --no-deps --python
# Without bytecode files, numpy, scipy and pandas would be compiled again in every kernel.
unexport PYTHONDONTWRITEBYTECODE
# Threads for linear algebra would only compete with the test workers for the same cores.
export OPENBLAS_NUM_THREADS ?= 1
export PYTHONHASHSEED ?= 0
# Stored digits come from instructions that every x86-64 processor of the last ten years has; with newer ones
# numpy and OpenBLAS round differently. The names are those of the locked numpy.
ifeq ($(shell uname -m),x86_64)
export NPY_DISABLE_CPU_FEATURES ?= X86_V4 AVX512_ICL AVX512_SPR
export OPENBLAS_CORETYPE ?= Haswell
endif

.PHONY: help book pdf epub site test check bind fuzz keep test-slow test-site test-teaching assignments grade \
    feedback unit notebooks links lines bench peers mutants lowest lint lock dist canary clean
.DEFAULT_GOAL := book

# The environment follows the lock: pip takes uv from it, and uv the rest. The environment also keeps the one
# wheel that the pages serve to JupyterLite, so that building them needs no network.
$(LOCKED): requirements.txt
	@$(PYTHON) -c "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))" || \
	    { echo "The book's environment is for Python 3.11 to 3.13: try make PYTHON=python3.11 ..."; exit 1; }
	@[ ! -L $(VENV) ] || { echo "$(VENV) is a link: what it points to would be emptied; remove the link"; exit 1; }
	@echo "== creating the environment in $(VENV) (half a minute)"
	$(PYTHON) -m venv --clear $(VENV)
	sed -n '/^uv==/,/#/p' requirements.txt > $(VENV)/uv.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --require-hashes \
	    --only-binary :all: --requirement $(VENV)/uv.txt
	$(INSTALL) $(VENV) --require-hashes --only-binary :all: --requirement requirements.txt
	sed -n '/^comm==/,/#/p' requirements.txt > $(VENV)/served.txt
	$(BIN)/python -m pip download --disable-pip-version-check --quiet --no-deps --require-hashes \
	    --only-binary :all: --requirement $(VENV)/served.txt --dest $(VENV)/wheels
	@touch $@

# The package is imported from this folder; its metadata are written again when pyproject.toml changes.
$(READY): $(LOCKED) pyproject.toml ldpbook/__init__.py
	$(INSTALL) $(VENV) --reinstall-package ldpbook --no-build-isolation --editable .
	@touch $@

# Separate environments: other packages for comparison and mutation tests; grading of assignments; the lowest
# versions that the package declares.
$(VENV)/%/.ready: requirements/%.txt $(LOCKED)
	@echo "== creating the environment in $(VENV)/$*"
	$(BIN)/python -m venv --clear --without-pip $(VENV)/$*
	$(INSTALL) $(VENV)/$* --require-hashes --only-binary :all: --requirement $<
	$(INSTALL) $(VENV)/$* --no-build-isolation --editable .
	@touch $@

# npm packages for the pages: formulas, Python in the browser, search, slides. npm is optional.
SITE := node_modules/.package-lock.json
$(SITE): package-lock.json package.json
	@if [ -L node_modules ]; then echo "== node_modules is a link: npm ci would empty its target, so it is used as it is"; \
	elif command -v npm > /dev/null; then npm ci --ignore-scripts --silent; \
	else echo "== no npm: pages will load MathJax from the network and have no live panels"; fi

help:  ## what each recipe does
	@sed -n 's/^\([a-z-]*\):.*## /\1:/p' Makefile | awk -F: '{ printf "make %-14s %s\n", $$1, substr($$0, length($$1) + 2) }'

book: $(READY) $(SITE)  ## builds the pages from the stored outputs
	@echo "== building the pages from the stored outputs"
	$(BIN)/jupyter-book build . --all -n -W --keep-going
	@echo "== done: open _build/html/index.html"

test: $(READY) $(SITE) lint  ## tests package, ledger and chapters, not the pages (ALL=1: also unchanged files)
	@echo "== unit, property and doctests, claims, and every notebook against its stored outputs"
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadscope --no-loadscope-reorder --durations 20 -rs \
	    --unchanged $(if $(ALL),run,skip) $(if $(BUDGET),--budget) --nbval --nbval-current-env ldpbook tests book

# Checks some chapters against their stored outputs: make check BOOK=book/sparse-answers/laplace.ipynb
check: $(READY)  ## checks a chapter against its outputs (BOOK=book/sparse-answers/laplace.ipynb)
	@test -n "$(BOOK)" || { echo 'Say which: make check BOOK=book/sparse-answers/laplace.ipynb'; exit 1; }
	$(BIN)/python -m pytest --nbval --nbval-current-env $(BOOK)

# Runs all draws listed in tests/draws.py: every closed form at 2,000 arguments, and all calls and examples, of
# which make test runs fewer.
test-slow: $(READY)  ## tests with all random draws, of which make test runs fewer
	LDPBOOK_DRAWS=2000 $(BIN)/python -m pytest -n $(WORKERS) -q --durations 20 \
	    $$(grep -rlE 'from (draws|hypothesis) import' tests --include 'test_*.py') \
	    tests/course/test_ledger.py::test_verdict_is_borne_out_and_on_the_pages \
	    tests/course/found_again.py::test_one_setting_of_a_slow_run

test-site: $(READY)  ## tests the built pages in Chromium, without a network
	@echo "== the built pages in a real browser, without a network"
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -q --durations 20 tests/pages/site

test-teaching: $(VENV)/teaching/.ready  ## tests a course: built, handed in and graded by nbgrader
	@echo "== a course, handed out, handed in and graded by nbgrader"
	$(VENV)/teaching/bin/python -m pytest -q tests/course/teaching/nbgrader_course.py

# The page Assignments explains these: make assignments SECRET=... ROSTER=... COURSE=... WHAT=...
ASSIGNMENTS = $(abspath $(VENV))/teaching/bin/python -m ldpcourse.teaching.assignments

# The other pages of a course run commands in the book's own environment, so it is made here too.
assignments: $(READY) $(VENV)/teaching/.ready  ## builds assignments; see the page Assignments, also for grade and feedback
	@test -n "$(SECRET)" -a -n "$(ROSTER)" -a -n "$(COURSE)" -a -n "$(WHAT)" || \
	    { echo 'Say what and for whom: make assignments SECRET=file ROSTER=file COURSE=folder WHAT="week-3=flip,keep"'; exit 1; }
	$(ASSIGNMENTS) build --secret "$(SECRET)" --roster "$(ROSTER)" --course "$(COURSE)" $(WHAT)

# A submission that could not be run gets 0 and a line in the table; this is not a failure of the grading.
grade: $(VENV)/teaching/.ready
	@test -n "$(COURSE)" -a -n "$(NAME)" || { echo 'Say which: make grade COURSE=folder NAME=week-3'; exit 1; }
	$(ASSIGNMENTS) grade --course "$(COURSE)" "$(NAME)" || [ $$? = 1 ]

feedback: $(VENV)/teaching/.ready
	@test -n "$(COURSE)" -a -n "$(NAME)" || { echo 'Say which: make feedback COURSE=folder NAME=week-3'; exit 1; }
	$(ASSIGNMENTS) feedback --course "$(COURSE)" "$(NAME)"

pdf: book  ## builds one PDF of all pages, printed by Chromium
	$(BIN)/python book/_ext/print_pdf.py

# The e-book uses the sources read for the pages: without --all nothing is read again.
epub: book  ## builds the e-book
	@rm -rf _build/epub
	$(BIN)/jupyter-book build . -n -W --keep-going --builder custom --custom-builder epub
	@if command -v epubcheck > /dev/null; then java -jar "$$(readlink -f "$$(command -v epubcheck)")" --quiet _build/epub/*.epub; \
	else echo "== not checked: no epubcheck (Debian: apt-get install epubcheck)"; fi
	@echo "== done:" _build/epub/*.epub

# Everything that is published: the pages, and the book as PDF and EPUB beside them.
site:  ## builds everything that is published: pages, PDF, EPUB
	$(MAKE) -j 2 pdf epub
	cp _build/pdf/*.pdf _build/epub/*.epub _build/html/

unit: $(READY)  ## runs the tests without the chapters
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadscope -rs ldpbook book/ldpcourse tests

lint: $(READY)  ## checks style, types, workflows, forms and the citation
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms \
	    $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

notebooks: $(READY)  ## runs every chapter again and writes its outputs, the ledger and the errata
	@for notebook in $(NOTEBOOKS); do \
	    echo "== executing $$notebook"; \
	    $(BIN)/jupyter execute --inplace $$notebook || exit 1; \
	done
	$(BIN)/nbstripout --keep-output --keep-count --keep-id \
	    --extra-keys "metadata.language_info.version metadata.jupytext cell.metadata.execution" $(NOTEBOOKS)
	@echo "== writing the ledger and the errata"
	$(BIN)/python -m ldpcourse.ledger --write book/reference

links: $(READY)  ## checks the external links
	$(BIN)/jupyter-book build . --builder linkcheck

# Every public function and method has to return a result, ValueError or TypeError for hostile arguments.
fuzz: $(READY)  ## fuzzes the public functions with 100,000 invalid calls (SEED=1: other calls)
	$(BIN)/python tests/fuzz.py --calls 100000 --seed $(SEED)

# Runs long simulations again, with the stored number of digits: make keep RUN="name ..."
keep: $(READY)  ## runs a long simulation again and keeps its results (RUN=name)
	@test -n "$(RUN)" || { echo 'Say which: make keep RUN="name ..."'; exit 1; }
	$(BIN)/python -m ldpcourse.runs --write $(RUN)

# Links each number in a chapter's prose to the number in a cell that it repeats: make bind BOOK=book/remedies/guide.ipynb
bind: $(READY)  ## binds the numbers of a chapter to the cells that show them (BOOK=...)
	@test -n "$(BOOK)" || { echo 'Say which: make bind BOOK=book/remedies/guide.ipynb'; exit 1; }
	$(BIN)/python tests/prose_numbers.py $(BOOK)

lines:  ## counts the library's lines of code, by part
	@$(PYTHON) tests/lines.py

bench: book  ## measures speed and memory, and writes the page of benchmarks
	$(BIN)/python tests/benchmarks/measure.py

# Here old releases run beside newer ones of their dependencies; deprecation warnings between these are not ours.
lowest: $(VENV)/lowest/.ready  ## runs the tests with the lowest versions that the package declares
	env -u NPY_DISABLE_CPU_FEATURES $(VENV)/lowest/bin/python -m pytest -n $(WORKERS) --dist loadscope -rs -W ignore::DeprecationWarning \
	    ldpbook book/ldpcourse tests --ignore tests/test_typing.py

# Other packages should give the same results.
peers: $(VENV)/peers/.ready  ## compares this package with others, in a separate environment
	$(VENV)/peers/bin/python -m pytest tests/peers

mutants: $(VENV)/peers/.ready  ## runs mutation tests
	$(VENV)/peers/bin/mutmut run
	$(VENV)/peers/bin/mutmut export-cicd-stats && cat mutants/mutmut-cicd-stats.json

# The package's wheel and source archive.
dist: $(READY)  ## builds the wheel and the source archive
	rm -rf _build/dist
	$(BIN)/python -m build --no-isolation --outdir _build/dist
	$(BIN)/twine check --strict _build/dist/*

# Tests whether the book could leave Jupyter Book 1: plain Sphinx and the newest version of everything.
canary: $(READY) $(SITE)  ## builds the pages with plain Sphinx and the newest versions
	bash .ci/canary $(abspath $(BIN))

# make lock RAISE="numpy scipy" raises those pins, RAISE=all every pin; without RAISE only
# necessary changes are made.
lock:  ## updates the lock files (RAISE=numpy, RAISE=all)
	$(PYTHON) requirements/lock.py $(RAISE)

clean:  ## removes all build results
	rm -rf _build mutants
