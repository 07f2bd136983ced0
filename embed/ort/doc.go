// Package ort embeds texts with ONNX Runtime, if its library is installed. It runs the
// same models as embed/minilm, which reads them, with the same vectors, but faster.
// Without a usable library, Open uses hugot.
//
// # A process of its own
//
// The library is native code, which can crash. This program is linked statically and
// cannot load it at all. So each loaded library has a process of its own, its host, which
// does nothing but call functions: it reads an address and arguments from a pipe, calls,
// and writes the result. Tensors are in memory that both processes share, so a text costs
// one call. Pointers of the library are plain numbers here, and no pointer of this
// program reaches the host.
//
// On Linux a host is a file of a few hundred bytes, made in memory; the system's dynamic
// loader loads it together with the library. On other systems programs are linked
// dynamically, and a host is a second process of this program (see Serve), which loads
// the library with purego. Linux does not use purego because its imports would make the
// system's loader start every process of this program. That takes a millisecond more, and
// fails without glibc, as in Alpine or an empty container.
//
// A host ends with the process that started it, since its pipes end.
//
// # Questions and batches
//
// A call with one text is a question and goes first. A running batch of a longer call is
// interrupted, and computed again (see Embedder).
//
// # How fast it is
//
// Compared with onnxruntime-node 1.30.0 and the same library: a model of the size of
// all-MiniLM-L6-v2 (with its vocabulary and random weights), in turns in one run, on two
// cores of a busy shared machine. Medians, and the median of the ratios of the pairs.
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
// A question alone takes 2.6 ms (p99 3.8), during a backfill 2.8 ms (p99 9.2): at the
// 99th percentile 2.4 times as long, and 1.6 to 2.8 times in busier runs. A call of a
// function in the other process takes 20 to 40 µs. Larger batches were not faster.
// Loading a model with all optimisations takes as long as with none, so the optimised
// form is not stored. The process of the library takes 165 MB.
//
// The engines on one core of that machine with SIMD (AVX-512 with VNNI), as ratios within
// a run, which vary because of other work on the machine. With hugot a model with 8-bit
// weights takes ten times as long as the full one.
//
//	                          14 tokens   200 tokens   resident
//	ONNX Runtime              1           1            172 MB
//	ONNX Runtime, 8 bits      0.29        0.45         79 MB
//	hugot, built with SIMD    2.3–4.7     4.7–5.5      350 MB
//	hugot, built without      25          39           343 MB
//
// hugot needs 0.1 s of processor time for the first vector: 40 ms to read and convert 90
// MB of weights, 35 ms to compile, 17 ms to compute. Its memory has three copies of the
// weights: the parsed file, the variables, and the backend's form. Only the parser can
// release the first. hugot cannot be interrupted, so during a backfill the median of a
// question is 4 to 16 times as long.
//
// For 8-bit vectors the cosine with the full ones is at least 0.9996 on a test model with
// random weights. Their cost in nDCG was not measured, as that needs published weights:
// board kb eval measures it.
//
// # How it was tested
//
// A soak test of an hour (BOARD_SOAK=1h go test -v -run TestSoak ./embed/ort): 64
// goroutines, half of whose calls are cancelled; invalid texts, libraries that are
// removed while they are loaded, crashes, invalid models. 4.5 million texts without an
// error. From the first minute to the last: 5 goroutines, 16 files, 20 to 25 MB here, 37
// to 38 MB in the library's process.
//
// On emulated arm64 the tests of this package pass with the library of onnxruntime-node
// for it (see TestEmulated), except for the soak test, which takes too long.
//
// To repeat it, with onnxruntime-node in DIR (npm install --ignore-scripts
// onnxruntime-node@1.30.0):
//
//	BOARD_TEST_ONNXRUNTIME=DIR/…/libonnxruntime.so.1 BOARD_TEST_ONNXRUNTIME_NODE=DIR \
//		go test -v -count=1 -run TestSpeed ./embed/ort
//
// board model bench compares the engines.
package ort
