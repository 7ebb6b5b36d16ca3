# Each target sets up what it needs: Python, git and make are enough to begin with.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RELEASED := _build/release/manifest.json
SITE := _build/html/.built
BROWSER := _build/browser/.ready
LAB ?=
PART ?=

LABS := $(wildcard labs/*.ipynb)
LABKIT := $(shell find labkit -name '*.py')
BOOK := $(shell find book \( -path book/labs -o -name __pycache__ \) -prune -o -type f -print)

.PHONY: site test lab release bench clean

site: $(SITE)

# Run labs from top to bottom and store their outputs: make lab, or make lab LAB=01_ranking
lab: $(READY)
	$(BIN)/labkit run $(LAB)

release: $(RELEASED)

# Two at a time, so a thread each: threads that wait for each other on a busy core cost minutes.
test: export OMP_NUM_THREADS ?= 1
test: $(READY) $(RELEASED) $(SITE) $(BROWSER)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	LABKIT_PROFILE=laptop $(BIN)/pytest -n 2 --dist loadfile --nbval --nbval-sanitize-with tests/nbval.cfg --durations 3 labs
	$(BIN)/pytest -n 2 --dist loadfile --durations 5 tests

# Measure all, or a part: make bench PART=site, or make bench PART=labs LAB=01_ranking
bench: $(READY) $(SITE) $(BROWSER)
	$(BIN)/python tests/bench.py $(PART) $(addprefix --lab ,$(LAB))

clean:
	rm -rf _build book/labs

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[course,elmo,offline,scale,test]'
	touch $@

# axe-core and Lighthouse, for the browser tests; without npm those tests are skipped.
$(BROWSER): tests/browser/package.json
	mkdir -p $(@D) && cp $< $(@D)/
	@if command -v npm > /dev/null; then npm install --silent --no-package-lock --no-audit --no-fund --prefix $(@D); \
	else echo "there is no npm here: axe-core and Lighthouse are skipped"; fi
	touch $@

$(RELEASED): $(READY) $(LABS) $(LABKIT) _config.yml README.md
	$(BIN)/labkit release
	touch $@

# A page that fails, and any warning, ends the build.
$(SITE): $(RELEASED) $(BOOK) _config.yml _toc.yml constraints.txt
	mkdir -p book/labs
	cp _build/release/site/*.ipynb book/labs/
	$(BIN)/jupyter-book build . -n -W --keep-going
	touch $@
