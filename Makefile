# `make` lists the targets. CI (.ci/run, .github/workflows) calls these same targets and nothing else.
SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BENCHTIME ?= 1x
FUZZTIME  ?= 5s
GENERATED := transport/grpcapi/shoppb
BINARIES  ?= ./monolith ./gateway ./services/... ./loadtest

# A binary says which commit it is of, wherever git can tell, also where GOFLAGS says otherwise.
VCS := -buildvcs=$(shell git rev-parse HEAD >/dev/null 2>&1 && echo true || echo false)

# Of the up targets: cores and quotas (QUOTAS=none, even or tuned; or a file of your own), and where the API is published.
QUOTAS ?= none
PORT   ?= 8080
UP     := bin/loadtest up --port $(PORT)$(if $(PRESET), --preset $(PRESET)) --quotas

# testcontainers' reaper is an image of a registry. Where it is not on this machine it has to be off (exactly "true"): each test
# removes what it started, and the next run sweeps up after one that was killed.
NO_REAPER = $(shell docker image inspect testcontainers/ryuk:0.14.0 >/dev/null 2>&1 || echo TESTCONTAINERS_RYUK_DISABLED=true)
TEST_CONTAINERS = $(NO_REAPER) go test -C test/containers -count=1 -timeout 30m -v $(if $(RUN),-run '$(RUN)') ./...

.PHONY: help setup build demo doctor test test-quick test-containers fuzz bench check lint verify generate clean
.PHONY: up-mono up-modular up-micro up-micro-even up-micro-tuned ps logs try down images postgres-image

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-15s %s\n", $$1, $$2}' Makefile

setup: ## Check what this machine lacks (Go, Postgres, a C compiler, Chromium); as root on Debian, install it
	@sh tools/setup.sh $(filter demo,$(MAKECMDGOALS))

build: ## Build the six static binaries into bin/, as they are in the images
	CGO_ENABLED=0 go build -trimpath $(VCS) -ldflags '-s -w' -o bin/ $(BINARIES)

bin/loadtest:
	$(MAKE) --no-print-directory build

demo: setup build ## Measure both builds and print a capacity report (results in out/demo/)
	bin/loadtest demo --out out/demo

doctor: build ## Say what this machine can and cannot measure (CLEAN=1 removes what killed labs left)
	bin/loadtest doctor $(if $(CLEAN),--clean)

up-mono: build ## The monolith in containers (PORT=8080, QUOTAS=none, PRESET=file)
	$(UP) $(QUOTAS) --design mono

up-modular: build ## The monolith made of the three contracts, in containers
	$(UP) $(QUOTAS) --design modular

up-micro: build ## Gateway and services in containers
	$(UP) $(QUOTAS) --design micro

up-micro-even: build ## The same; each service has a quarter of the CPU budget
	$(UP) even --design micro

up-micro-tuned: build ## The same; the budget divided by what each service uses
	$(UP) tuned --design micro

ps: | bin/loadtest ## What is up, and what the kernel holds it to
	bin/loadtest ps

logs: | bin/loadtest ## The end of the containers' logs (PART=name, FOLLOW=1)
	bin/loadtest logs $(if $(FOLLOW),--follow) $(PART)

try: ## Browse, fill a cart and check out with plain curl (SHOP_URL=http://127.0.0.1:8080)
	@SHOP_URL=$${SHOP_URL:-http://127.0.0.1:$(PORT)} sh compose/try.sh

down: | bin/loadtest ## Remove containers, networks and data (KEEP=1 keeps the data)
	bin/loadtest down $(if $(KEEP),--keep)

images: build ## Make the images that are stale, and find or make one of Postgres
	bin/loadtest images

postgres-image: ## Make a Postgres image from Debian packages, for machines that reach no registry
	docker/postgres/build.sh

test: setup ## Unit and integration tests with the race detector; a skipped test is a failure
	@echo "compiling the tests"; go list -race -test -deps -export ./... >/dev/null # -p 1 below would do it on one core
	(code=0; go test -race -p 1 -count=1 -timeout 30m -v ./... || code=$$?; $(TEST_CONTAINERS) || code=$$?; exit $$code) | awk -f tools/testlog.awk

test-containers: ## Only the tests in containers, which need an engine (RUN=TestName)
	$(TEST_CONTAINERS) | awk -f tools/testlog.awk

test-quick: ## The same tests without the race detector and without containers
	go test -count=1 -v ./... | awk -f tools/testlog.awk

fuzz: ## Run each fuzz target for FUZZTIME (5s)
	@grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sort | while IFS=: read -r file func; do \
	    echo "$${func#func } in $$(dirname "$$file")"; \
	    go test -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")"; \
	done

bench: ## Run each Go benchmark for BENCHTIME (1x: do they still work?)
	go test -run '^$$' -bench . -benchtime $(BENCHTIME) ./...

check: lint verify ## Everything that needs no running: lint, then verify

lint: bin/golangci-lint ## gofmt, go vet, the linters and the import rules of .golangci.yml, and a proof that those rules bite
	bin/golangci-lint run
	cd test/containers && ../../bin/golangci-lint run
	bash tools/lint/prove.sh bin/golangci-lint

bin/golangci-lint: tools/lint/go.mod tools/lint/go.sum # two CPU minutes, once
	CGO_ENABLED=0 go build -C tools/lint -o $(CURDIR)/$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

verify: ## Generate and tidy again; fail if anything differs
	@before=$$(mktemp -d); trap 'rm -rf "$$before"' EXIT; cp -r $(GENERATED)/. "$$before"; \
	    $(MAKE) --no-print-directory generate; diff -ru "$$before" $(GENERATED)
	for module in . tools tools/lint test/containers; do go mod tidy -C $$module -diff; done

generate: ## Write the Go code of shop.proto again
	go run -C tools ./protogen ../$(GENERATED)/shop.proto

clean: ## Remove bin/ and out/
	rm -rf bin out
