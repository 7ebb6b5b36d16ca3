# Each target sets up what it needs: Python, git and make are enough to begin with.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RELEASED := _build/release/manifest.json
SITE := _build/html/.built
BROWSER := _build/browser/.ready
HOSTED := _build/hosted/.ready
# A part of the whole, by its stem: make test LAB=07_transformers, make test CHAPTER=07_transformers
LAB ?=
CHAPTER ?=
PART ?=
# Which files of tests: CI runs them in parts.
TESTS ?= labs tests
# Not empty: forget the verdicts that are kept.
FRESH ?=
# The kernel that nbval runs labs by: one with Colab's widgets, or python3.
KERNEL ?= colab

LABS := $(wildcard labs/*.ipynb)
LABKIT := $(shell find labkit -name '*.py' -o -name '*.toml')
BOOK := $(shell find book \( -path book/labs -o -name __pycache__ \) -prune -o -type f -print)

# Two processes with a thread each: threads that wait for each other on a busy core cost minutes.
# Compiled modules are kept: without them each of a hundred processes compiles labkit anew.
unexport PYTHONDONTWRITEBYTECODE
export OMP_NUM_THREADS ?= 1
PYTEST := LABKIT_PROFILE=laptop JUPYTER_PATH=$(CURDIR)/_build/hosted $(BIN)/python -m pytest -p tests.verdicts \
	-n 2 --dist loadscope --no-loadscope-reorder --nbval --nbval-kernel-name $(KERNEL) --nbval-sanitize-with tests/nbval.cfg --durations 10 $(if $(FRESH),--cache-clear)

.PHONY: site serve check test proof experiments lab release bench clean always

site: $(SITE)

# A page in the browser, drawn again when its file changes: make serve, then http://127.0.0.1:8000
serve: $(SITE)
	$(BIN)/python book/_extension/serve.py

# Style, the house, and what hangs on the files that are not on the main branch yet.
CHANGED = $(shell { git diff --name-only --merge-base $$(git rev-parse -q --verify origin/main || echo HEAD); \
	git ls-files --others --exclude-standard; } | sort -u)
check: $(READY) $(RELEASED) $(if $(filter book/% labs/% labkit/% _%,$(CHANGED)),$(SITE) $(BROWSER)) $(HOSTED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(PYTEST) --touching tests/test_house.py $(addprefix --touching ,$(CHANGED)) labs tests

# Everything, or a lab as an exercise, or a chapter as a page. What passed and has not changed since is not run again.
test: $(READY) $(RELEASED) $(HOSTED) $(if $(LAB),,$(SITE) $(BROWSER))
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(PYTEST) $(addprefix --lab ,$(LAB)) $(addprefix --chapter ,$(CHAPTER)) $(TESTS)

# Everything from nothing, attacks with the limits that a class has, and the chapters' experiments once more: for the
# night, and before a release.
proof: clean
	$(MAKE) test FRESH=1 PROOF=1

# Measure the experiments that are missing or stale, of all chapters or of one; all of them anew with FRESH=1.
experiments: $(READY)
	cd book && ../$(BIN)/python -m support $(CHAPTER) $(if $(FRESH),--fresh)

# Run labs from top to bottom and store their outputs: make lab, or make lab LAB=01_ranking
lab: $(READY)
	$(BIN)/labkit run $(LAB)

release: $(RELEASED)

# Measure all, or a part: make bench PART=site, or make bench PART=labs LAB=01_ranking
bench: $(READY) $(SITE) $(BROWSER)
	$(BIN)/python tests/bench.py $(PART) $(addprefix --lab ,$(LAB))

clean:
	rm -rf _build book/labs

# The script knows by content whether anything is to be done, so it is always asked.
$(READY): always
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try: make PYTHON=python3.12")'
	@$(PYTHON) .ci/environment.py $(VENV)

# axe-core and Lighthouse, for the browser tests; without npm those tests are skipped.
$(BROWSER): tests/browser/package.json
	mkdir -p $(@D) && cp $< $(@D)/
	@if command -v npm > /dev/null; then npm install --silent --no-package-lock --no-audit --no-fund --prefix $(@D); \
	else echo "there is no npm here: axe-core and Lighthouse are skipped"; fi
	touch $@

# What Colab has installed, to be put before this environment's own packages, and a kernel that has Colab's widgets.
$(HOSTED): tests/hosted/packages.py tests/hosted/colab-3.13.txt $(READY)
	$(BIN)/python $< $(@D)

$(RELEASED): $(READY) $(LABS) $(LABKIT) _config.yml README.md
	$(BIN)/labkit release
	touch $@

# A page that fails, and any warning, ends the build.
$(SITE): $(RELEASED) $(BOOK) _config.yml _toc.yml constraints.txt
	mkdir -p book/labs
	cp _build/release/site/*.ipynb book/labs/
	$(BIN)/jupyter-book build . -n -W --keep-going
	touch $@
