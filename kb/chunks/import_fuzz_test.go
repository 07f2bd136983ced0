package chunks

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
)

// FuzzImportDatabase opens a store beside an arbitrary store.db. It must not panic. A
// failed import must have a next step and write nothing.
func FuzzImportDatabase(f *testing.F) {
	dir := f.TempDir()
	db := original(f, dir, originalSchema, threeChunks, twoStates)
	run(f, db, `PRAGMA wal_checkpoint(TRUNCATE)`)
	whole := expect.Value(os.ReadFile(filepath.Join(dir, storeFile)))(f)
	// The input modifies a valid file, which the fuzzer would not find by itself.
	f.Add(uint(0), []byte{}, uint(len(whole)))
	f.Add(uint(100), []byte("SELECT"), uint(len(whole)))
	f.Add(uint(len(whole)-60), []byte{0xff, 0xff, 0xff, 0xff}, uint(len(whole)))
	f.Add(uint(0), []byte("no database"), uint(5000))
	f.Add(uint(bytes.Index(whole, []byte("Stateless."))), []byte("\x00\xff`\n"), uint(len(whole)))
	f.Add(uint(bytes.Index(whole, []byte("2025-05-02"))), []byte("9999-99-99"), uint(len(whole)))
	f.Fuzz(func(t *testing.T, at uint, change []byte, size uint) {
		data := bytes.Clone(whole[:min(uint(len(whole)), size)])
		if at < uint(len(data)) {
			copy(data[at:], change)
		}
		dir := t.TempDir()
		path := filepath.Join(dir, storeFile)
		expect.OK(t, os.WriteFile(path, data, 0o600))
		s, res, err := Open(t.Context(), dir, Options{Import: true, Now: newClock().now})
		if now, rerr := os.ReadFile(path); rerr != nil || !bytes.Equal(now, data) {
			t.Fatalf("the original has changed: %v", rerr)
		}
		if err != nil {
			if !errors.Is(err, fault.Invalid) || len(fault.Next(err)) == 0 {
				t.Fatalf("%T: %v", err, err)
			}
			if _, err := os.Stat(filepath.Join(dir, FileName)); err == nil {
				t.Fatal("something was written")
			}
			return
		}
		defer s.Close()
		agrees(t, s)
		f := expect.Value(s.file(t.Context(), false))(t)
		var all []Chunk
		if err := f.Read(t.Context(), func(tx *sqlite.Tx) (err error) {
			all, err = chunksWhere(tx, `1`)
			return err
		}); err != nil || len(all) != res.Chunks.Added {
			t.Fatalf("%d chunks, %+v, %v", len(all), res, err)
		}
		for i := range all {
			sound(t, &all[i])
		}
		if again, err := s.Import(t.Context()); err != nil || again.Chunks.Added+again.Chunks.Updated+again.State.Added+again.State.Updated > 0 {
			t.Fatalf("a second time: %+v, %v", again, err)
		}
	})
}
