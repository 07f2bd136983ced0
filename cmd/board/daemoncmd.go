package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/hooks/mcp"
	"blackboard/hooks/topics"
	"blackboard/kb/memory"
)

func (p *program) daemonCommand() *cli.Command {
	return &cli.Command{
		Name: "daemon", Category: base.CategoryProgram,
		Usage: "the process that keeps the model and the indexes warm: run, start, stop, status, logs",
		Description: `The daemon is optional: it makes searches faster, since they need not load the model and the
index. Without it, every command does the work itself. The first search that would be faster
with a daemon starts one in the background; it ends after 30 minutes without use.
$BOARD_DAEMON is auto (the default), off, or require (fail without a daemon).

It also adds missing embeddings, lets unused capsules sink, consolidates memories when due, and
merges duplicate capsules if $BOARD_CURATE_EVERY is set (such as 24h), as ` + "`board kb curate dedupe`" + ` does. board daemon status shows what
it did, and when it continues.`,
		Subcommands: []*cli.Command{
			{
				Name: "run", Usage: "serve in the foreground, until Ctrl-C",
				Description: "With --listen, agents find its tools at http://HOST:PORT/mcp (`board help " +
					"mcp` lists them), and a program searches and the events of boards (`board help api`); " +
					"`board daemon token`\nprints the token for each request (Authorization: Bearer …).\nA " +
					"daemon that was started on demand ends for it. With --listen it does not " +
					"end by itself, unless --idle says so.",
				Flags: append([]cli.Flag{
					&cli.DurationFlag{Name: "idle", Usage: "end after this long without use; 0: never, " +
						"the default with --listen and --web", Value: daemon.IdleAfter},
					&cli.StringFlag{Name: "listen",
						Usage: "listen on `HOST:PORT` too, for agents, events and searches, with the token; off " +
							"loopback only with a certificate"},
					&cli.StringFlag{Name: "web", DefaultText: "127.0.0.1:0", Usage: "show pages to watch the runs " +
						"by at `HOST:PORT` of loopback, or at any free port; see board help web"},
					&cli.StringFlag{Name: "tls-cert", Usage: "the certificate, a PEM `FILE`"},
					&cli.StringFlag{Name: "tls-key", Usage: "its key, a PEM `FILE`"},
					&cli.BoolFlag{Name: "debug", Usage: "log more"},
					&cli.BoolFlag{Name: "detached", Usage: "log to the file only", Hidden: true},
				}, mcpFlags(mcp.NetworkGrants)...),
				Action: p.withDaemon(p.daemonRun),
			},
			{
				Name:  "token",
				Usage: "print the token for --listen; the first call creates it",
				Flags: []cli.Flag{base.JSONFlag()}, Action: p.withDaemon(p.daemonToken),
			},
			{
				Name: "unit", Usage: "print a service file: a systemd user unit, or on macOS a launchd agent",
				Description: `systemd: board daemon unit > ~/.config/systemd/user/board.service && systemctl --user enable --now board
launchd: board daemon unit > ~/Library/LaunchAgents/blackboard.daemon.plist && launchctl load ~/Library/LaunchAgents/blackboard.daemon.plist`,
				Action: p.withDaemon(p.daemonUnit),
			},
			{
				Name: "start", Usage: "start the daemon in the background, and wait until it answers",
				Flags: []cli.Flag{&cli.DurationFlag{Name: "idle",
					Usage: "end after this long without use; 0: never", Value: daemon.IdleAfter},
					base.JSONFlag()}, Action: p.withDaemon(p.daemonStart),
			},
			{
				Name: "stop", Usage: "stop the daemon after it has finished its work",
				Flags: []cli.Flag{base.JSONFlag()}, Action: p.withDaemon(p.daemonStop),
			},
			{
				Name: "status", Usage: "show whether the daemon runs, and its state: exit 1 if it does not",
				Flags: []cli.Flag{base.JSONFlag()}, Action: p.withDaemon(p.daemonStatus),
			},
			{
				Name: "logs", Usage: "print the end of its log",
				Flags: []cli.Flag{&cli.IntFlag{Name: "limit", Aliases: []string{"n", "lines"},
					Usage: "the last `N` lines", Value: 50}}, Action: p.withDaemon(p.daemonLogs),
			},
		},
	}
}

// withDaemon is the action of a command about the data home's daemon, whether that runs or not.
func (p *program) withDaemon(fn func(*cli.Context, *daemon.Client, daemon.Place) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		place, err := p.DaemonPlace()
		if err != nil {
			return err
		}
		client := daemon.NewClient(place, daemon.Build(base.Version()), p.ModelDir(place.Home))
		defer client.Close()
		return fn(c, client, place)
	}
}

func (p *program) daemonRun(c *cli.Context, _ *daemon.Client, place daemon.Place) error {
	if info, err := os.Stat(place.Home); err != nil || !info.IsDir() {
		if err := os.MkdirAll(place.Home, 0o700); err != nil {
			return err
		}
	}
	log, err := daemon.Log(place, c.Bool("debug"))
	if err != nil {
		return err
	}
	idle := c.Duration("idle")
	if idle == 0 || (c.IsSet("listen") || c.IsSet("web")) && !c.IsSet("idle") { // its clients may be far apart
		idle = -1
	}
	cfg := daemon.Config{Place: place, Build: daemon.Build(base.Version()),
		ModelDir: p.ModelDir(place.Home), Idle: idle, Log: log,
		Words: base.CommandFor}
	if cfg.Boards, err = p.BoardsDirFrom(""); err != nil {
		return err
	}
	if cfg.Rates, err = memory.ParseRates(p.Env("BOARD_MEMORY_DECAY")); err != nil {
		return fmt.Errorf("$BOARD_MEMORY_DECAY: %w", err)
	}
	if cfg.Curate, err = p.curateEvery(); err != nil {
		return err
	}
	if cfg.Specs, err = topics.Root(p.Env); err != nil {
		log.Warn("topics are not archived", "error", err)
	}
	switch {
	case c.IsSet("listen"):
		agents, err := p.mcpConfig(c, mcp.NetworkGrants)
		if err != nil {
			return err
		}
		cfg.TCP = &daemon.TCP{Addr: c.String("listen"), Cert: c.String("tls-cert"),
			Key: c.String("tls-key"), MCP: &agents}
	case c.IsSet("tls-cert") || c.IsSet("tls-key"):
		return base.Usagef("--listen HOST:PORT says where",
			"a certificate is given, but no address to listen on")
	default:
		for _, f := range mcpFlags(nil) {
			if name := f.Names()[0]; c.IsSet(name) {
				return base.Usagef("--listen HOST:PORT says where; `board mcp` serves one agent on "+
					"standard input and output", "--%s is for agents, but no address to listen on is given", name)
			}
		}
	}
	if cfg.Web = c.String("web"); cfg.Web != "" {
		cfg.WebReady = func(at daemon.Web) { p.Messagef("watch the runs at %s", at.URL) }
	}
	if !c.Bool("detached") {
		cfg.Ended = func(why string) { p.Messagef("the daemon ended: %s", why) }
	}
	err = daemon.Run(c.Context, cfg, func() {
		if !c.Bool("detached") {
			p.Messagef("serving %s at %s; the log is %s; Ctrl-C ends it", place.Home, place.Socket,
				place.Log)
			if idle > 0 {
				p.Messagef("it ends after %v without use; --idle 0 keeps it running", idle)
			}
			if cfg.TCP != nil {
				scheme := map[bool]string{true: "https", false: "http"}[cfg.TCP.Cert != ""]
				p.Messagef("agents find it at %s://%s/mcp, with the token that `board daemon token` prints",
					scheme, cfg.TCP.Addr)
			}
		}
	})
	if errors.Is(err, daemon.ErrRunning) {
		return fault.Failure.New("a daemon already serves this data home",
			"`board daemon status` shows it, `board daemon stop` ends it")
	}
	return err
}

// curateEvery is the interval of the daemon's curation: $BOARD_CURATE_EVERY; 0: never.
func (p *program) curateEvery() (time.Duration, error) {
	v := p.Env("BOARD_CURATE_EVERY")
	if v == "" || v == "off" {
		return 0, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < time.Hour {
		return 0, base.Usagef("set it to off, or to an hour or more: 24h",
			"invalid $BOARD_CURATE_EVERY %q", base.Line(v, 40))
	}
	return d, nil
}

func (p *program) daemonToken(c *cli.Context, _ *daemon.Client, place daemon.Place) error {
	token, err := daemon.Token(place)
	return p.Answer(c, err, func() { p.Printf("%s\n", token) }, "token", token)
}

// daemonUnit prints a service file for this program, this data home and this model.
func (p *program) daemonUnit(_ *cli.Context, _ *daemon.Client, place daemon.Place) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	u := daemon.Unit{Exe: exe, Env: [][2]string{{"BOARD_HOME", place.Home}}}
	for _, name := range []string{"BOARD_MODEL_DIR", "BOARD_MEMORY_DECAY", "BOARD_CURATE_EVERY"} {
		value := p.Env(name)
		if value != "" && name == "BOARD_MODEL_DIR" {
			value = p.ModelDir(place.Home)
		}
		if value != "" {
			u.Env = append(u.Env, [2]string{name, value})
		}
	}
	text := u.Systemd
	if runtime.GOOS == "darwin" {
		text = u.Launchd
	}
	out, err := text()
	if err != nil {
		return err
	}
	p.Printf("%s", out)
	return nil
}

func (p *program) daemonStart(c *cli.Context, client *daemon.Client, place daemon.Place) error {
	st, already, err := p.startDaemon(c.Context, client, place, c.Duration("idle"))
	return p.Answer(c, err, func() {
		p.Printf("%s, process %d\n", map[bool]string{true: "already running",
			false: "started"}[already], st.PID)
	}, "status", &st, "already", already)
}

// startDaemon has a daemon of this build run: the one that does, else a new one.
func (p *program) startDaemon(ctx context.Context, client *daemon.Client, place daemon.Place,
	idle time.Duration) (st daemon.Status, already bool, err error) {
	if st, err := client.Status(ctx); err == nil {
		if st.Build != daemon.Build(base.Version()) {
			return st, true, fault.Failure.New("a daemon of another build is running", "`board daemon stop` ends it")
		}
		return st, true, nil
	}
	if err := os.MkdirAll(place.Home, 0o700); err != nil {
		return st, false, err
	}
	// Another process may have started one that died since: then start another.
	const patience, again = 20 * time.Second, 6 * time.Second
	already = daemon.Held(place) // there is one that was too busy to say so
	for begin := time.Now(); ; already = false {
		if err := p.SpawnDaemon(place, idle); err != nil {
			return st, already, err
		}
		soon, cancel := context.WithTimeout(ctx, again)
		st, err = client.WaitReady(soon)
		cancel()
		if err == nil {
			return st, already, nil
		}
		if ctx.Err() != nil || time.Since(begin) > patience {
			return st, already, fault.Failure.New("the daemon was started, but does not answer",
				"`board daemon logs` may say why")
		}
	}
}

func (p *program) daemonStop(c *cli.Context, client *daemon.Client, place daemon.Place) error {
	was := true
	err := client.Stop(c.Context, false)
	for begin := time.Now(); errors.Is(err, daemon.ErrNone); err = client.Stop(c.Context, false) {
		const starting = 5 * time.Second // or ending: it has the lock, and does not answer
		if was = daemon.Held(place); !was {
			err = nil
			break
		}
		if time.Since(begin) > starting {
			return fault.Failure.New("the daemon does not answer",
				"`board daemon logs` may say why; you can end its process")
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-c.Context.Done():
		}
	}
	if err != nil {
		return err
	}
	if was {
		const patience = 15 * time.Second
		ctx, cancel := context.WithTimeout(c.Context, patience)
		defer cancel()
		if err := client.WaitGone(ctx); err != nil {
			return fault.Failure.New("the daemon was asked to stop, but still answers",
				"`board daemon logs` may say why")
		}
	}
	return p.Answer(c, nil, func() {
		p.Printf("%s\n", map[bool]string{true: "stopped",
			false: "the daemon is not running"}[was])
	}, "stopped", was)
}

func (p *program) daemonStatus(c *cli.Context, client *daemon.Client, place daemon.Place) error {
	st, err := client.Status(c.Context)
	running := err == nil
	if err != nil && !errors.Is(err, daemon.ErrNone) {
		return err
	}
	var status *daemon.Status
	if running {
		status = &st
	}
	return p.AnswerFailed(c, !running, func() { // also one that does not answer
		switch {
		case running:
			p.printDaemon(&st)
		case daemon.Held(place):
			p.Printf("the daemon does not answer; `board daemon logs` may say why. Commands work without it\n")
		default:
			p.Printf("the daemon is not running; `board daemon start` starts it, and so does the next " +
				"search by meaning\n")
		}
	}, "running", running, "socket", place.Socket, "status", status)
}

func (p *program) printDaemon(st *daemon.Status) {
	p.Printf("running      process %d, for %s\n", st.PID, time.Duration(st.UpSeconds)*time.Second)
	p.Printf("build        %s%s\n", base.Safe(st.Build), map[bool]string{true: "",
		false: " (not this one: it is not used)"}[st.Build == daemon.Build(base.Version())])
	p.Printf("data home    %s\n", base.Safe(st.Home))
	p.Printf("model        %s\n", cmp.Or(base.Safe(st.Model), "none"))
	p.Printf("requests     %d served, %d failed, %d now\n", st.Served, st.Failed, st.Active)
	p.Printf("memory       %s in use, %d goroutines\n", base.Megabytes(int64(st.HeapBytes)), st.Goroutines)
	switch {
	case st.Stopping:
		p.Printf("ends         when it is idle\n")
	case st.IdleIn >= 0:
		p.Printf("ends         in %s, unless it is used\n", time.Duration(st.IdleIn)*time.Second)
	}
	if st.Listen != "" {
		p.Printf("listens      on %s\n", base.Safe(st.Listen))
	}
	for _, j := range st.Jobs {
		p.Printf("upkeep       %-16s %s\n", base.Safe(j.Name), jobText(&j, time.Now()))
	}
}

// jobText describes the state of a job.
func jobText(j *daemon.JobStatus, now time.Time) string {
	switch {
	case j.Running && j.Result != "":
		return "at it: " + base.Line(j.Result, 100)
	case j.Running:
		return "at it"
	case j.Runs == 0 && j.Next != nil:
		return fmt.Sprintf("first in %s", time.Until(*j.Next).Round(time.Second))
	case j.Last == nil:
		return "not yet"
	}
	s := fmt.Sprintf("%s ago, %d ms: %s", now.Sub(*j.Last).Round(time.Second), j.Millis,
		base.Line(j.Result, 100))
	if j.Next != nil {
		s += fmt.Sprintf("; next in %s", j.Next.Sub(now).Round(time.Second))
	}
	return s
}

func (p *program) daemonLogs(c *cli.Context, _ *daemon.Client, place daemon.Place) error {
	if c.Int("limit") < 0 {
		return base.Usagef("give a number of lines", "--limit %d is negative", c.Int("limit"))
	}
	data, _, err := disk.ReadEnd(place.Log, 4<<20)
	if errors.Is(err, fs.ErrNotExist) {
		p.Messagef("there is no log yet: no daemon has run here")
		return nil
	}
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	for _, l := range lines[max(0, len(lines)-c.Int("limit")):] {
		p.Printf("%s\n", base.Safe(l))
	}
	return nil
}
