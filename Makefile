# Every target sets up .venv first; only Python >= 3.10 and make are required.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

.PHONY: help setup demo test test-slow fuzz sanitize lint format bench app pictures figures data release-model clean
.DEFAULT_GOAL := help

help:  ## show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

setup: $(READY)  ## create .venv and install everything (does nothing when up to date)

# torch comes first and alone: this exact version is a CPU wheel, a range would pull in gigabytes of CUDA packages.
$(READY): pyproject.toml constraints.txt stg/native/kernels.c stg/native/kernels.h
	@echo "Setting up $(VENV) (once, a few minutes)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "error: Python >= 3.10 is needed; try: make PYTHON=python3.11 setup")'
	@$(PY) -m pip --version > /dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(PY) -m pip install -qq --disable-pip-version-check torch==2.13.0 -c constraints.txt
	@rm -f stg/native/*.so
	@$(PY) -m pip install -qq --disable-pip-version-check -e '.[train,figures,dev]' -c constraints.txt
	@touch $@

demo: setup  ## see the project at work: data of the sample league, then a recap of the paper's own game
	@$(PY) scripts/demo.py --recap runs/demo.html

test: setup  ## run the quick tests, a few minutes (add ARGS="-k game" to choose)
	@OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist worksteal -m "not slow" $(ARGS)

test-slow: setup  ## run the long tests: whole trainings, several processes, kills
	@OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist worksteal -m slow $(ARGS)

fuzz: setup  ## try hostile input for a minute (ARGS="--seconds 600" for longer)
	@OMP_NUM_THREADS=1 $(PY) -m tests.fuzz $(ARGS)

sanitize: setup  ## call the C kernels under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(PY) -m tests.robustness.sanitize $(ARGS)

lint: setup  ## check style and types
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

format: setup  ## fix style
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

bench: setup  ## measure speed
	@$(PY) -m benchmarks.bench

app: setup  ## open the page that writes and checks recaps (add ARGS="--port 8080 --no-browser")
	@$(PY) scripts/app.py $(ARGS)

pictures: setup  ## take the screenshots of docs/images in chromium (apt-get install chromium, or STG_BROWSER=PATH)
	@$(PY) -m pip install -qq --disable-pip-version-check playwright -c constraints.txt
	@OMP_NUM_THREADS=1 STG_PICTURES=docs/images $(PY) -m pytest tests/stg/app/test_browser.py $(ARGS)

figures: setup  ## draw the paper's figures for the shipped model into figures/ (add ARGS="--only saliency")
	@$(PY) scripts/figures.py $(ARGS)

data: setup  ## build RotoWire-Modified (downloads it; ARGS="--archive FILE --lookup-dir DIR" reads local files)
	@$(PY) scripts/data.py $(ARGS)

# From the archive to the shipped weights. Finished steps are skipped, interrupted ones resume.
DATA ?= --archive rotowire.tar.bz2 --lookup-dir rotowire-modified --extra extra.json.xz --partial partial.json.xz --allow-missing
TEXTS := 890 of 2,705 full texts of RotoWire-Modified, 2,124 extra games, 2,229 excerpts
GENERATION := sentence_ngram_size=4 no_repeat_ngram_size=8 avoid_repeats=true end_penalty=4 max_new_tokens=800 min_new_tokens=0 own_arena=true
CONSENSUS := consensus=16 temperature=0.4
REWRITES := rewrites=3
TRAIN := python scripts/train.py --config configs
STAGES := "$(TRAIN)/best.yaml" "$(TRAIN)/best_whole.yaml" "$(TRAIN)/best_settle.yaml"
NO_WRITER := runs/best_no_writer_teammates/best modeling_stg/no_writer
LOGS := runs/best.log runs/best_whole.log runs/best_settle.log

WRITER_MODEL := --model modeling_stg/rotowire --log $(LOGS) runs/best_teammates.log --trained-on "$(TEXTS)" \
	--made-by $(STAGES) "$(TRAIN)/best_teammates.yaml" \
	"python scripts/ship.py runs/best_teammates/best modeling_stg/rotowire --set $(GENERATION)"
NO_WRITER_MODEL := --model modeling_stg/no_writer --log $(LOGS) runs/best_no_writer.log \
	runs/best_no_writer_teammates.log --trained-on "$(TEXTS)" --made-by $(STAGES) "$(TRAIN)/best_no_writer.yaml" \
	"$(TRAIN)/best_no_writer_teammates.yaml" "python scripts/ship.py $(NO_WRITER) --set $(GENERATION)"

release-model: setup runs/best_teammates/.done runs/best_no_writer_teammates/.done  ## train and ship the models of the results table, fill results/ and the docs
	@$(PY) scripts/ship.py runs/best_teammates/best modeling_stg/rotowire --set $(GENERATION)
	@$(PY) scripts/ship.py $(NO_WRITER) --set $(GENERATION)
	@$(PY) scripts/score_system.py best $(WRITER_MODEL) --set $(CONSENSUS) --title "ours, with writer"
	@$(PY) scripts/score_system.py best_checked $(WRITER_MODEL) --set $(CONSENSUS) --check --title "ours, with writer, checked"
	@$(PY) scripts/score_system.py best_rewritten $(WRITER_MODEL) --set $(CONSENSUS) $(REWRITES) --check --title "ours, with writer, rewritten"
	@$(PY) scripts/score_system.py best_no_writer $(NO_WRITER_MODEL) --set $(CONSENSUS) --title "ours, no writer"
	@$(PY) scripts/score_system.py best_no_writer_checked $(NO_WRITER_MODEL) --set $(CONSENSUS) --check --title "ours, no writer, checked"
	@$(PY) scripts/score_system.py best_no_writer_rewritten $(NO_WRITER_MODEL) --set $(CONSENSUS) $(REWRITES) --check --title "ours, no writer, rewritten"
	@$(PY) scripts/score_system.py templates --title "Templates (ours)" --trained-on nothing
	@$(PY) scripts/results.py

runs/.annotated: $(READY)
	@mkdir -p runs
	@test -f rotowire_modified/default/train.parquet || $(PY) scripts/data.py $(DATA)
	@$(PY) scripts/annotate.py --dataset rotowire_modified
	@touch $@

runs/best_whole/.done: runs/best/.done
runs/best_settle/.done: runs/best_whole/.done
runs/best_teammates/.done: runs/best_settle/.done
runs/best_no_writer/.done: runs/best_settle/.done
runs/best_no_writer_teammates/.done: runs/best_no_writer/.done
runs/%/.done: runs/.annotated
	@$(PY) scripts/train.py --config configs/$*.yaml --resume >> runs/$*.log
	@touch $@

clean:  ## remove .venv and caches, not the data
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis *.egg-info build dist stg/native/*.so
