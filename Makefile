# Thin wrappers; .ci/run is what CI runs.
.PHONY: build install release binaries image packages test busy check fuzz bench score demo screens publish

# The owner's choices, before a first publication. Change them by `make publish SET="MODULE=… REPOSITORY=…"`,
# which brings them everywhere; testdata/publish/README.md has the steps.
MODULE = blackboard
REPOSITORY = https://github.com/OWNER/board
MAINTAINER = The Blackboard authors <board@example.com>
NPM = @owner/board
PYPI = owner-board

# With SIMD the embedding model is about five times as fast. It needs Go 1.26 or newer, and amd64; elsewhere the build is a plain one.
SIMD = $(shell [ "$$(go env GOARCH)" = amd64 ] && GOEXPERIMENT=simd go list simd/archsimd 2>/dev/null)
FAST = $(if $(SIMD),GOEXPERIMENT=simd,$(info no SIMD with this toolchain and machine: the embedding model will be slower, all else is the same))

# Without the man pages of the CLI library, whose markdown renderer each start would pay for: we have our own.
TAGS = -tags urfave_cli_no_docs

build: ; $(FAST) CGO_ENABLED=0 go build $(TAGS) -trimpath -o bin/board ./cmd/board
install: ; $(FAST) CGO_ENABLED=0 go install $(TAGS) -trimpath ./cmd/board
# A release in dist: static binaries for each system, manual page and completions, and packages of them (see packages).
# The same source, toolchain and VERSION give the same bytes: no paths, no build id, and no time but that of the commit.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH
TARGETS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
release:
	rm -rf dist && mkdir dist
	$(MAKE) binaries VERSION=$(VERSION)
	go run -ldflags '-X $(MODULE)/cmd/board/base.version=$(VERSION)' ./cmd/board man > dist/board.1
	for s in bash zsh fish; do go run ./cmd/board completion $$s > dist/board.$$s || exit 1; done
	$(MAKE) packages VERSION=$(VERSION)
binaries:
	mkdir -p dist
	set -e; for t in $(TARGETS); do os=$${t%/*}; arch=$${t#*/}; exe=; [ $$os = windows ] && exe=.exe; fast=; [ $$arch = amd64 ] && fast="$(FAST)"; \
	  echo "board-$(VERSION)-$$os-$$arch$$exe"; \
	  env $$fast GOOS=$$os GOARCH=$$arch CGO_ENABLED=0 go build $(TAGS) -trimpath -buildvcs=false -ldflags '-s -w -buildid= -X $(MODULE)/cmd/board/base.version=$(VERSION)' -o "dist/board-$(VERSION)-$$os-$$arch$$exe" ./cmd/board; done
# The OCI image alone, as dist/board-VERSION-oci.tar: docker load -i reads it. No daemon is needed.
image: ; $(MAKE) binaries TARGETS="linux/amd64 linux/arm64" && go run ./testdata/publish image "$(VERSION)" dist
# Packages of the binaries in dist: npm, wheels, a Homebrew formula, .deb, .rpm, the plugin, the action, the image,
# bundles for MCP, licences, a bill of materials for each, and all checksums.
packages: ; go run ./testdata/publish packages "$(VERSION)" dist
publish: ; go run ./testdata/publish set $(SET)
test: ; go test ./...
# The tests on a machine that has much else to do: no result may depend on its speed.
busy: ; go run ./testdata/load -n 20 -- go test -count=1 ./...
check: ; bash .ci/run
# How well the search finds: make score SETS="DIR…"; testdata/score has the options.
score: ; go run ./testdata/score $(SETS)
bench: ; go test -run '^$$' -bench . -cpu 1,2 ./...
demo: ; go run ./cmd/board demo
screens: ; bash testdata/screens/make.sh
# make fuzz FUZZ=FuzzSurvival PKG=./board/survival TIME=1m
FUZZ ?= FuzzSurvival
PKG ?= ./board/survival
TIME ?= 30s
fuzz: ; go test -run '^$$' -fuzz '^$(FUZZ)$$' -fuzztime $(TIME) $(PKG)
