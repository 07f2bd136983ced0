//go:build linux || darwin

package ort

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The functions used of the C API, as indexes into its table, which only ever grows at
// the end.
const (
	fnGetErrorMessage       = 2
	fnCreateEnv             = 3
	fnCreateSession         = 7
	fnRun                   = 9
	fnCreateSessionOptions  = 10
	fnSetLogSeverity        = 22
	fnSetOptimization       = 23
	fnSetThreads            = 24
	fnInputCount            = 30
	fnOutputCount           = 31
	fnOutputType            = 34
	fnInputName             = 36
	fnOutputName            = 37
	fnCreateRunOptions      = 39
	fnSetTerminate          = 46
	fnUnsetTerminate        = 47
	fnCreateTensor          = 49
	fnTensorInfo            = 55
	fnDimensionsCount       = 61
	fnDimensions            = 62
	fnCreateMemoryInfo      = 69
	fnDefaultAllocator      = 78
	fnReleaseStatus         = 93
	fnReleaseValue          = 96
	fnReleaseTypeInfo       = 98
	fnReleaseSessionOptions = 100
	fnCount                 = 101
)

// minAPI is the oldest supported version of the C API: ONNX Runtime 1.12.
const minAPI = 12

const (
	typeFloat, typeInt64 = 1, 7
	scratchSize          = 64 << 10
)

// library is a loaded library, whose functions are called in the host. Only one goroutine
// may use it, except for interrupt.
type library struct {
	*host
	version string
	fn      [fnCount]uintptr
	used    int // bytes of the memory that are allocated; calls need the first scratchSize
}

// errTooOld means that the library lacks functions that are needed.
var errTooOld = errors.New("it is too old")

// loadLibrary starts a host with a library and this much shared memory. The library must
// have a supported version of the C API.
func loadLibrary(path string, size int, api uintptr) (l *library, err error) {
	h, err := startHost(path, size+scratchSize)
	if err != nil {
		return nil, err
	}
	l = &library{host: h, used: scratchSize}
	defer func() {
		if err != nil {
			h.close()
		}
	}()
	base, err := l.call(0, h.getAPI)
	if err != nil {
		return nil, err
	}
	head, err := l.words(base, 2)
	if err != nil {
		return nil, err
	}
	version, err := l.call(0, head[1])
	if err == nil {
		l.version, err = l.text(version)
	}
	if err != nil {
		return nil, err
	}
	table, err := l.call(0, head[0], api)
	if err != nil {
		return nil, err
	}
	if table == 0 {
		return nil, fmt.Errorf("%w: it is %s, and 1.%d is needed", errTooOld, l.version, api)
	}
	functions, err := l.words(table, fnCount)
	copy(l.fn[:], functions)
	return l, err
}

// do calls a function that returns a status.
func (l *library) do(fn int, args ...uintptr) error {
	status, err := l.call(0, l.fn[fn], args...)
	if err != nil || status == 0 {
		return err
	}
	message, err := l.call(0, l.fn[fnGetErrorMessage], status)
	if err != nil {
		return err
	}
	why, err := l.text(message)
	if err != nil {
		return err
	}
	if _, err := l.call(0, l.fn[fnReleaseStatus], status); err != nil {
		return err
	}
	return errors.New(why)
}

// get calls a function that stores its result at the address of its last argument.
func (l *library) get(fn int, args ...uintptr) (uintptr, error) {
	l.put(0, 0)
	if err := l.do(fn, append(args, l.base)...); err != nil {
		return 0, err
	}
	return uintptr(binary.LittleEndian.Uint64(l.mem)), nil
}

// put writes a word into the shared memory.
func (l *library) put(at int, word uintptr) {
	binary.LittleEndian.PutUint64(l.mem[at:], uint64(word))
}

// give allocates n bytes of the shared memory and returns their address.
func (l *library) give(n int) int {
	at := l.used
	l.used += (n + 63) &^ 63
	return at
}

// keep copies text into the shared memory and returns its address there.
func (l *library) keep(text string) uintptr {
	at := l.give(len(text) + 1)
	copy(l.mem[at:], text)
	return l.base + uintptr(at)
}

// words reads the library's own memory.
func (l *library) words(at uintptr, n int) ([]uintptr, error) {
	if _, err := l.call(0, l.memcpy, l.base, at, uintptr(8*n)); err != nil {
		return nil, err
	}
	out := make([]uintptr, n)
	for i := range out {
		out[i] = uintptr(binary.LittleEndian.Uint64(l.mem[8*i:]))
	}
	return out, nil
}

// text reads a string of the library.
func (l *library) text(at uintptr) (string, error) {
	n, err := l.call(0, l.strlen, at)
	if err != nil {
		return "", err
	}
	n = min(n, scratchSize)
	_, err = l.call(0, l.memcpy, l.base, at, n)
	return string(l.mem[:n]), err
}
