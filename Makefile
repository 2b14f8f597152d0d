# Every target sets up .venv by itself: a machine needs Python >= 3.10 and make, nothing else.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

.PHONY: help setup demo test lint format bench app figures data clean
.DEFAULT_GOAL := help

help:  ## show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

setup: $(READY)  ## create .venv and install everything (does nothing when up to date)

# torch comes first and alone: this exact version is a CPU wheel, while a range pulls gigabytes of CUDA.
$(READY): pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once, a few minutes)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "error: Python >= 3.10 is needed; try: make PYTHON=python3.11 setup")'
	@$(PY) -m pip --version > /dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(PY) -m pip install -qq --disable-pip-version-check torch==2.13.0 -c constraints.txt
	@$(PY) -m pip install -qq --disable-pip-version-check -e '.[train,figures,dev]' -c constraints.txt
	@touch $@

demo: setup  ## see the project at work: the sample league's data, then a real game written by the model
	@$(PY) scripts/demo.py
	@echo && echo "The paper's own game, Bucks at Knicks (105-104), by the model in the manner of writers 3 and 10:" && echo
	@$(PY) scripts/generate.py --games examples/bucks_at_knicks.json --writer 3
	@echo
	@$(PY) scripts/generate.py --games examples/bucks_at_knicks.json --writer 10
	@mkdir -p runs && $(PY) scripts/generate.py --games examples/bucks_at_knicks.json --writer 3 --format html --output runs/demo.html
	@echo && echo "Every number linked to its cell: open runs/demo.html"

test: setup  ## run the tests (add ARGS="-k game" to choose)
	@OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 $(ARGS)

lint: setup  ## check style
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

format: setup  ## mend style
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

bench: setup  ## measure speed
	@$(PY) benchmarks/bench.py

app: setup  ## open the web page
	@echo "The web page is not there yet; see \`make demo\`."

figures: setup  ## draw the figures
	@echo "The figures are not there yet; see \`make demo\`."

data: setup  ## build RotoWire-Modified (downloads it; ARGS="--archive FILE --lookup-dir DIR" reads local files)
	@$(PY) dataset_script/build.py $(ARGS)

clean:  ## remove .venv and caches, not the data
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis *.egg-info build dist
