# Rillcast: every command a person needs. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run demo cluster build dist test test-all screenshots bench engine-proof lint fmt clean setup toolchains

# Where `make` installs Node and Rust when they are missing: found by the same run and by every later one.
export PATH := $(CURDIR)/.tools/node/bin:$(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

# Whoever builds once does not pay for what speeds up the next build: files for it cost a quarter of the time of our own
# crates. Whoever changes code sets it to 1.
export CARGO_INCREMENTAL ?= 0

# Where the engine of plugins is unpacked, once for every build and run on this machine.
ENGINE_CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/rillcast/engine

# Where the plugin SDK looks for the server's program, when nothing else is said.
HOST_FOLDER := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/rillcast/bin

# Options for the server: make run ARGS="--listen 127.0.0.1:9000"
ARGS ?=

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## Install what is missing, build, and serve on port 8080 with data in ./data (ARGS="…" is passed on)
	@RILLCAST_PLUGIN_ENGINE_CACHE="$(ENGINE_CACHE)" exec ./rillcast $(ARGS)

demo: build ## As `make run`, with a built-in moving test stream: no broadcasting software is needed
	@RILLCAST_PLUGIN_ENGINE_CACHE="$(ENGINE_CACHE)" exec ./rillcast demo $(ARGS)

cluster: build ## Run several servers as one, with PostgreSQL, NATS and HAProxy; prints their addresses as JSON (ARGS="--nodes 3")
	@scripts/setup.sh cluster
	@RILLCAST_PLUGIN_ENGINE_CACHE="$(ENGINE_CACHE)" exec python3 scripts/cluster.py $(ARGS)

build: setup ## Build the server, with a link to it: ./rillcast, and the plugin SDK: dist/*.whl
	@python3 scripts/build.py
	@ln -sfn "$$(scripts/target-dir.sh)/debug/rillcast" rillcast
	@mkdir -p "$(HOST_FOLDER)"
	@ln -sfn "$(CURDIR)/rillcast" "$(HOST_FOLDER)/rillcast"

dist: setup ## Make what people install, for this kind of machine: dist/*.tar.xz, dist/*.deb (ARGS="--help" tells more)
	@python3 deploy/dist.py $(ARGS)

# Toolchains come first: the ring has no terminal to ask on, and is a Python program itself.
test: toolchains ## Run all tests a change has to pass: Rust, UI, SDK, end to end
	@python3 scripts/ring.py test

test-all: toolchains ## Run `test` with its long rounds, licence checks and fuzzing (half an hour)
	@python3 scripts/ring.py test-all

screenshots: build ## Take a picture of every page and state, and check each: screenshots/index.html (ARGS="--help" tells more)
	@scripts/setup.sh test
	@RILLCAST_PLUGIN_ENGINE_CACHE="$(ENGINE_CACHE)" python3 scripts/screenshots.py $(ARGS)

bench: setup ## Build a release, measure it against other servers on this machine, and print ratios
	@python3 scripts/build.py --release
	@exec bench/run $(ARGS)

engine-proof: ## Compare the engine of plugins with what its compiler makes when built from source (minutes)
	@python3 scripts/engine_proof.py

lint: setup ## Check format, lints and types without running tests
	@cargo fmt --all --check
	@python3 scripts/npm.py build ui
	@python3 scripts/npm.py run ui lint
	@python3 scripts/npm.py run ui check
	@cargo clippy --workspace --all-targets -- -D warnings

fmt: ## Format the Rust and UI sources
	@cargo fmt --all
	@python3 scripts/npm.py run ui format

clean: ## Delete everything that was built or installed here; ./data stays
	@cargo clean
	@rm -rf rillcast dist .tools .venv ui/dist ui/node_modules e2e/node_modules e2e/shots screenshots

setup:
	@scripts/setup.sh build

toolchains:
	@scripts/setup.sh toolchains
