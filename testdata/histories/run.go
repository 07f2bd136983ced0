package histories

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the files are looked at by SQL too
)

// Run has the callers call, does what the settings say to the world, and returns what happened,
// once everything that it started has ended.
func Run(c Config) (*History, []string, error) {
	w, err := newWorld(c)
	if err != nil {
		return nil, nil, err
	}
	if w.does("disk") {
		unmount, err := w.mountSmall()
		if err != nil {
			return nil, nil, err
		}
		defer unmount()
	}
	if w.does("old") {
		if err := w.makeOld(); err != nil {
			return nil, nil, err
		}
	}
	if w.Daemon {
		if err := w.startDaemon(); err != nil {
			return nil, nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.Time)
	defer cancel()
	var callers, others sync.WaitGroup
	for _, call := range w.callers() {
		callers.Go(func() { call.loop(ctx) })
	}
	for i, f := range []struct {
		name string
		do   func(context.Context, *rand.Rand)
	}{{"kill", w.killing}, {"stop", w.stopping}, {"reopen", w.reopening}, {"around", w.around}, {"runs", w.churning}, {"hand", w.editing}, {"schema", w.newerSchema}, {"disk", w.fillingDisk}} {
		if w.does(f.name) {
			others.Go(func() { f.do(ctx, rand.New(rand.NewPCG(c.Seed, uint64(1000+i)))) })
		}
	}
	if c.Breaks > 0 {
		defer context.AfterFunc(ctx, w.wakeAll)()
		others.Go(func() { w.outages(ctx, cancel) })
	}
	for i := range c.Watchers {
		others.Go(func() { w.watch(ctx, i) })
	}
	callers.Wait()
	cancel() // where the number of calls ended them
	others.Wait()
	for _, s := range w.servers {
		s.leave(false)
	}
	w.stopDaemon(false)
	h := &History{Config: c, Ops: w.ops, Faults: w.faults}
	slices.SortFunc(h.Ops, func(a, b *Op) int { return int(a.Call - b.Call) })
	if w.does("disk") { // what is on it must outlive it
		if err := w.keepDisk(); err != nil {
			return nil, nil, err
		}
	}
	if c.Void != nil {
		if err := c.Void(); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrVoid, err)
		}
	}
	if c.Database != "" {
		if err := w.take(); err != nil {
			w.problem("what is lost below could not be looked for: %v", err)
		}
	}
	return h, w.problems, h.Save(c.Dir)
}

func (w *world) does(fault string) bool { return slices.Contains(w.Faults, fault) }

func (w *world) callers() []*caller {
	var weight []weighted
	for _, store := range w.Stores {
		weight = append(weight, kinds[store]...)
	}
	var all []*caller
	add := func(via, name string, tool func(context.Context, string, map[string]any) (answer, error)) {
		all = append(all, &caller{w: w, name: name, via: via, tool: tool, vers: map[string]int64{}, weight: weight,
			rand: rand.New(rand.NewPCG(w.Seed, uint64(len(all))))})
	}
	for i := range w.Servers {
		s := &server{w: w, name: fmt.Sprintf("server-%d", i)}
		w.servers = append(w.servers, s)
		for j := range w.Overlap {
			add("stdio", fmt.Sprintf("s%d-%d", i, j), s.tool)
		}
	}
	for i := range w.Commands {
		add("cli", fmt.Sprintf("c%d", i), nil)
	}
	if w.Daemon {
		h := &overHTTP{w: w, c: http.Client{Timeout: patience}}
		for i := range w.Overlap {
			add("http", fmt.Sprintf("h%d", i), h.tool)
		}
	}
	return all
}

// pause waits, and is false once the run is over.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

func (w *world) fault(what string, at int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, Fault{what, at, w.now()})
}

func (w *world) killing(ctx context.Context, r *rand.Rand) {
	every := cmp.Or(w.Kills, 100*time.Millisecond)
	for pause(ctx, time.Duration(r.Int64N(int64(2*every)))) {
		at := w.now()
		killed := true
		switch n := r.IntN(10); {
		case n < 3 && len(w.servers) > 0:
			killed = w.servers[r.IntN(len(w.servers))].leave(true)
		case n == 3 && w.Daemon:
			w.stopDaemon(true)
			if err := w.startDaemon(); err != nil {
				w.problem("a daemon could not be started again: %v", err)
			}
		default:
			killed = w.signalCommand(syscall.SIGKILL) != nil
		}
		if killed {
			w.fault("kill", at)
		}
	}
}

// signalCommand sends a signal to one of the commands that run.
func (w *world) signalCommand(sig syscall.Signal) *exec.Cmd {
	w.mu.Lock()
	defer w.mu.Unlock()
	for cmd := range w.commands { // any
		cmd.Process.Signal(sig)
		return cmd
	}
	return nil
}

// stopping has processes stand still where they are, with whatever they hold, and go on later.
func (w *world) stopping(ctx context.Context, r *rand.Rand) {
	for pause(ctx, time.Duration(100+r.IntN(500))*time.Millisecond) {
		at := w.now()
		var stopped *exec.Cmd
		w.mu.Lock()
		d := w.daemon
		w.mu.Unlock()
		switch n := r.IntN(4); {
		case n == 0 && d != nil:
			stopped = d.cmd
			stopped.Process.Signal(syscall.SIGSTOP)
		case n == 1 && len(w.servers) > 0:
			s := w.servers[r.IntN(len(w.servers))]
			s.mu.Lock()
			if s.proc != nil {
				stopped = s.proc.cmd
				stopped.Process.Signal(syscall.SIGSTOP)
			}
			s.mu.Unlock()
		default:
			stopped = w.signalCommand(syscall.SIGSTOP)
		}
		pause(ctx, time.Duration(200+r.IntN(1800))*time.Millisecond)
		if stopped != nil {
			stopped.Process.Signal(syscall.SIGCONT)
		}
		w.fault("stop", at)
	}
}

func (w *world) reopening(ctx context.Context, r *rand.Rand) {
	for len(w.servers) > 0 && pause(ctx, time.Duration(200+r.IntN(1500))*time.Millisecond) {
		w.servers[r.IntN(len(w.servers))].leave(false)
	}
}

// plain makes a call that is not a caller's, and records it.
func (w *world) plain(kind, key, value string, args ...string) *Op {
	n, _ := w.more(context.Background())
	o := &Op{N: n, Caller: kind, Via: "cli", Kind: kind, Key: key, Value: value, If: -1, Call: w.now()}
	a, err := w.run(context.Background(), "", args...)
	o.Return = w.now()
	switch {
	case errors.Is(err, errGone):
		o.Out = Unknown
	case err != nil:
		o.Out, o.Err = Failed, err.Error()
	case a.code == 5 || a.code == 6:
		o.Out, o.Err = Refused, strings.TrimSpace(a.text)
	case a.isError:
		o.Out, o.Err = Failed, strings.TrimSpace(a.text)
	default:
		o.Out = OK
	}
	for _, what := range []string{"entry", "capsule"} {
		if id := str(mapOf(a.data[what])["id"]); id != "" {
			o.IDs = []string{id}
		}
	}
	w.record(o)
	return o
}

// around does what people and scripts do to files that others write to.
func (w *world) around(ctx context.Context, r *rand.Rand) {
	commands := map[string][]string{
		"board":   {"export --run " + runName, "replay --at 1 --run " + runName, "runs", "query --run " + runName},
		"kb":      {"kb doctor", "kb list", "kb curate dedupe"},
		"memory":  {"memory list", "memory orient"},
		"context": {"context list"},
	}
	all := []string{"doctor"}
	for _, store := range w.Stores {
		all = append(all, commands[store]...)
	}
	for pause(ctx, time.Duration(r.IntN(100))*time.Millisecond) {
		which := all[r.IntN(len(all))]
		w.plain("around", which, "", append(strings.Fields(which), "--json")...)
		if r.IntN(4) == 0 {
			which = []string{"kb export", "memory export"}[r.IntN(2)]
			w.plain("around", which, "", strings.Fields(which)...)
		}
	}
}

// churning removes a run and makes it again, while servers post to it and have it open.
func (w *world) churning(ctx context.Context, r *rand.Rand) {
	var posts sync.WaitGroup
	defer posts.Wait()
	for i, s := range w.servers {
		posts.Go(func() {
			r := rand.New(rand.NewPCG(w.Seed, uint64(2000+i)))
			for pause(ctx, time.Duration(r.IntN(20))*time.Millisecond) {
				n, ok := w.more(ctx)
				if !ok {
					return
				}
				o := &Op{N: n, Caller: fmt.Sprintf("churn-%d", i), Via: "stdio", Kind: "churn-post", If: -1, Call: w.now()}
				o.Value = fmt.Sprintf("churn %d of %s", n, o.Caller)
				c := &caller{via: "stdio"}
				a, err := s.tool(context.Background(), "board_post", map[string]any{"run": churnName, "worker": o.Caller, "content": o.Value})
				o.Return, o.Kind = w.now(), "post"
				c.judge(o, a, err)
				o.Kind = "churn-post"
				w.record(o)
			}
		})
	}
	for i := 0; pause(ctx, time.Duration(r.IntN(100))*time.Millisecond); i++ {
		w.plain("churn-rm", "", "", "rm", churnName, "--yes")
		w.plain("churn-post", "", fmt.Sprintf("churn by command %d", i), "post", fmt.Sprintf("churn by command %d", i), "--run", churnName, "--worker", "churn", "--json")
	}
}

// editing edits files of capsules by hand, as an editor does: a new file in the place of the old
// one.
func (w *world) editing(ctx context.Context, r *rand.Rand) {
	for i := 0; pause(ctx, time.Duration(r.IntN(300))*time.Millisecond); i++ {
		body := fmt.Sprintf("by hand %d", i)
		o := w.plain("hand-remember", "", body, "kb", "remember", "--title", fmt.Sprintf("To be edited, %d", i), "--source", "history", "--force", "--json", body)
		if o.Out != OK {
			continue
		}
		path := filepath.Join(w.home, "kb", "capsules", o.IDs[0]+".md")
		text, err := os.ReadFile(path)
		if err != nil {
			w.problem("the file of a capsule that was acknowledged: %v", err)
			continue
		}
		edited := strings.Replace(string(text), body, body+", edited", 1)
		if err := os.WriteFile(path+".tmp~", []byte(edited), 0o600); err != nil {
			continue // the disk is full
		}
		if err := os.Rename(path+".tmp~", path); err != nil {
			w.problem("%v", err)
			continue
		}
		w.mu.Lock()
		w.ops = append(w.ops, &Op{Caller: "hand", Via: "file", Kind: "hand-edit", Key: o.IDs[0], Value: body + ", edited", If: -1, Call: w.now(), Return: w.now(), Out: OK})
		w.mu.Unlock()
		w.plain("around", "sync", "", "kb", "list", "--limit", "1", "--json")
	}
}

func (w *world) boardFile() string { return filepath.Join(w.home, "boards", runName+".sqlite3") }

func execSQL(path string, statements ...string) error {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=rw&_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

// makeOld makes a board as the first version of the program did. Everybody migrates it at once.
func (w *world) makeOld() error {
	if out, err := w.command("new", runName).CombinedOutput(); err != nil {
		return fmt.Errorf("board new: %w: %s", err, out)
	}
	return execSQL(w.boardFile(), "DROP TABLE settlements", "DROP TRIGGER entries_fts_insert",
		"ALTER TABLE entries DROP COLUMN sources", "ALTER TABLE verifications DROP COLUMN parts",
		"ALTER TABLE signals DROP COLUMN addressee",
		"PRAGMA user_version = 1")
}

// newerSchema makes the board's schema newer than the program for a moment.
func (w *world) newerSchema(ctx context.Context, r *rand.Rand) {
	for pause(ctx, time.Duration(500+r.IntN(1500))*time.Millisecond) {
		at := w.now()
		version, err := raiseSchema(w.boardFile())
		if err != nil || version == 0 {
			continue
		}
		pause(ctx, 200*time.Millisecond)
		for range 10 {
			if err = execSQL(w.boardFile(), fmt.Sprintf("PRAGMA user_version = %d", version)); err == nil {
				break
			}
		}
		if err != nil {
			w.problem("the schema could not be set back: %v", err)
		}
		w.fault("schema", at)
	}
}

// raiseSchema sets the file's schema version to 99 and returns the one it had. Both in one
// transaction: a process that migrates the file between them would have its version taken back.
func raiseSchema(file string) (version int, err error) {
	db, err := sql.Open("sqlite", "file:"+file+"?mode=rw&_pragma=busy_timeout(10000)&_txlock=immediate")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil || version == 0 {
		return 0, err
	}
	if _, err := tx.Exec("PRAGMA user_version = 99"); err != nil {
		return 0, err
	}
	return version, tx.Commit()
}

const smallDisk = "24m"

// ErrNoDisk says that no small disk can be mounted here.
var ErrNoDisk = errors.New("a small disk cannot be mounted")

// ErrVoid says that a run says nothing: Config.Void has why.
var ErrVoid = errors.New("what is not under test has failed")

// mountSmall puts the files on a small disk.
func (w *world) mountSmall() (unmount func(), err error) {
	disk := filepath.Join(w.Dir, "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		return nil, err
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=0700,size="+smallDisk, "none", disk).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNoDisk, out)
	}
	for _, dir := range []*string{&w.home, &w.store} {
		name := filepath.Join(disk, filepath.Base(*dir))
		if err := os.Mkdir(name, 0o700); err != nil {
			return nil, err
		}
		for i, set := range w.env {
			w.env[i] = strings.Replace(set, "="+*dir, "="+name, 1)
		}
		*dir = name
	}
	return func() { exec.Command("umount", "-l", disk).Run() }, nil
}

// keepDisk copies what is on the small disk to where it is looked for. Nobody has any of it open.
func (w *world) keepDisk() error {
	for _, dir := range []string{w.home, w.store} {
		to := filepath.Join(w.Dir, filepath.Base(dir))
		if err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(dir))); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) fillingDisk(ctx context.Context, r *rand.Rand) {
	name := filepath.Join(w.Dir, "disk", "filler")
	for pause(ctx, time.Duration(300+r.IntN(1000))*time.Millisecond) {
		at := w.now()
		f, err := os.Create(name)
		if err != nil {
			continue
		}
		for size := 256 << 10; size >= 512; size /= 2 {
			for err = nil; err == nil; {
				_, err = f.Write(make([]byte, size))
			}
		}
		f.Close()
		pause(ctx, time.Duration(100+r.IntN(300))*time.Millisecond)
		os.Remove(name)
		w.fault("disk", at)
	}
	os.Remove(name)
}
