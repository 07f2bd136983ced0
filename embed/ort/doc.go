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
// On busier machines (a load of 20 to 50 on two cores) the ratios of other runs were 0.85
// to 1.11, and 0.67 to 0.71 for a process.
//
// A question alone takes 2.6 ms (p99 3.8), during a backfill 2.8 (p99 9.2): at the 99th
// percentile 2.4 times as long; 1.6 to 2.8 times in busier runs. A call of a function in
// the other process takes 20 to 40 µs. Larger batches were no faster. To load a model
// with all optimisations takes as long as with none, so no optimised form of it is kept.
// The process of the library takes 165 MB.
//
// The engines side by side, on one core of that machine with SIMD (AVX-512 with VNNI), as
// ratios of the same run; other work on the machine is why they range. A model with
// weights of 8 bits takes, with hugot, ten times as long as the full one.
//
//	                          14 tokens   200 tokens   resident
//	ONNX Runtime              1           1            172 MB
//	ONNX Runtime, 8 bits      0.29        0.45         79 MB
//	hugot, built with SIMD    2.3–4.7     4.7–5.5      350 MB
//	hugot, built without      25          39           343 MB
//
// hugot's time to the first vector is 0.1 s of a processor: 40 ms to read and convert 90
// MB of weights, 35 ms to compile, 17 ms to compute. Its memory is three copies of the
// weights: the file as parsed, the variables, and what was made of them for the backend.
// The parser's copy is for the parser to release. A question waits for what hugot
// computes, which cannot be interrupted: during a backfill its median is 4 to 16 times as
// long.
//
// For vectors of 8 bits the cosine with the full ones is 0.9996 and more on a test model,
// whose weights mean nothing. What they cost in nDCG can be measured with published
// weights alone, which was not done: board kb eval does it.
//
// # How it was tried
//
// An hour's soak (BOARD_SOAK=1h go test -v -run TestSoak ./embed/ort): 64 goroutines,
// half of whose calls are cancelled, garbage, libraries that are removed while they are
// loaded, crashes, models that are none. Of 4.5 million texts, no error. From the first
// minute to the last 5 goroutines, 16 files, 20 to 25 MB here, 37 to 38 MB in the
// library's process.
//
// On arm64 under emulation the tests of this package pass with the library that
// onnxruntime-node has for it (see TestEmulated), but for the soak, which takes too long.
//
// To repeat it, with onnxruntime-node in DIR (npm install --ignore-scripts
// onnxruntime-node@1.30.0):
//
//	BOARD_TEST_ONNXRUNTIME=DIR/…/libonnxruntime.so.1 BOARD_TEST_ONNXRUNTIME_NODE=DIR \
//		go test -v -count=1 -run TestSpeed ./embed/ort
//
// board model bench compares the engines with each other.
package ort
