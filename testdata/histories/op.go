package histories

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Outcome is what the caller knows of a call.
type Outcome string

const (
	OK      Outcome = "ok"      // acknowledged
	Refused Outcome = "refused" // a conflict, a thing not found: it says that nothing was done
	Failed  Outcome = "failed"  // another error; it may have been done
	Unknown Outcome = "unknown" // no answer: whoever was to give it is gone
)

// Op is one call and its answer. Times are nanoseconds since the run began, of one clock.
type Op struct {
	N      int     `json:"n"`
	Caller string  `json:"caller"` // also its name as a worker
	Via    string  `json:"via"`    // stdio, http, cli
	Kind   string  `json:"kind"`
	Call   int64   `json:"call"`
	Return int64   `json:"return"`
	Out    Outcome `json:"out"`
	Err    string  `json:"err,omitempty"`

	Key    string   `json:"key,omitempty"`    // what it is about: an id, a variable, an idempotency key
	Value  string   `json:"value,omitempty"`  // what was sent: unique among all calls
	More   []string `json:"more,omitempty"`   // the rest of a batch
	Link   string   `json:"link,omitempty"`   // the entry that it supersedes or supports
	If     int64    `json:"if"`               // the version that it asked for; -1: none
	IDs    []string `json:"ids,omitempty"`    // answered
	Ver    int64    `json:"ver,omitempty"`    // answered: the version or revision now
	Got    string   `json:"got,omitempty"`    // answered: the value that was read
	Exists bool     `json:"exists,omitempty"` // answered: the key was used before
}

func (o *Op) String() string {
	s := fmt.Sprintf("#%d %s by %s (%s) at %.3f to %.3f s", o.N, o.Kind, o.Caller, o.Via, float64(o.Call)/1e9, float64(o.Return)/1e9)
	if o.Key != "" {
		s += " of " + o.Key
	}
	if o.If >= 0 {
		s += fmt.Sprintf(" if %d", o.If)
	}
	if o.Value != "" {
		s += fmt.Sprintf(" %.40q", o.Value)
	}
	s += ": " + string(o.Out)
	if len(o.IDs) > 0 {
		s += fmt.Sprint(" ", o.IDs)
	}
	if o.Got != "" {
		s += fmt.Sprintf(" %.40q", o.Got)
	}
	if o.Ver > 0 {
		s += fmt.Sprint(" version ", o.Ver)
	}
	if o.Err != "" {
		s += fmt.Sprintf(" %.160q", o.Err)
	}
	return s
}

// History is what happened in one run.
type History struct {
	Config Config
	Ops    []*Op
	Faults []Fault
}

// Fault is something that was done to the world. To is when it was over.
type Fault struct {
	What string `json:"fault"`
	At   int64  `json:"at"`
	To   int64  `json:"to"`
}

func during(faults []Fault, what string, o *Op) bool {
	for _, f := range faults {
		if f.What == what && o.Return >= f.At && o.Call <= f.To {
			return true
		}
	}
	return false
}

const (
	historyFile = "history.jsonl"
	configFile  = "config.json"
)

// Save writes a history into a directory, one JSON object a line.
func (h *History) Save(dir string) error {
	config, err := json.MarshalIndent(h.Config, "", "\t")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, configFile), config, 0o600)
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, historyFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, fault := range h.Faults {
		if err := enc.Encode(fault); err != nil {
			return err
		}
	}
	for _, op := range h.Ops {
		if err := enc.Encode(op); err != nil {
			return err
		}
	}
	return w.Flush()
}

// Load reads what Save has written.
func Load(dir string) (*History, error) {
	h := &History{}
	config, err := os.ReadFile(filepath.Join(dir, configFile))
	if err == nil {
		err = json.Unmarshal(config, &h.Config)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, historyFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for dec := json.NewDecoder(f); dec.More(); {
		var line struct {
			Fault
			Op
		}
		if err := dec.Decode(&line); err != nil {
			return nil, err
		}
		if line.What != "" {
			h.Faults = append(h.Faults, line.Fault)
		} else {
			op := line.Op
			h.Ops = append(h.Ops, &op)
		}
	}
	return h, nil
}

// Config says what a run is like. The zero value of a count means none of it.
type Config struct {
	Program  string        `json:"-"`        // the program under test
	Dir      string        `json:"-"`        // where everything lies; made by Run, and empty before
	Env      []string      `json:"-"`        // added to the environment of the program
	Seed     uint64        `json:"seed"`     // what callers do and when faults come; the system's timing is not repeatable
	Time     time.Duration `json:"time"`     // how long callers begin new calls
	Calls    int           `json:"calls"`    // how many calls all callers make at most; 0: no bound
	Servers  int           `json:"servers"`  // board mcp over stdio
	Overlap  int           `json:"overlap"`  // callers of each server, and of the daemon
	Commands int           `json:"commands"` // callers whose every call is a process
	Daemon   bool          `json:"daemon"`   // a daemon that serves over HTTP, and does its upkeep
	Watchers int           `json:"watchers"` // TUIs
	Stores   []string      `json:"stores"`   // of Stores
	Faults   []string      `json:"faults"`   // of Faults
	// Database is the URL of the database that has the boards; "": they are files. In the end they
	// are copied to files, and judged there.
	Database string `json:"database"`
	// Within is what each process is run by, such as in a network of its own; nil: by itself.
	Within func(n int) []string `json:"-"`
	// Outages are done in turn, Breaks in all, with acknowledged writes between them.
	Outages []Outage `json:"-"`
	Breaks  int      `json:"breaks"`
	// Void is why a run says nothing, since something that was not under test has ended; nil:
	// nothing can.
	Void  func() error  `json:"-"`
	Kills time.Duration `json:"kills"` // between two kills, on average; 0: some ten a second
}

// Stores are what a run can be about.
var Stores = []string{"board", "kb", "memory", "context"}

// Faults are what can be done to the world.
//
//	kill    SIGKILL of a server, a command or the daemon
//	stop    SIGSTOP of a server or the daemon for a second or two
//	reopen  a server ends and another takes its place
//	around  export, doctor, integrity checks, a checkpoint, a backup
//	runs    a run is removed and made again
//	hand    a capsule's file is edited by hand
//	schema  a board's schema is newer than the program for a moment
//	old     the first board has the oldest schema when everybody opens it
//	disk    the disk is full for a moment; needs the right to mount a file system
var Faults = []string{"kill", "stop", "reopen", "around", "runs", "hand", "schema", "old", "disk"}

// Summary says in a line what was done and what became of it.
func (h *History) Summary(v Verdict) string {
	out := map[Outcome]int{}
	for _, o := range h.Ops {
		out[o.Out]++
	}
	faults := map[string]int{}
	for _, f := range h.Faults {
		faults[f.What]++
	}
	return fmt.Sprintf("seed %d: %d calls (%d ok, %d refused, %d failed, %d without an answer), faults %v: %d writes acknowledged, %d lost, %d double ids, %d errors, %d unsound files, %d undecided",
		h.Config.Seed, len(h.Ops), out[OK], out[Refused], out[Failed], out[Unknown], faults, v.Acked, v.Lost, v.DoubleIDs, v.Errors, v.Files, v.Undecided)
}
