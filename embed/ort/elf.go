//go:build linux && !selfhost

package ort

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sync"
)

// machine is the part of a host's file that depends on the architecture.
type machine struct {
	id      uint16 // in the header of an ELF file
	name    string
	loaders []string // usual paths of the system's dynamic loader: glibc's, then musl's
	abs     uint64   // the relocation that stores the address of a symbol
	code    []byte   // position-independent, except for the two addresses below
	line    int      // offset in code for the address of the first line
	symbols int      // offset for the address of the symbols
	thread  int      // offset of the code with which a thread serves a line
}

// The code first writes the symbols to the first line, to report that the libraries are
// loaded. Then it serves the line: it reads a function and ten arguments, calls the
// function, and writes the result. At the end of the input the process exits.
var machines = sync.OnceValue(func() map[string]machine {
	return map[string]machine{
		"amd64": {
			id: 62, name: "x86-64", abs: 1, line: 0x02, symbols: 0x0c, thread: 0x8b,
			loaders: []string{"/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"},
			code: []byte{
				0x48, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, // start: mov rbx, line
				0x48, 0xbe, 0, 0, 0, 0, 0, 0, 0, 0, // mov rsi, symbols
				0x8b, 0x7b, 0x08, // mov edi, [rbx+8]
				0xba, 0x28, 0, 0, 0, // mov edx, 40
				0xb8, 0x01, 0, 0, 0, // mov eax, write
				0x0f, 0x05, // syscall
				0x48, 0x83, 0xe4, 0xf0, // serve: and rsp, -16
				0x8b, 0x3b, // again: mov edi, [rbx]
				0x48, 0x8d, 0x73, 0x10, // lea rsi, [rbx+16]
				0xba, 0x58, 0, 0, 0, // mov edx, 88
				0x31, 0xc0, // xor eax, eax (read)
				0x0f, 0x05, // syscall
				0x48, 0x83, 0xf8, 0x58, // cmp rax, 88
				0x75, 0x46, // jne end
				0xff, 0x73, 0x60, // push [rbx+96]
				0xff, 0x73, 0x58, // push [rbx+88]
				0xff, 0x73, 0x50, // push [rbx+80]
				0xff, 0x73, 0x48, // push [rbx+72]
				0x48, 0x8b, 0x7b, 0x18, // mov rdi, [rbx+24]
				0x48, 0x8b, 0x73, 0x20, // mov rsi, [rbx+32]
				0x48, 0x8b, 0x53, 0x28, // mov rdx, [rbx+40]
				0x48, 0x8b, 0x4b, 0x30, // mov rcx, [rbx+48]
				0x4c, 0x8b, 0x43, 0x38, // mov r8, [rbx+56]
				0x4c, 0x8b, 0x4b, 0x40, // mov r9, [rbx+64]
				0x31, 0xc0, // xor eax, eax
				0xff, 0x53, 0x10, // call [rbx+16]
				0x48, 0x83, 0xc4, 0x20, // add rsp, 32
				0x48, 0x89, 0x43, 0x10, // mov [rbx+16], rax
				0x8b, 0x7b, 0x08, // mov edi, [rbx+8]
				0x48, 0x8d, 0x73, 0x10, // lea rsi, [rbx+16]
				0xba, 0x08, 0, 0, 0, // mov edx, 8
				0xb8, 0x01, 0, 0, 0, // mov eax, write
				0x0f, 0x05, // syscall
				0xeb, 0xa5, // jmp again
				0x31, 0xff, // end: xor edi, edi
				0xb8, 0xe7, 0, 0, 0, // mov eax, exit_group
				0x0f, 0x05, // syscall
				0x48, 0x89, 0xfb, // thread: mov rbx, rdi
				0xeb, 0x93, // jmp serve
			},
		},
		"arm64": {
			id: 183, name: "aarch64", abs: 257, line: 0x88, symbols: 0x90, thread: 0x80,
			loaders: []string{"/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-aarch64.so.1"},
			code: words(
				0x58000453, // start: ldr x19, line
				0x58000461, // ldr x1, symbols
				0xf9400660, // ldr x0, [x19, #8]
				0xd2800502, // mov x2, #40
				0xd2800808, // mov x8, write
				0xd4000001, // svc #0
				0xf9400260, // again: ldr x0, [x19]
				0x91004261, // add x1, x19, #16
				0xd2800b02, // mov x2, #88
				0xd28007e8, // mov x8, read
				0xd4000001, // svc #0
				0xf101601f, // cmp x0, #88
				0x54000221, // b.ne end
				0xa945aa69, // ldp x9, x10, [x19, #88]
				0xa9bf2be9, // stp x9, x10, [sp, #-16]!
				0xa9418660, // ldp x0, x1, [x19, #24]
				0xa9428e62, // ldp x2, x3, [x19, #40]
				0xa9439664, // ldp x4, x5, [x19, #56]
				0xa9449e66, // ldp x6, x7, [x19, #72]
				0xf9400a69, // ldr x9, [x19, #16]
				0xd63f0120, // blr x9
				0x910043ff, // add sp, sp, #16
				0xf9000a60, // str x0, [x19, #16]
				0xf9400660, // ldr x0, [x19, #8]
				0x91004261, // add x1, x19, #16
				0xd2800102, // mov x2, #8
				0xd2800808, // mov x8, write
				0xd4000001, // svc #0
				0x17ffffea, // b again
				0xd2800000, // end: mov x0, #0
				0xd2800bc8, // mov x8, exit_group
				0xd4000001, // svc #0
				0xaa0003f3, // thread: mov x19, x0
				0x17ffffe5, // b again
				0, 0,       // line
				0, 0, // symbols
			),
		},
	}
})

func words(w ...uint32) (out []byte) {
	for _, x := range w {
		out = binary.LittleEndian.AppendUint32(out, x)
	}
	return out
}

// Where a host is mapped: the read-only part at hostBase, the writable part hostGap
// above, which is more than a page on every machine.
const (
	hostBase    = 0x400000
	hostGap     = 0x100000
	hostHeaders = 64 + 5*56
	hostLine    = 112 // bytes of a line
	symbolSize  = 24  // of an entry in the tables of symbols and relocations
)

// text is the read-only part of a host.
type text []byte

// place appends data and returns its address.
func (t *text) place(data []byte) uint64 {
	*t = append(*t, make([]byte, (16-len(*t)%16)%16)...)
	*t = append(*t, data...)
	return hostBase + uint64(len(*t)-len(data))
}

// put stores a word at an address.
func (t text) put(at, word uint64) { binary.LittleEndian.PutUint64(t[at-hostBase:], word) }

// hostFile returns a host as an ELF file, and the addresses of its second line and of the
// function that serves it. loader is the interpreter that loads it and library; lines are
// the descriptors of each line, to read and to write.
func (m machine) hostFile(
	loader, library string, lines [2][2]uint64,
) (file []byte, line, serve uint64) {
	le := binary.LittleEndian
	n := len(hostSymbols)
	names := []byte{0}
	symbols := make([]byte, symbolSize) // the first entry is empty
	for _, name := range hostSymbols {
		entry := le.AppendUint32(nil, uint32(len(names)))
		entry = append(entry, 1<<4, 0, 0, 0) // global, undefined here
		symbols = append(symbols, append(entry, make([]byte, 16)...)...)
		names = append(append(names, name...), 0)
	}
	libraryAt := uint64(len(names))
	names = append(append(names, library...), 0)
	// an empty hash table: the host exports nothing
	hash := words(append([]uint32{1, uint32(n + 1)}, make([]uint32, n+2)...)...)

	t := text(make([]byte, hostHeaders))
	loaderAt := t.place(append([]byte(loader), 0))
	symbolsAt, namesAt, hashAt := t.place(symbols), t.place(names), t.place(hash)
	relocsAt := t.place(make([]byte, symbolSize*n))
	codeAt := t.place(bytes.Clone(m.code))
	t.place(nil) // align the writable part to 16 bytes

	// The writable part: the addresses, the lines, and the table for the loader.
	dataAt := hostBase + hostGap + uint64(len(t))
	line0 := dataAt + uint64(8*n+8)
	dynamicAt := line0 + 2*hostLine
	for i := range uint64(n) {
		t.put(relocsAt+symbolSize*i, dataAt+8*i)
		t.put(relocsAt+symbolSize*i+8, (i+1)<<32|m.abs)
	}
	t.put(codeAt+uint64(m.line), line0)
	t.put(codeAt+uint64(m.symbols), dataAt)
	data := make([]byte, dynamicAt-dataAt)
	for i, fds := range lines {
		le.PutUint64(data[8*n+8+i*hostLine:], fds[0])
		le.PutUint64(data[8*n+8+i*hostLine+8:], fds[1])
	}
	for _, d := range [][2]uint64{
		{1, libraryAt}, {4, hashAt}, {5, namesAt}, {6, symbolsAt}, {10, uint64(len(names))},
		{11, symbolSize}, {7, relocsAt}, {8, uint64(symbolSize * n)}, {9, symbolSize},
		{24, 0}, {0, 0}, // bind everything at once; the end
	} {
		data = le.AppendUint64(le.AppendUint64(data, d[0]), d[1])
	}
	copy(t, m.header(codeAt, []segment{
		{interp, readable, loaderAt, loaderAt - hostBase, uint64(len(loader) + 1), 1},
		{load, readable | executable, hostBase, 0, uint64(len(t)), 0x10000},
		{load, readable | writable, dataAt, uint64(len(t)), uint64(len(data)), 0x10000},
		{
			dynamic, readable | writable, dynamicAt, uint64(len(t)) + dynamicAt - dataAt,
			uint64(len(data)) + dataAt - dynamicAt, 8,
		},
		{stack, readable | writable, 0, 0, 0, 16},
	}))
	return append(t, data...), line0 + hostLine, codeAt + uint64(m.thread)
}

// segment is a program header: what the system maps or must know.
type segment struct {
	kind, flags             uint32
	at, offset, size, align uint64
}

const (
	load, dynamic, interp, stack   = 1, 2, 3, 0x6474e551
	executable, writable, readable = 1, 2, 4
)

// header returns the start of an executable with a fixed address.
func (m machine) header(entry uint64, segments []segment) []byte {
	le := binary.LittleEndian
	h := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9)...)
	h = le.AppendUint16(le.AppendUint16(h, 2), m.id)
	h = le.AppendUint32(h, 1)
	h = le.AppendUint64(le.AppendUint64(le.AppendUint64(h, entry), 64), 0)
	h = le.AppendUint32(h, 0)
	for _, x := range []uint16{64, 56, uint16(len(segments)), 64, 0, 0} {
		h = le.AppendUint16(h, x)
	}
	for _, s := range segments {
		h = le.AppendUint32(le.AppendUint32(h, s.kind), s.flags)
		for _, x := range []uint64{s.offset, s.at, s.at, s.size, s.size, s.align} {
			h = le.AppendUint64(h, x)
		}
	}
	return h
}

// checkLibrary returns an error if the header shows that a file is not a library for this
// machine.
func (m machine) checkLibrary(head []byte) error {
	if len(head) < 20 || string(head[:4]) != "\x7fELF" {
		return fmt.Errorf("it is not a shared library for this system")
	}
	id := binary.LittleEndian.Uint16(head[18:])
	if id == m.id && head[4] == 2 {
		return nil
	}
	for _, other := range machines() {
		if other.id == id {
			return fmt.Errorf("it is for %s, and this machine is %s", other.name, m.name)
		}
	}
	return fmt.Errorf("it is for another kind of machine than %s", m.name)
}
