//go:build linux || darwin

package ort

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"blackboard/embed"
	"blackboard/embed/minilm"
)

// session is a loaded model. Only one goroutine may use it, except for interrupt.
type session struct {
	*library
	files        *minilm.Files
	inputs       []string
	mask         bool // the model has a mask for padding
	dim, rank    int
	handle       uintptr
	memory       uintptr // the description of main memory for tensors
	names        uintptr // of the inputs, and of the only output
	ids, numbers int     // addresses of inputs and output in the shared memory
	most         int     // greatest number of tokens, with padding
	values       map[shape]tensors
	recent       []shape // the keys of values, last used at the end

	options uintptr // of a run that can be interrupted
	mu      sync.Mutex
	running bool // such a run is in progress
	stopped bool // it was interrupted
}

// shape is the size of an input: texts, and tokens of each.
type shape struct{ rows, cols int }

// tensors are the tensors of a shape in the session's shared memory: the inputs, then the
// output.
type tensors []uintptr

// maxShapes is how many shapes are cached. Each has a few hundred bytes.
const maxShapes = 128

var (
	errInterrupted = errors.New("interrupted")
	errNoRoom      = errors.New("its vectors are too long")
)

// openSession loads a library and a model into it, with this number of threads (0: one
// for each core), for at most most tokens at once.
func openSession(f *minilm.Files, path string, threads, most int) (s *session, err error) {
	const unknownDim = 4096
	dim := f.Dim
	if dim <= 0 {
		dim = unknownDim
	}
	most = max(most, f.Limit)
	l, err := loadLibrary(path, most*(3*8+4*dim)+1<<20, minAPI)
	if err != nil {
		return nil, err
	}
	s = &session{library: l, files: f, most: most, values: map[shape]tensors{}}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	const severityFatal, optimizeAll = 4, 99
	env, err := s.get(fnCreateEnv, severityFatal, s.keep("board"))
	if err != nil {
		return nil, err
	}
	options, err := s.get(fnCreateSessionOptions)
	if err != nil {
		return nil, err
	}
	for _, set := range [][2]uintptr{
		{fnSetLogSeverity, severityFatal}, {fnSetOptimization, optimizeAll},
		{fnSetThreads, uintptr(threads)},
	} {
		if err := s.do(int(set[0]), options, set[1]); err != nil {
			return nil, err
		}
	}
	if s.handle, err = s.get(fnCreateSession, env, s.keep(f.Weights), options); err != nil {
		if errors.Is(err, errGone) {
			return nil, err
		}
		return nil, f.Bad("cannot be loaded by ONNX Runtime", err)
	}
	if _, err := s.call(0, s.fn[fnReleaseSessionOptions], options); err != nil {
		return nil, err
	}
	const arenaAllocator, defaultMemory = 1, 0
	if s.memory, err = s.get(fnCreateMemoryInfo, arenaAllocator, defaultMemory); err != nil {
		return nil, err
	}
	if s.options, err = s.get(fnCreateRunOptions); err != nil {
		return nil, err
	}
	return s, s.look()
}

// look reads the model's inputs and outputs.
func (s *session) look() error {
	allocator, err := s.get(fnDefaultAllocator)
	if err != nil {
		return err
	}
	addresses, names := map[int][]uintptr{}, map[int][]string{}
	for fn, count := range map[int]int{fnInputName: fnInputCount, fnOutputName: fnOutputCount} {
		n, err := s.get(count, s.handle)
		if err != nil {
			return err
		}
		for i := range n {
			at, err := s.get(fn, s.handle, i, allocator)
			if err != nil {
				return err
			}
			name, err := s.text(at)
			if err != nil {
				return err
			}
			addresses[fn], names[fn] = append(addresses[fn], at), append(names[fn], name)
		}
	}
	var outputs [][]int
	for i := range names[fnOutputName] {
		dims, err := s.dimensions(uintptr(i))
		if err != nil {
			return err
		}
		outputs = append(outputs, dims)
	}
	output := 0
	if output, s.dim, err = s.files.Fit(names[fnInputName], outputs); err != nil {
		return err
	}
	s.inputs, s.rank = names[fnInputName], len(outputs[output])
	for _, name := range s.inputs {
		s.mask = s.mask || name == "attention_mask"
	}
	at := s.give(8 * (len(s.inputs) + 1))
	s.names = s.base + uintptr(at)
	for i, address := range append(addresses[fnInputName], addresses[fnOutputName][output]) {
		s.put(at+8*i, address)
	}
	s.ids, s.numbers = s.give(8*s.most*len(s.inputs)), s.give(4*s.most*s.dim)
	if s.used > len(s.mem) {
		return s.files.Bad("cannot be used", errNoRoom)
	}
	return nil
}

// dimensions returns those of an output; none if it is not a tensor.
func (s *session) dimensions(output uintptr) ([]int, error) {
	info, err := s.get(fnOutputType, s.handle, output)
	if err != nil {
		return nil, err
	}
	var dims []int
	tensor, err := s.get(fnTensorInfo, info)
	if err == nil && tensor != 0 {
		var n uintptr
		if n, err = s.get(fnDimensionsCount, tensor); err == nil && n < scratchSize/8 {
			if err = s.do(fnDimensions, tensor, s.base, n); err == nil {
				for i := range int(n) {
					dims = append(dims, int(int64(binary.LittleEndian.Uint64(s.mem[8*i:]))))
				}
			}
		}
	}
	if err == nil {
		_, err = s.call(0, s.fn[fnReleaseTypeInfo], info)
	}
	return dims, err
}

// tensors returns the cached tensors of a shape.
func (s *session) tensors(sh shape) (tensors, error) {
	if made := s.values[sh]; made != nil {
		for i, old := range s.recent {
			if old == sh {
				s.recent = append(append(s.recent[:i], s.recent[i+1:]...), sh)
				break
			}
		}
		return made, nil
	}
	if len(s.recent) == maxShapes {
		for _, v := range s.values[s.recent[0]] {
			if _, err := s.call(0, s.fn[fnReleaseValue], v); err != nil {
				return nil, err
			}
		}
		delete(s.values, s.recent[0])
		s.recent = s.recent[1:]
	}
	var made tensors
	add := func(at, width, kind int, dims ...int) error {
		const dimsAt = 64 // in the scratch memory, after what get uses
		size := width
		for i, d := range dims {
			s.put(dimsAt+8*i, uintptr(d))
			size *= d
		}
		v, err := s.get(fnCreateTensor, s.memory, s.base+uintptr(at), uintptr(size),
			s.base+dimsAt, uintptr(len(dims)), uintptr(kind))
		made = append(made, v)
		return err
	}
	for i := range s.inputs {
		if err := add(s.ids+8*s.most*i, 8, typeInt64, sh.rows, sh.cols); err != nil {
			return nil, err
		}
	}
	dims := []int{sh.rows, sh.cols, s.dim}
	if s.rank == 2 {
		dims = []int{sh.rows, s.dim}
	}
	if err := add(s.numbers, 4, typeFloat, dims...); err != nil {
		return nil, err
	}
	s.values[sh] = made
	s.recent = append(s.recent, sh)
	return made, nil
}

// run computes the vectors of texts. They must fit into the memory, with padding if their
// lengths differ. An urgent run cannot be interrupted.
func (s *session) run(ids [][]uint32, urgent bool) ([]embed.Vector, error) {
	sh := shape{rows: len(ids)}
	for _, row := range ids {
		sh.cols = max(sh.cols, len(row))
	}
	if sh.rows*sh.cols > s.most {
		return nil, fmt.Errorf("%d tokens at once, with room for %d", sh.rows*sh.cols, s.most)
	}
	made, err := s.tensors(sh)
	if err != nil {
		return nil, err
	}
	for i, name := range s.inputs {
		at := s.mem[s.ids+8*s.most*i:]
		clear(at[:8*sh.rows*sh.cols])
		for k, row := range ids {
			for j, id := range row {
				word := uint64(0)
				switch name {
				case "input_ids":
					word = uint64(id)
				case "attention_mask":
					word = 1
				}
				binary.LittleEndian.PutUint64(at[8*(k*sh.cols+j):], word)
			}
		}
	}
	for i, v := range made {
		s.put(8*i, v)
	}
	if err := s.compute(urgent); err != nil {
		return nil, err
	}
	out := make([]embed.Vector, sh.rows)
	each := sh.cols * s.dim
	if s.rank == 2 {
		each = s.dim
	}
	row := make([]float32, each)
	for k := range out {
		n := each
		if s.rank == 3 {
			n = len(ids[k]) * s.dim
		}
		for i := range n {
			at := s.mem[s.numbers+4*(k*each+i):]
			row[i] = math.Float32frombits(binary.LittleEndian.Uint32(at))
		}
		if out[k], err = s.files.Vector(row[:n], s.dim); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// compute runs the model with the tensors at the start of the scratch memory.
func (s *session) compute(urgent bool) error {
	options := s.options
	if urgent {
		options = 0
	}
	s.mu.Lock()
	s.running, s.stopped = !urgent, false
	s.mu.Unlock()
	n := uintptr(len(s.inputs))
	return s.finished(s.do(fnRun, s.handle, options, s.names, s.base, n, s.names+8*n, 1, s.base+8*n))
}

// finished records the end of a run.
func (s *session) finished(err error) error {
	s.mu.Lock()
	stopped := s.stopped
	s.running, s.stopped = false, false
	s.mu.Unlock()
	if errors.Is(err, errGone) {
		return err
	}
	if stopped {
		if err := s.do(fnUnsetTerminate, s.options); err != nil {
			return err
		}
		if err != nil {
			return errInterrupted
		}
	}
	if err != nil {
		return s.files.Bad("cannot be run by ONNX Runtime", err)
	}
	return nil
}

// interrupt makes a run end soon, unless it is urgent. Any goroutine may call it.
func (s *session) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running && !s.stopped {
		s.stopped = true
		s.call(1, s.fn[fnSetTerminate], s.options) // if the host has ended, the run reports it
	}
}
