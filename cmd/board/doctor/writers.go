package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	selftestBoard = "selftest"
	selftestBatch = 5 // entries of a batch
	// killOneIn is of how many processes one is killed.
	killOneIn = 4
	partOf    = ", part " // stands between the name of a batch and the number of an entry in it
)

// acknowledged is something that a process said it had written.
type acknowledged struct{ id, text string }

// selftestRun is the writing of a self-test: processes of this program with a data home
// of their own. What they print on standard output is their acknowledgement.
type selftestRun struct {
	dir string
	exe string
	env []string

	progress Progress

	mu        sync.Mutex
	entries   []acknowledged
	capsules  []acknowledged
	items     []acknowledged // of the memory
	chunks    []acknowledged
	versions  []acknowledged // of the variable that is set by its version
	processes int
	killed    int
	failed    int
	failure   string
	took      time.Duration // by a process that was not killed, lately

	servers      ServerCount
	sets         SetCount
	sqliteErrors int
	sqliteError  string // the first of them
}

func newSelftestRun(dir string, opt SelftestOptions) (*selftestRun, error) {
	t := &selftestRun{dir: dir, exe: opt.Program, progress: opt.Progress, servers: ServerCount{AtATime: len(serverCalls), Overlap: len(serverCalls[0])}}
	for _, set := range os.Environ() { // nothing of the user's own places
		name, _, _ := strings.Cut(set, "=")
		if !strings.HasPrefix(name, "BOARD_") && !strings.HasPrefix(name, "XDG_") && name != "AGENT_STORE_PATH" && name != "HOME" {
			t.env = append(t.env, set)
		}
	}
	work := t.work()
	t.env = append(t.env, "HOME="+dir, "BOARD_HOME="+t.home(), "BOARD_RUN="+selftestBoard, "BOARD_WORKER=selftest", "BOARD_WORKSPACE="+work,
		"BOARD_DAEMON=off", "BOARD_MODEL_DIR="+filepath.Join(dir, "none"))
	return t, os.Mkdir(work, 0o700)
}

// work is the directory that they work in.
func (t *selftestRun) work() string { return filepath.Join(t.dir, "work") }

// home is the data home of the processes.
func (t *selftestRun) home() string { return filepath.Join(t.dir, "home") }

// write has servers asked for many things at once, until the time is over. For the second
// half of it so many writers start one process after the other beside them: where many
// have a file open, one that has lost its locks is seldom taken for gone, so the servers
// are alone first.
func (t *selftestRun) write(ctx context.Context, writers int, within time.Duration) error {
	defer t.progress("", 0, 0)
	until, alone := time.Now().Add(within), time.After(within/2)
	var wg sync.WaitGroup
	for n := range serverCalls {
		wg.Go(func() { t.serve(ctx, n, until) })
	}
	t.progress("self-test, servers", 0, 0)
	select {
	case <-alone:
	case <-ctx.Done():
	}
	for w := range writers {
		wg.Go(func() {
			// On a busy machine the time may be over, and the first ones killed, before
			// anything was acknowledged.
			const atLeast = 2 * killOneIn
			for i := 0; ctx.Err() == nil && (time.Now().Before(until) || i < atLeast && !t.gotThrough()); i++ {
				name := fmt.Sprintf("writer %d, text %d", w+1, i+1)
				switch i % 4 {
				case 1:
					t.postBatch(ctx, name)
				case 2:
					t.remember(ctx, name)
				default:
					t.post(ctx, name)
				}
				t.progress(fmt.Sprintf("self-test, %s left", time.Until(until).Round(time.Second)), 0, 0)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

func (t *selftestRun) post(ctx context.Context, text string) {
	var answer struct{ Entry struct{ ID string } }
	if t.run(ctx, "", &answer, "post", text, "--json") && answer.Entry.ID != "" {
		t.acknowledge(&t.entries, answer.Entry.ID, text)
	}
}

func (t *selftestRun) postBatch(ctx context.Context, name string) {
	var in strings.Builder
	var texts []string
	for i := range selftestBatch {
		texts = append(texts, fmt.Sprint(name, partOf, i+1))
		fmt.Fprintf(&in, "{\"content\":%q}\n", texts[i])
	}
	var answer struct {
		Posted []struct{ Entry struct{ ID string } }
	}
	if t.run(ctx, in.String(), &answer, "post", "--batch", "--json") && len(answer.Posted) == len(texts) {
		for i := range texts {
			t.acknowledge(&t.entries, answer.Posted[i].Entry.ID, texts[i])
		}
	}
}

func (t *selftestRun) remember(ctx context.Context, text string) {
	var answer struct{ Capsule struct{ ID string } }
	if t.run(ctx, "", &answer, "kb", "remember", text, "--title", text, "--source", "selftest", "--no-embed", "--json") && answer.Capsule.ID != "" {
		t.acknowledge(&t.capsules, answer.Capsule.ID, text)
	}
}

// gotThrough reports whether anything was acknowledged yet.
func (t *selftestRun) gotThrough() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.entries)+len(t.capsules) > 0
}

func (t *selftestRun) acknowledge(to *[]acknowledged, id, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*to = append(*to, acknowledged{id, text})
}

// command is a process of the program that is tried, not started yet.
func (t *selftestRun) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.exe, args...)
	cmd.Args[0] = "board" // whatever the file is called
	cmd.Env, cmd.Dir = t.env, t.work()
	return cmd
}

// run runs a command of this program, and kills some at some moment. It reports whether
// the answer came out whole, which is what counts, even of one that was killed
// thereafter.
func (t *selftestRun) run(ctx context.Context, in string, answer any, args ...string) bool {
	cmd := t.command(ctx, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &errs
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.ended(ctx, err.Error(), false)
		return false
	}
	moment, doomed := t.moment()
	if doomed {
		timer := time.AfterFunc(moment, func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	killed := doomed && err != nil && cmd.ProcessState.ExitCode() < 0
	switch {
	case err == nil:
		t.lasted(time.Since(begin))
		t.ended(ctx, "", false)
	case killed:
		t.ended(ctx, "", true)
	default:
		t.ended(ctx, fmt.Sprintf("%s: %v: %s", strings.Join(args[:2], " "), err, strings.TrimSpace(errs.String())), false)
	}
	return bytes.HasSuffix(out.Bytes(), []byte("\n")) && json.Unmarshal(out.Bytes(), answer) == nil
}

// moment says whether a process is killed, and when: at any time of its life, and
// sometimes a little after it. None is before one has got through, which shows how long
// that takes.
func (t *selftestRun) moment() (after time.Duration, doomed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.took == 0 || rand.IntN(killOneIn) > 0 {
		return 0, false
	}
	return time.Duration(rand.Int64N(int64(t.took) * 6 / 5)), true
}

// lasted notes how long a process took.
func (t *selftestRun) lasted(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.took == 0 {
		t.took = d
	}
	t.took = (3*t.took + d) / 4
}

// ended counts a process. failure is what it said, "" if it did not fail by itself; one
// that was called off did not.
func (t *selftestRun) ended(ctx context.Context, failure string, killed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.processes++
	switch {
	case killed:
		t.killed++
	case failure != "" && ctx.Err() == nil:
		if t.failed++; t.failure == "" {
			t.failure = failure
		}
		t.noteSQLite(failure)
	}
}
