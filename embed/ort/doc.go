// Package ort embeds texts with ONNX Runtime, where its library is installed: the same
// models as embed/minilm, which reads them, and the same vectors, only sooner. Where
// there is no library that can be used, Open gives hugot.
//
// # A process of its own
//
// The library is native code, which can crash, and this program is linked statically,
// so that it cannot load one at all. So each loaded library has a process, its host,
// which knows nothing but to call functions: it reads an address and arguments from a
// pipe, calls, and writes what was returned. Tensors lie in memory that both processes
// see, so a text costs one call. Pointers of the library are numbers here, and no
// pointer of ours ever leaves.
//
// On Linux a host is a file of a few hundred bytes, made in memory: the system's
// dynamic loader loads it together with the library. Elsewhere programs are linked
// dynamically anyhow, and a host is this program once more (see Serve), which loads the
// library with purego. That is not so on Linux because purego's imports would have the
// system's loader start every process of this program: a millisecond more each time,
// and no start at all where there is no glibc, as in Alpine or an empty container.
//
// A host ends with the process that started it, as its pipes do.
//
// # Who waits
//
// A call with one text is a question and goes first; what is under way for longer calls
// is interrupted, and computed again (see Embedder).
//
// # How fast it is
//
// Beside onnxruntime-node 1.30.0 with the same library, a model of the size of
// all-MiniLM-L6-v2 (with its vocabulary, and weights that mean nothing), in turns in
// one run, on two cores of a shared machine that had much else to do: medians, and the
// median of the ratios of the pairs.
//
//	                                       theirs   ours     ratio
//	one text of 14 tokens, 1 thread        4.2 ms   4.0 ms   0.99
//	one text of 14 tokens, 2 threads       6.0 ms   5.2 ms   0.97
//	one text of 200 tokens, 2 threads      22 ms    23 ms    0.99
//	each of 8 texts of 200, 2 threads      19 ms    19 ms    1.01
//	a process, to its first vector         225 ms   161 ms   0.71
//
// On a machine that was busier still, the ratios of another run were 0.90 to 1.11, and 0.70
// for a process.
//
// A question alone takes 2.6 ms (p99 3.8), during a backfill 2.8 (p99 9.2): at the 99th
// percentile 2.4 times as long; 2.8 times in the busier run. A call of a function in the
// other process takes 20 to 40 µs. Larger batches were no faster. To load a model with all
// optimisations takes as long as with none, so no optimised form of it is kept. The process
// of the library takes 165 MB.
//
// To repeat it, with onnxruntime-node in DIR (npm install --ignore-scripts
// onnxruntime-node@1.30.0):
//
//	BOARD_TEST_ONNXRUNTIME=DIR/…/libonnxruntime.so.1 BOARD_TEST_ONNXRUNTIME_NODE=DIR \
//		go test -v -count=1 -run TestSpeed ./embed/ort
//
// board model bench compares the engines with each other.
package ort
