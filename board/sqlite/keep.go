package sqlite

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Keeper keeps files open between uses, for a program that serves many calls: opening a
// file takes several times as long as a small transaction, and closing it moves its WAL
// into it, with a wait for the disk. Open and Close are as without it, but for a context
// of Keeping they take a file from the Keeper and give it back.
//
// A file that was removed or replaced meanwhile is opened anew, and each transaction looks
// whether it was migrated. A file that nobody has used for a while is closed, and above the
// limit the one that was used least recently.
type Keeper struct {
	max  int           // files that are open though nobody uses them
	idle time.Duration // how long
	now  func() time.Time

	mu    sync.Mutex
	files map[keptAs]*keptFile
	sweep *time.Timer // nil: none is due
	ended bool
}

// keptAs tells files apart: a file of an older schema is opened without a migration.
type keptAs struct {
	path, schema string
	version      int
}

type keptFile struct {
	keeper *Keeper
	as     keptAs
	db     *DB
	users  int
	used   time.Time      // when the last user was done
	beside map[string]any // what is kept with the file, see Beside
}

// NewKeeper keeps at most max unused files open, each for a time.
func NewKeeper(max int, idle time.Duration) *Keeper {
	return &Keeper{max: max, idle: idle, now: time.Now, files: map[keptAs]*keptFile{}}
}

type keeperKey struct{}

// Keeping returns a context with which Open uses the keeper.
func (k *Keeper) Keeping(ctx context.Context) context.Context {
	return context.WithValue(ctx, keeperKey{}, k)
}

// openKept opens a file by the context's Keeper, or by openNew if that has none.
func openKept(ctx context.Context, path string, schema Schema, mode Mode) (*DB, error) {
	k, _ := ctx.Value(keeperKey{}).(*Keeper)
	abs, err := filepath.Abs(path)
	if k == nil || err != nil {
		return openNew(ctx, path, schema, mode)
	}
	as := keptAs{abs, schema.Name, len(schema.Migrations)}
	if f := k.take(as); f != nil {
		if f.db.CheckFile() == nil {
			return f.handle(path), nil
		}
		f.drop()
		f.release()
	}
	// a caller that is cancelled must not leave it half open for others
	db, err := openNew(context.WithoutCancel(ctx), path, schema, mode)
	if err != nil || db.readOnly {
		return db, err
	}
	return k.keep(as, db).handle(path), nil
}

func (k *Keeper) take(as keptAs) *keptFile {
	k.mu.Lock()
	defer k.mu.Unlock()
	f := k.files[as]
	if f != nil {
		f.users++
	}
	return f
}

// keep takes over a file that was opened just now, with its first user. If another caller
// has opened it at the same time, both are used until they are closed.
func (k *Keeper) keep(as keptAs, db *DB) *keptFile {
	k.mu.Lock()
	defer k.mu.Unlock()
	f := &keptFile{keeper: k, as: as, db: db, users: 1, beside: map[string]any{}}
	if k.files[as] == nil && !k.ended {
		k.files[as] = f
	}
	return f
}

// check returns an error if the file has another schema by now. The next user opens it again.
func (f *keptFile) check(tx *Tx) error {
	have, err := One[int](tx, userVersion)
	switch {
	case err != nil || have == f.as.version:
		return err
	case have > f.as.version:
		err = f.db.newer(have)
	default:
		err = goneFault(f.as.path)
	}
	f.drop()
	return err
}

// handle returns a DB for one user, whose clock is its own.
func (f *keptFile) handle(path string) *DB {
	db := *f.db
	db.path, db.kept = path, f
	return &db
}

// drop lets nobody else use the file.
func (f *keptFile) drop() {
	f.keeper.mu.Lock()
	defer f.keeper.mu.Unlock()
	if f.keeper.files[f.as] == f {
		delete(f.keeper.files, f.as)
	}
}

// release is for a user that is done. The last one of a dropped file closes it.
func (f *keptFile) release() error {
	k := f.keeper
	k.mu.Lock()
	f.users--
	f.used = k.now()
	var unused []*keptFile
	if k.files[f.as] == f {
		unused = k.evict(k.max)
		k.plan()
	} else if f.users == 0 {
		unused = []*keptFile{f}
	}
	k.mu.Unlock()
	return closeAll(unused)
}

// evict takes unused files out of the Keeper until at most max unused ones are left, the least
// recently used first, and returns them. The caller holds the lock.
func (k *Keeper) evict(max int) (out []*keptFile) {
	for {
		var oldest *keptFile
		n := 0
		for _, f := range k.files {
			if f.users == 0 {
				if n++; oldest == nil || f.used.Before(oldest.used) {
					oldest = f
				}
			}
		}
		if n <= max {
			return out
		}
		delete(k.files, oldest.as)
		out = append(out, oldest)
	}
}

// plan sets a timer for closeIdle, if none is set. The caller holds the lock.
func (k *Keeper) plan() {
	if k.sweep == nil && !k.ended {
		k.sweep = time.AfterFunc(k.idle, k.closeIdle)
	}
}

// closeIdle closes what nobody has used for a while.
func (k *Keeper) closeIdle() {
	k.mu.Lock()
	var idle []*keptFile
	k.sweep = nil
	for as, f := range k.files {
		if f.users == 0 && k.now().Sub(f.used) >= k.idle {
			delete(k.files, as)
			idle = append(idle, f)
		}
	}
	if len(k.files) > 0 {
		k.plan()
	}
	k.mu.Unlock()
	closeAll(idle)
}

// Close closes all files that nobody uses. The others are closed by their last user.
func (k *Keeper) Close() error {
	k.mu.Lock()
	k.ended = true
	if k.sweep != nil {
		k.sweep.Stop()
	}
	unused := k.evict(0)
	clear(k.files)
	k.mu.Unlock()
	return closeAll(unused)
}

func closeAll(files []*keptFile) (err error) {
	for _, f := range files {
		if e := f.db.close(); err == nil {
			err = e
		}
	}
	return err
}

// Once runs fn, unless it has succeeded already, under this name, for a file that a Keeper has open.
func Once(db any, what string, fn func() error) error {
	kept, ok := db.(interface{ Beside(string, func() any) any })
	if !ok {
		return fn()
	}
	done := kept.Beside(what, func() any { return new(atomic.Bool) }).(*atomic.Bool)
	if done.Load() {
		return nil
	}
	err := fn()
	done.Store(err == nil)
	return err
}

// Beside returns what is kept with the file under a name, such as what was read of it; create makes
// it. Without a Keeper, each call creates it.
func (db *DB) Beside(name string, create func() any) any {
	if db.kept == nil {
		return create()
	}
	k := db.kept.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if db.kept.beside[name] == nil {
		db.kept.beside[name] = create()
	}
	return db.kept.beside[name]
}
