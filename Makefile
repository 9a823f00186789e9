# Minismith. `make help` lists the targets; every target may be repeated, also after an interruption.

SHELL := /bin/bash
.DELETE_ON_ERROR:
.NOTPARALLEL:

TARGET := $(or $(CARGO_TARGET_DIR),target)
PROGRAMS := $(TARGET)/debug
NEXTEST := 0.9.143
CARGO_FUZZ := 0.13.2
# FAIL_FAST=1 ends a run of tests at the first that fails.
NEXTEST_RUN = cargo nextest run $(if $(FAIL_FAST),--fail-fast)
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := policy wire bus configuration bundle trace recorded_move image sound sentence steps journal rest openai mcp socket

# The instrumentation of the code needs a flag of the compiler that is not stable; a sanitizer would find little, since
# there is no `unsafe` in what is fuzzed.
FUZZ := RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none --fuzz-dir tests/fuzz --target-dir $(TARGET)/fuzz
FUZZING := -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -timeout=20 -print_final_stats=1

.PHONY: help setup dashboard build page-types run code recorder webrtc fleet zenohd test test-peers test-peers-long peers official official-tests official-examples official-browser official-remote official-media official-apps clients models pictures predefined model llm test-llm bench soak growth bench-authoring bench-understanding fuzz nextest lint lint-programs lint-optional deny sbom dist deb wheel test-packages reproducible test-qemu test-qemu-user check clean
.DEFAULT_GOAL := help

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 16

setup: ## Python for the tools: .venv with numpy; Debian's python3-dev and python3-venv where no fit Python is found
	@scripts/venv .venv requirements/tools.txt

dashboard: ## The page that the program shows, in controller/dashboard/dist; brings Node where there is none (50 MB)
	@scripts/dashboard

page-types: build ## What the page takes from the program: its OpenAPI document, and the robot's names and limits
	MINISMITH_WRITE_TYPES=1 cargo test --test system dashboard_types::

build: ## The programs minismith and minismith-tool-host, with the page in them; Debian's libasound2-dev where it is missing
	@scripts/dashboard & page=$$!; scripts/venv .venv requirements/tools.txt && scripts/sound; ready=$$?; wait $$page && exit $$ready
	cargo build

run: build ## Set up, build and serve the mock robot on http://127.0.0.1:8000; models are fetched meanwhile
	@scripts/sound --speak
	@scripts/models --background
	$(PROGRAMS)/minismith serve --robot mock

recorder: ## The program minismith-recorder, which records what tools do for the Rerun viewer (some minutes, once)
	cargo build --profile recorder --package minismith-recorder
	@mkdir -p $(PROGRAMS)
	@ln -f $(TARGET)/recorder/minismith-recorder $(PROGRAMS)/minismith-recorder

webrtc: ## The program minismith-webrtc, which shows the camera and takes commands by WebRTC, for browsers (some minutes, once)
	cargo build --package minismith-webrtc

fleet: ## The program minismith-fleet, for several robots (some minutes, once)
	cargo build --package minismith-fleet

zenohd: ## Zenoh's own router in .cache/zenohd, and its Python library in .cache/zenoh, for the tests of fleets
	@scripts/zenohd
	@scripts/venv .cache/zenoh requirements/zenoh.txt

code: ## The libraries for code tasks (pandas and so on), and scipy and OpenCV for tools, in .venv-code (800 MB)
	@scripts/venv .venv-code requirements/code.txt

peers: ## The official motor controller, kinematics, face detector and dances in .cache/peers, for tests and benchmarks only
	@scripts/peers

official: peers ## The whole official daemon in .cache/official (350 MB), for one test and the benchmarks
	@scripts/peers --daemon

official-tests: build official ## The official package's own tests that fit, from CHECKOUT=DIR (github.com/pollen-robotics/reachy_mini)
	@test -f "$(CHECKOUT)/tests/unit_tests/test_daemon.py" \
		|| { echo "Name a checkout of github.com/pollen-robotics/reachy_mini: make official-tests CHECKOUT=DIR" >&2; exit 2; }
	MINISMITH=$(abspath $(PROGRAMS)/minismith) PYTHONPATH=tests/support/official .cache/official/bin/python -m pytest \
		-p on_minismith -p no:cacheprovider -o asyncio_mode=auto -o asyncio_default_fixture_loop_scope=function \
		--noconftest -q -rs "$(CHECKOUT)/tests/unit_tests/test_daemon.py"

official-examples: build ## Runs the official package's examples, each with its effect, from CHECKOUT=DIR (github.com/pollen-robotics/reachy_mini)
	@test -f "$(CHECKOUT)/examples/minimal_demo.py" \
		|| { echo "Name a checkout of github.com/pollen-robotics/reachy_mini: make official-examples CHECKOUT=DIR" >&2; exit 2; }
	@scripts/peers --examples
	@tests/support/official/run_examples "$(CHECKOUT)/examples" $(PROGRAMS)

official-apps: build ## Installs and starts the apps of the official package's tests, from CHECKOUT=DIR (github.com/pollen-robotics/reachy_mini)
	@test -d "$(CHECKOUT)/tests/unit_tests/ok_app" \
		|| { echo "Name a checkout of github.com/pollen-robotics/reachy_mini: make official-apps CHECKOUT=DIR" >&2; exit 2; }
	@tests/support/official/run_apps "$(CHECKOUT)/tests/unit_tests" $(PROGRAMS)

official-browser: build webrtc ## Runs the official package's browser class in Chromium, each effect checked, from CHECKOUT=DIR (github.com/pollen-robotics/reachy_mini)
	@test -f "$(CHECKOUT)/ts/lib/reachy-mini.ts" \
		|| { echo "Name a checkout of github.com/pollen-robotics/reachy_mini: make official-browser CHECKOUT=DIR" >&2; exit 2; }
	@tests/support/official/run_browser "$(CHECKOUT)/ts" $(PROGRAMS)

official-remote: build webrtc ## Runs the official SDK as on another computer, by WebRTC, in ROOT=DIR, a Debian with GStreamer 1.28, its webrtcsrc, and the SDK in /opt/sdk
	@test -d "$(ROOT)/opt/sdk/reachy_mini" || { echo "Name such a folder: make official-remote ROOT=DIR" >&2; exit 2; }
	@tests/support/official/run_remote "$(ROOT)" $(PROGRAMS)

official-media: build code ## Compares camera frames with those of the official media server, in ROOT=DIR as for official-remote
	@test -d "$(ROOT)/opt/sdk/reachy_mini" || { echo "Name such a folder: make official-media ROOT=DIR" >&2; exit 2; }
	@.venv-code/bin/python tests/support/official/compare_media "$(ROOT)" $(PROGRAMS) 20

clients: ## Clients of others for the tests (MCP, OpenAI, schemathesis) in .cache/clients (1.2 GB)
	@scripts/venv .cache/clients requirements/clients.txt

models: ## Models for faces, things, speech and the meaning of words, in .cache/models (115 MB); all else works without them
	@scripts/models

pictures: build models fleet ## Takes the screenshots of the dashboard for docs/images in a browser
	@scripts/pictures $(PROGRAMS)/minismith

predefined: build models ## Makes tools/predefined of tools/sources: checks, rehearses, registers and approves what has changed
	@scripts/predefined $(PROGRAMS)/minismith

model: ## A language model on this computer for `nlu: local`, in .cache/model (1.2 GB; MODEL=small: 0.6 GB); minutes, no compiler
	@MODEL=$(MODEL) scripts/model

nextest: ## The test runner cargo-nextest, built from source where it is missing (some minutes)
	@cargo nextest --version >/dev/null 2>&1 \
		|| { echo "Installing cargo-nextest $(NEXTEST): this takes some minutes, once."; \
		     cargo install cargo-nextest --version $(NEXTEST) --locked; }

test: build code models nextest ## The tests of what is here; test-peers tests it against the programs of others
	@scripts/dashboard --check
	@scripts/sound --tests
	cargo nextest run

# The longest of the tests against programs of others: what takes minutes, or hundreds of spoken sentences.
LONG_PEERS := test(/^(long_runs|voice|openapi|official_apps|dataset_export)::/) or test(=browser::twenty_pages_are_live_at_once)

# The browser, an editor, the official SDK, daemon and dances, clients for MCP and OpenAI, Rerun, and speech with real models.
test-peers: build code recorder webrtc fleet zenohd clients models nextest ## The tests against programs of others, which it installs (2 GB)
	@scripts/chromium >/dev/null
	@scripts/firefox >/dev/null
	@scripts/neovim >/dev/null
	@scripts/sound --tests
	@scripts/peers
	@scripts/peers --daemon || echo "The official daemon could not be installed; its test is skipped."
	@scripts/peers --media
	$(NEXTEST_RUN) --profile peers $(if $(filter short,$(PEERS)),-E 'not ($(LONG_PEERS))')
	$(NEXTEST_RUN) --cargo-profile recorder --package minismith-recorder
	$(NEXTEST_RUN) --package minismith-webrtc
	$(NEXTEST_RUN) --package minismith-fleet

# After `make test-peers PEERS=short`, which leaves them out.
test-peers-long: build
	$(NEXTEST_RUN) --profile peers -E '$(LONG_PEERS)'

llm: ## A small language model and its server in .cache/llm (1.2 GB; built from source in 10 to 25 minutes), for test-llm only
	@scripts/llm

# One after another: each has the model's server for itself.
test-llm: build nextest llm model models ## The agents with a real, small language model on this machine (forty minutes on two cores)
	cargo nextest run --package minismith-tests --run-ignored only --test-threads 1 --no-capture small_model:: local_model::

bench: official clients recorder dashboard models ## Measures against the official packages; prints a table and writes target/bench.json
	@scripts/sound --speak
	cargo build --release --package minismith --package minismith-tool-host
	@ln -f $(TARGET)/recorder/minismith-recorder $(TARGET)/release/minismith-recorder
	$(TARGET)/release/minismith bench --out $(TARGET)/bench.json

growth: build ## Measures start, search, list, memory and answers against tools, journal entries and clients; target/growth.json and .svg
	.venv/bin/python tests/support/growth.py $(PROGRAMS)/minismith $(TARGET)/growth.json $(TARGET)/growth.svg

soak: build official ## Runs the server with all kinds of clients for HOURS=1, and watches memory, threads, files and late cycles; prints what grew
	@mkdir -p $(TARGET)
	.cache/official/bin/python3 tests/support/soak.py $(PROGRAMS)/minismith "$(or $(HOURS),1)" $(TARGET)/soak.json $(TARGET)/soak.svg

bench-authoring: build models ## Has a tool made for each of 120 requests, and judges its measured motion by checks of its own
	$(PROGRAMS)/minismith bench --authoring tests/cases/authoring.yaml --out $(TARGET)/authoring.json

bench-understanding: build ## Says some thousand sentences in six languages, and judges what would move by checks of its own
	$(PROGRAMS)/minismith bench --understanding tests/cases/sentences --out $(TARGET)/understanding.json

fuzz: ## Fuzzes every reader of outside bytes (or FUZZ_TARGETS="policy wire"), FUZZ_SECONDS (60) each; installs cargo-fuzz where it is missing
	@cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --version $(CARGO_FUZZ) --locked
	@cp Cargo.lock tests/fuzz/Cargo.lock
	@for target in $(FUZZ_TARGETS); do \
		mkdir -p $(TARGET)/fuzz/corpus/$$target; \
		case $$target in policy) more="tests/cases/good tests/cases/bad";; *) more=;; esac; \
		dictionary=tests/fuzz/$$target.dict; \
		echo "Fuzzing $$target for $(FUZZ_SECONDS) s."; \
		$(FUZZ) $$target $(TARGET)/fuzz/corpus/$$target tests/fuzz/corpus/$$target $$more \
			-- $$(test -f $$dictionary && echo -dict=$$dictionary) $(FUZZING) || exit 1; \
	done

lint: lint-programs lint-optional ## Format, clippy, documentation and licences, warnings denied

lint-programs: setup dashboard sbom
	@scripts/sound
	@scripts/deny --pinned
	cargo fmt --all -- --check
	cargo clippy --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

# The programs that are built only where they are wanted: their hundreds of crates take minutes.
lint-optional:
	cargo clippy --package minismith-webrtc --all-targets -- -D warnings
	cargo clippy --package minismith-fleet --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --package minismith-webrtc --no-deps
	RUSTDOCFLAGS="-D warnings" cargo doc --package minismith-fleet --no-deps
	cargo clippy --profile recorder --package minismith-recorder --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --profile recorder --package minismith-recorder --no-deps

deny: ## Licences, sources and known vulnerabilities of the crates, by deny.toml (ADVISORIES=DIR where the database is out of reach)
	@ADVISORIES="$(ADVISORIES)" scripts/deny

sbom: dashboard ## All that Minismith is made of, as CycloneDX JSON, and the licences of it, in target/sbom.json and target/NOTICES.txt
	@scripts/venv .cache/sbom requirements/sbom.txt
	@.cache/sbom/bin/python scripts/inventory.py sbom $(TARGET)/sbom.json
	@.cache/sbom/bin/python scripts/check_sbom.py $(TARGET)/sbom.json
	@.cache/sbom/bin/python scripts/inventory.py notices $(TARGET)/NOTICES.txt

dist: ## Release builds for x86-64 and aarch64 in target/dist, without root; MACHINE=aarch64 for one, RECORDER=1 for the recorder too
	@scripts/dist $(MACHINE)

deb: dist ## Packages for Debian 13, such as the robot's Raspberry Pi OS, in target/dist; MACHINE=aarch64 for one
	@scripts/deb $(MACHINE)

wheel: dist ## Python wheels with the programs, for Python 3.11 and 3.13, in target/dist; MACHINE=aarch64 for one
	@scripts/wheel $(MACHINE)

test-packages: build fleet ## Tries the Debian package and the wheel in a clean Debian 13; installs mmdebstrap and lintian
	@scripts/test_packages $(PACKAGED)

reproducible: ## Builds PROGRAM (minismith-tool-host-3.13) for MACHINE (this one) twice in different folders and compares the hashes
	@scripts/reproducible $(or $(PROGRAM),minismith-tool-host-3.13) $(or $(MACHINE),$(shell uname -m))

# What CI runs of it where time is left: the programs alone, against those of `make build`.
test-qemu-user: build models ## Builds the programs for aarch64, runs them by qemu-user, and compares them with those for x86-64
	@mkdir -p $(TARGET)/qemu
	@cp "$$(scripts/dist --program minismith aarch64 | tail -1)" "$$(scripts/dist --program minismith-tool-host-3.13 aarch64 | tail -1)" $(TARGET)/qemu/
	@scripts/cross --emulator
	@.venv/bin/python scripts/emulated.py --user $(PROGRAMS) $(TARGET)/qemu

# Not a part of `make test`: it takes long, most of it to build.
test-qemu: setup models ## Runs the programs for aarch64 under qemu, and compares them with those for x86-64
	@scripts/dist
	@scripts/cross --emulator
	@.venv/bin/python scripts/emulated.py $(TARGET)/dist

check: lint test-peers test ## lint, test-peers and test

clean: ## Removes what was built and installed here
	cargo clean
	rm -rf .venv .venv-code .cache controller/dashboard/node_modules
	find controller/dashboard/dist -mindepth 1 ! -name .gitkeep -delete
