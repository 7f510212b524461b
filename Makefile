# Weir's few commands; what needs more than a line is a script in .ci/.
# Everything is safe to run twice: a second run does only what has changed.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

TARGET := $(or $(CARGO_TARGET_DIR),target)
UI_SOURCES := $(shell find ui -type f -not -path 'ui/node_modules/*' -not -path 'ui/dist/*')

# One selection of packages and targets for every cargo command of the tests: another one
# would unify features differently and build everything again.
ALL := --workspace --all-targets

.PHONY: help
help: ## list these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

.PHONY: setup
setup: ## install what running and testing need
	@.ci/setup test

.PHONY: run
run: setup-run build ## open the window (with no display: one demo turn in the terminal)
	@.ci/open "$(TARGET)/release"

.PHONY: test
test: setup test-format build-ui test-ui test-lints test-rust test-window ## everything: format, lints, types, units, crash, real window
	@echo "All tests passed."

.PHONY: test-portable
test-portable: setup-run test-format build-ui test-ui test-lints ## what runs on any system: all but the window and what the tests start
	cargo test --locked --workspace --lib --bins

.PHONY: bench
bench: bench-wire bench-store bench-guard ## all parts, as ratios (tests/bench)

.PHONY: bench-wire
bench-wire: ## bytes to events, against peers
	peers=$$(tests/bench/setup) && CARGO_TARGET_DIR="$(abspath $(TARGET))/bench" \
	  cargo run --release --locked --manifest-path tests/bench/Cargo.toml --bin wire -- $$peers
	CARGO_TARGET_DIR="$(abspath $(TARGET))/bench" \
	  cargo run --release --locked --manifest-path tests/bench/Cargo.toml --bin allocations

.PHONY: bench-store
bench-store: ## chunks to durable rows, against bare SQLite
	CARGO_TARGET_DIR="$(abspath $(TARGET))/bench" \
	  cargo run --release --locked --manifest-path tests/bench/Cargo.toml --bin store

.PHONY: bench-guard
bench-guard: ## a stream with its guard, against one without; long lines
	CARGO_TARGET_DIR="$(abspath $(TARGET))/bench" \
	  cargo run --release --locked --manifest-path tests/bench/Cargo.toml --bin guard

.PHONY: fuzz
fuzz: ## a million inputs for each dialect (tests/fuzz)
	tests/fuzz/run all

.PHONY: build
build: setup-run build-ui ## the window and the command line, in release mode
	cargo build --release --locked -p weir-desktop -p weir-cli

.PHONY: types
types: ## write ui/src/host/protocol.ts anew from the Rust types
	WEIR_WRITE_TYPES=1 cargo test --locked -p weir-protocol committed_copy_is_current

.PHONY: update-models
update-models: ## write the model catalogue anew from public registries, as a diff to review
	.ci/update-models
	git diff --stat -- src-tauri/crates/core/src/source/catalogue/models.json

.PHONY: fmt
fmt: ui/node_modules/.package-lock.json ## format Rust and TypeScript
	cargo fmt --all
	cd ui && npx biome check --write .

.PHONY: setup-run build-ui build-tests test-format test-ui test-lints test-rust test-window
setup-run:
	@.ci/setup run

build-ui: ui/dist/index.html

ui/node_modules/.package-lock.json: ui/package-lock.json
	cd ui && npm ci --no-audit --no-fund
	@touch $@

ui/dist/index.html: ui/node_modules/.package-lock.json $(UI_SOURCES)
	cd ui && npm run build
	@touch $@

# What others wrote and Weir is compared with, and the Node it wants.
PEERS := tests/peers/node_modules/.package-lock.json
$(PEERS): tests/peers/package-lock.json
	cd tests/peers && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

test-format:
	cargo fmt --all --check

test-ui: ui/node_modules/.package-lock.json
	cd ui && npm run check
	cd ui && npm test

# The window's code embeds ui/dist, so even the lints need it built.
test-lints: build-ui
	cargo clippy --locked $(ALL) -- -D warnings

build-tests: build-ui
	cargo build --locked $(ALL)

# With what they measured, for whoever reads the log.
test-rust: build-tests $(PEERS)
	cargo test --locked --workspace -- --skip window:: --show-output

# Windows share one machine's two cores and a reader's patience: one at a time.
test-window: build-tests $(PEERS)
	cargo test --locked --workspace -- --test-threads=1 window::
