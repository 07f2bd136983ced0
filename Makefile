# Thin wrappers; .ci/run is what CI runs.
.PHONY: build install test check fuzz bench demo

build: ; CGO_ENABLED=0 go build -trimpath -o bin/board ./cmd/board
install: ; CGO_ENABLED=0 go install -trimpath ./cmd/board
test: ; go test ./...
check: ; bash .ci/run
bench: ; go test -run '^$$' -bench . -cpu 1,2 ./...
demo: ; go run ./cmd/board demo
# make fuzz FUZZ=FuzzSurvival TIME=1m
FUZZ ?= FuzzSurvival
TIME ?= 30s
fuzz: ; go test -run '^$$' -fuzz '^$(FUZZ)$$' -fuzztime $(TIME) ./board
