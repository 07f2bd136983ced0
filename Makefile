# Thin wrappers; .ci/run is what CI runs.
.PHONY: build install test check fuzz bench demo screens

# With SIMD the embedding model is about five times as fast. It needs Go 1.26 or newer, and amd64; elsewhere the build is a plain one.
SIMD = $(shell [ "$$(go env GOARCH)" = amd64 ] && GOEXPERIMENT=simd go list simd/archsimd 2>/dev/null)
FAST = $(if $(SIMD),GOEXPERIMENT=simd,$(info no SIMD with this toolchain and machine: the embedding model will be slower, all else is the same))

build: ; $(FAST) CGO_ENABLED=0 go build -trimpath -o bin/board ./cmd/board
install: ; $(FAST) CGO_ENABLED=0 go install -trimpath ./cmd/board
test: ; go test ./...
check: ; bash .ci/run
bench: ; go test -run '^$$' -bench . -cpu 1,2 ./...
demo: ; go run ./cmd/board demo
screens: ; bash testdata/screens/make.sh
# make fuzz FUZZ=FuzzSurvival PKG=./board TIME=1m
FUZZ ?= FuzzSurvival
PKG ?= ./board
TIME ?= 30s
fuzz: ; go test -run '^$$' -fuzz '^$(FUZZ)$$' -fuzztime $(TIME) $(PKG)
