# `make help` lists the targets. Everything needs Go, git and make; what else it needs it finds or installs.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION := $(shell git describe --always --dirty 2>/dev/null || echo dev)
BIN := bin/umpire
# Every target builds with the code hash of the SQL as it is now.
CODE_HASH := functions/code_hash.sql
SQL := $(shell find functions -name '*.sql' ! -name code_hash.sql)
# make test ARGS='-run TestSQL/execute' PKG=./tests/sql
PKG ?= ./...
# The race detector needs a C compiler; CI has one.
RACE := $(shell command -v gcc >/dev/null && echo -race)
ARGS ?=

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Bring up everything, replay the World Cup final of 2022, stay up (ARGS='--data DIR' keeps the data)
	@$(BIN) dev $(ARGS)

.PHONY: build
build: $(CODE_HASH) ## Build bin/umpire
	@mkdir -p bin
	@go build -ldflags "-X main.version=$(VERSION)" -o $(BIN) ./cmd/umpire

$(CODE_HASH): $(SQL)
	@go run ./server/postgres/codehash

.PHONY: test
test: $(CODE_HASH) test-tools ## Run the tests (PKG=./tests/sql ARGS='-run TestSQL/execute' for some)
	@go test $(RACE) -timeout 20m $(ARGS) $(PKG)

.PHONY: prove-faults
prove-faults: $(CODE_HASH) test-tools ## 10,000 commands while Postgres and two servers are killed five times each; prints a table
	@go test ./tests/fault -run TestC132Storm -count=1 -v -timeout 30m -storm.commands=10000 -storm.kills=5 $(ARGS)

.PHONY: test-tools
test-tools: ## Find or install what the tests need: Postgres, pgTAP, plpgsql_check
	@./tests/tools.sh

.PHONY: test-versions
test-versions: $(CODE_HASH) ## Run the suites on PostgreSQL 17 and 18 in containers, where a Docker engine answers (ARGS='-versions 18 ./tests/sql')
	@go run ./tests/image $(ARGS)

.PHONY: coverage
coverage: $(CODE_HASH) test-tools ## Run the tests and show what they execute, PL/pgSQL and Go; fails below 90 % of functions/road
	@go run ./tests/coverage $(ARGS)
.PHONY: acceptance
acceptance: $(CODE_HASH) ## Replay real matches and compare (DATA=<folder of raw data>; tests/acceptance says what it holds)
	@test -n "$(DATA)" || { echo "make acceptance DATA=<folder>: the raw data is not part of the project"; exit 1; }
	@DATA="$(abspath $(DATA))" go test -count=1 -v -timeout 20m ./tests/acceptance

.PHONY: lint
lint: ## Format, vet, staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "run: make fmt"; exit 1; }
	@go vet ./...
	@go tool staticcheck ./...

.PHONY: fmt
fmt: ## Format the Go files
	@gofmt -w $$(git ls-files '*.go')

.PHONY: generate
generate: build ## Write what is generated: code hash, docs/openapi.yaml, docs/schema.md, the tables of refusals
	@$(BIN) openapi > docs/openapi.yaml
	@go run ./docs/schemaref -o docs/schema.md
	@go test ./tests/catalogue -run TestRefusalsAreDocumented -count=1 -update

.PHONY: drift
drift: build ## Fail when something generated is stale
	@go run ./server/postgres/codehash -check
	@$(BIN) openapi | diff -u docs/openapi.yaml - || { echo "docs/openapi.yaml is stale: make generate"; exit 1; }
	@go run ./docs/schemaref -check -o docs/schema.md
	@go test ./tests/catalogue -run TestRefusalsAreDocumented -count=1

.PHONY: soak
soak: $(CODE_HASH) test-tools ## The long versions of the feeds' tests
	@go test -timeout 60m ./tests/feed -soak -v $(ARGS)

.PHONY: bench
bench: build ## Measure the road on this machine, both sides of each line in turns (docs/benchmarks.md)
	@go run ./tests/bench $(ARGS)

SCALE ?= 1
.PHONY: bench-big
bench-big: ## The same commands beside 10 million stored ones (SCALE=0.05 for a twentieth)
	@go run ./tests/bench -scale $(SCALE) $(ARGS)
