package board

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"blackboard/board/disk"
	"blackboard/board/sqlite"
)

// This file keeps receipts beside the file of a run until the next write takes them over. A
// hook that opened the database would cost a third more.

const (
	spoolSuffix = ".ran"
	spoolLock   = "-lock"
	maxSpool    = 4 << 20
)

// spoolOf is where receipts of a run wait, "" for a run on a server.
func spoolOf(dir, run string) string {
	if at, ok := placeOf(dir).(sqlite.RunDir); ok {
		return at.Name(run) + spoolSuffix
	}
	return ""
}

// appendSpool adds a receipt to those that wait, as one line.
func appendSpool(ctx context.Context, dir, run, spool string, r Receipt) error {
	if _, err := os.Stat(sqlite.RunPath(dir, run)); err != nil {
		return (&Board{run: run}).missing()
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	unlock, err := disk.Lock(ctx, spool+spoolLock)
	if err != nil {
		return err
	}
	defer unlock()
	if info, err := os.Stat(spool); err == nil && info.Size()+int64(len(line)) > maxSpool {
		return invalid("too many receipts wait for a write to "+run, "post something, or say done")
	}
	f, err := os.OpenFile(spool, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// waitingReceipts reads what waits, without what a hook that was killed has left half written.
func (b *Board) waitingReceipts() (all []Receipt, err error) {
	spool := spoolOf(b.dir, b.run)
	if spool == "" {
		return nil, nil
	}
	data, err := disk.Read(spool, maxSpool)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	for line := range bytes.Lines(data) {
		var r Receipt
		if json.Unmarshal(line, &r) == nil && r.check() == nil && checkWorker(r.Worker) == nil {
			all = append(all, r)
		}
	}
	return all, err
}

// takeSpool holds the receipts that wait, so that a write takes them over. taken says whether
// it has; until then they stay.
func (b *Board) takeSpool(ctx context.Context) (waiting []Receipt, release func(taken bool), err error) {
	release = func(bool) {}
	spool := spoolOf(b.dir, b.run)
	if spool == "" {
		return nil, release, nil
	}
	if info, err := os.Stat(spool); err != nil || info.Size() == 0 {
		return nil, release, nil
	}
	unlock, err := disk.Lock(ctx, spool+spoolLock)
	if err != nil {
		return nil, release, err
	}
	waiting, err = b.waitingReceipts()
	return waiting, func(taken bool) {
		if taken {
			os.Truncate(spool, 0) // if it fails, they are recognized next time
		}
		unlock()
	}, err
}

// removeSpool removes what waits for a run that was removed.
func removeSpool(dir, run string) {
	if spool := spoolOf(dir, run); spool != "" {
		os.Remove(spool)
		os.Remove(spool + spoolLock)
	}
}
