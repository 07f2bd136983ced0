// # How fast it is
//
// On two cores of a shared virtual machine (x86-64, Linux, Go 1.26). The daemon answers a
// search of 10,000 capsules in 1.7 to 2.3 ms over its socket where the same takes 1.7 to
// 2.1 ms in process, one of 100,000 in 2.4 to 2.8 (2.1 to 2.9), and embeds in 0.04 to
// 0.06 ms beside what the model takes. As whole processes, at 10,000 capsules with
// potion-base-2M; medians, and the 99th percentile in brackets:
//
//	`board kb search --mode hybrid` through the daemon; without it              18 ms (25); 91 ms (138)
//	`board hook UserPromptSubmit` with the daemon; without it, by words         18 ms (26 to 52); 25 ms (37 to 113)
//	`board hook PostToolUse`                                                    14 ms (30)
//	`board mcp`, start to its list of tools; then `board_post`                  27 ms (39); 3.0 ms (9)
//
// 64 clients at once for a minute, searching, embedding and watching: 83,094 requests,
// median 37 ms, p99 98 ms, and 18,438 events, no error, nothing left behind. Twenty MCP
// servers at once, each posting 100 entries while it remembers and searches: all 2,000
// entries there, nothing locked, one model in memory.
//
//	go test -run '^$' -bench . ./cmd/board/daemon
//	BOARD_LOAD_SECONDS=60 go test ./cmd/board/daemon -run Load -v
//	BOARD_BENCH_DOCS=10000 go test -run '^$' -bench Process ./kb
//	go test -run '^$' -bench 'MCP|Hook' ./cmd/board
//	BOARD_LOAD_ENTRIES=100 go test ./cmd/board -run ManyServers -v
package daemon
