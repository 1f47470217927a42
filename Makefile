# What there is to do in this repository; `make help` lists it.
# Needs Go, GNU make and a POSIX shell; what else a target needs, it gets.

GO         ?= go
PKG        ?= ./...
TESTFLAGS  ?=
BENCH      ?= .
COUNT      ?= 1
FUZZTIME   ?= 20s

# The modules beside the library's, each with a go.mod of its own.
OTHERS := $(patsubst %/go.mod,%,$(wildcard */go.mod))

# Pinned, as another version finds other faults. It is run from its own module:
# as a tool of ours it would bring its 200 dependencies.
GOLANGCI := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Wire has its own go.mod, so that users of the library never see it.
WIRE := $(GO) tool -modfile=tools/go.mod wire

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@printf '\nWith these defaults: PKG=%s TESTFLAGS=%s BENCH=%s COUNT=%s FUZZTIME=%s\n' \
		'$(PKG)' '$(TESTFLAGS)' '$(BENCH)' '$(COUNT)' '$(FUZZTIME)'

.PHONY: build
build: ## build the command into bin/polite
	$(GO) build -o bin/polite ./cmd/polite

.PHONY: test
test: ## all tests, unit and integration, with the race detector; installs what they need
	@tools/need cc redis-server
	CGO_ENABLED=1 POLITE_REQUIRE_REDIS=1 $(GO) test -race -shuffle=on -timeout=5m $(TESTFLAGS) $(PKG)
# Of the benchmarks' own tests one holds real Gates to a model of a fleet.
ifeq ($(PKG),./...)
	CGO_ENABLED=1 $(GO) -C bench test -race -shuffle=on -timeout=5m $(TESTFLAGS) ./...
endif

.PHONY: cover
cover: ## what the tests reach, into cover.out
	@tools/need redis-server
	POLITE_REQUIRE_REDIS=1 $(GO) test -coverpkg=./... -coverprofile=cover.out $(TESTFLAGS) $(PKG)
	$(GO) tool cover -func=cover.out | tail -n 1

.PHONY: bench
bench: ## this library beside its peers, into docs/benchmarks.md; POLITE_CORPUS names a folder of real files
	cd bench && $(GO) run . -out ../docs/benchmarks.md

.PHONY: bench-fetch
bench-fetch: ## fetching from many origins beside net/http, into docs/benchmarks.md; needs Linux
	cd bench && $(GO) run ./fetch -out ../docs/benchmarks.md

.PHONY: bench-fleet
bench-fleet: ## many processes on one Redis of its own, into docs/benchmarks.md
	@tools/need redis-server
	cd bench && $(GO) run ./fleet -out ../docs/benchmarks.md

.PHONY: bench-scale
bench-scale: ## a small fleet played beside the formulas of docs/scale.md, into it
	cd bench && $(GO) run ./fleet -simulate -out ../docs/scale.md

.PHONY: bench-store
bench-store: ## what an origin takes in Redis, and a shared hit beside a GET, into docs/benchmarks.md
	@tools/need redis-server
	cd bench && $(GO) run ./store -out ../docs/benchmarks.md

.PHONY: gobench
gobench: ## the benchmarks BENCH, COUNT times each; compare two runs with benchstat (CONTRIBUTING.md)
	@$(GO) test -run='^$$' -bench='$(BENCH)' -benchmem -count=$(COUNT) $(PKG)

.PHONY: conformance
conformance: ## the vectors of Google's own test suite, from the folder that POLITE_VECTORS names
	@if [ -d "$(POLITE_VECTORS)" ]; then \
		POLITE_VECTORS="$$(cd "$(POLITE_VECTORS)" && pwd)" $(GO) test -count=1 -v -run 'Vectors' ./domain/...; \
	else echo "conformance: POLITE_VECTORS names no folder of vectors, so nothing was checked"; fi

.PHONY: differences
differences: ## how the dialects default and google answer about the real files that POLITE_CORPUS names, and why
	@if [ -d "$(POLITE_CORPUS)" ]; then \
		POLITE_CORPUS="$$(cd "$(POLITE_CORPUS)" && pwd)" $(GO) test -count=1 -v -run '^TestDifferences$$' ./domain/policy; \
	else echo "differences: POLITE_CORPUS names no folder of files, so nothing was compared"; fi

.PHONY: fuzz
fuzz: ## every fuzz target, for FUZZTIME each
	@tools/fuzz $(FUZZTIME) $(PKG)

.PHONY: wire
wire: ## write wire_gen.go anew from wire.go
	$(WIRE) .

# The steps of .ci/run besides the tests.
.PHONY: check
check: gofmt tidy-diff wire-diff vet lint ## all checks that need no test run

.PHONY: gofmt
gofmt: ## check that the code is formatted
	@files=$$(gofmt -l .) && if [ -n "$$files" ]; then \
		printf 'not formatted (remedy: gofmt -w .):\n%s\n' "$$files" >&2; exit 1; fi

.PHONY: tidy-diff
tidy-diff: ## check that every go.mod is tidy
	@set -e; for module in . $(OTHERS); do \
		echo $(GO) -C $$module mod tidy -diff; $(GO) -C $$module mod tidy -diff; done

.PHONY: wire-diff
wire-diff: ## check that wire_gen.go is what wire.go makes (remedy: make wire)
	$(WIRE) diff .

.PHONY: vet
vet: ## go vet, and once more on what only wire reads
	$(GO) vet ./...
	$(GO) vet -tags wireinject ./...
	@set -e; for module in $(filter-out tools,$(OTHERS)); do \
		echo $(GO) -C $$module vet ./...; $(GO) -C $$module vet ./...; done

.PHONY: lint
lint: ## golangci-lint, in the version that this file names
	$(GOLANGCI) config verify
	$(GOLANGCI) run
