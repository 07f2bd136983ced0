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
package ort
