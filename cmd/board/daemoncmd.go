package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/daemon"
	"blackboard/hooks/mcp"
	"blackboard/hooks/topics"
	"blackboard/kb/memory"
)

func (p *program) daemonCommand() *cli.Command {
	return &cli.Command{
		Name: "daemon", Category: catProgram, Usage: "the process that keeps the model and the indexes warm: run, start, stop, status, logs",
		Description: `Nothing needs it: files are the truth, and any command does by itself what the daemon cannot. With it, a search need not read the model and the index first. The first search
or other use of the model that would have profited starts one, for the next; it ends after 30 minutes without use. $BOARD_DAEMON: auto (the default), off, or require (fail where there is none).
It embeds what has no embedding, sinks capsules that nobody asks for, consolidates memories when that is due, and with $BOARD_CURATE_EVERY (24h, say) makes one of capsules
that say the same, as ` + "`board kb curate dedupe`" + ` does. board daemon status shows what it did, and when it does more.`,
		Subcommands: []*cli.Command{
			{
				Name: "run", Usage: "serve in the foreground, until Ctrl-C",
				Description: "With --listen, agents find its tools at http://HOST:PORT/mcp (`board help mcp` lists them), and a program searches and the events of boards (`board help api`); `board daemon token`\nprints the token that each request shows (Authorization: Bearer …).\nA daemon that was started on demand makes way for it.",
				Flags: append([]cli.Flag{
					&cli.DurationFlag{Name: "idle", Usage: "end after this long without use; 0: never", Value: daemon.IdleAfter},
					&cli.StringFlag{Name: "listen", Usage: "listen on `HOST:PORT` too, for agents, events and searches, with the token; off loopback only with a certificate"},
					&cli.StringFlag{Name: "tls-cert", Usage: "the certificate, a PEM `FILE`"},
					&cli.StringFlag{Name: "tls-key", Usage: "its key, a PEM `FILE`"},
					&cli.BoolFlag{Name: "debug", Usage: "write more into the log"},
					&cli.BoolFlag{Name: "detached", Usage: "log to the file only", Hidden: true},
				}, mcpFlags(mcp.NetworkGrants)...),
				Action: p.daemonRun,
			},
			{
				Name: "token", Usage: "print the token for --listen; it is made when it is first asked for", Flags: []cli.Flag{jsonFlag()}, Action: p.daemonToken,
			},
			{
				Name: "unit", Usage: "print a service file: a systemd user unit, or a launchd agent",
				Description: `systemd: board daemon unit > ~/.config/systemd/user/board.service && systemctl --user enable --now board
launchd: board daemon unit --launchd > ~/Library/LaunchAgents/blackboard.daemon.plist && launchctl load ~/Library/LaunchAgents/blackboard.daemon.plist`,
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "systemd", Usage: "for systemd; the default but on macOS"}, &cli.BoolFlag{Name: "launchd", Usage: "for launchd; the default on macOS"},
				},
				Action: p.daemonUnit,
			},
			{
				Name: "start", Usage: "start one in the background, and wait until it answers",
				Flags: []cli.Flag{&cli.DurationFlag{Name: "idle", Usage: "end after this long without use; 0: never", Value: daemon.IdleAfter}, jsonFlag()}, Action: p.daemonStart,
			},
			{
				Name: "stop", Usage: "have it finish what it is at, and end",
				Flags: []cli.Flag{jsonFlag()}, Action: p.daemonStop,
			},
			{
				Name: "status", Usage: "say whether there is one, and how it is: exit 1 if there is none",
				Flags: []cli.Flag{jsonFlag()}, Action: p.daemonStatus,
			},
			{
				Name: "logs", Usage: "print the end of its log",
				Flags: []cli.Flag{&cli.IntFlag{Name: "lines", Aliases: []string{"n"}, Usage: "the last `N` lines", Value: 50}}, Action: p.daemonLogs,
			},
		},
	}
}

// daemonClient is a client for the data home's daemon, whether there is one or not.
func (p *program) daemonClient() (*daemon.Client, daemon.Place, error) {
	place, err := p.daemonPlace()
	if err != nil {
		return nil, place, err
	}
	return daemon.NewClient(place, daemon.Build(versionString()), p.usedModelDir(place.Home)), place, nil
}

// daemonPlace is where the data home's daemon is to be found.
func (p *program) daemonPlace() (daemon.Place, error) {
	home, err := p.dataHome()
	if err != nil {
		return daemon.Place{}, err
	}
	return daemon.PlaceOf(home, p.env)
}

func (p *program) daemonRun(c *cli.Context) error {
	place, err := p.daemonPlace()
	if err != nil {
		return err
	}
	if info, err := os.Stat(place.Home); err != nil || !info.IsDir() {
		if err := os.MkdirAll(place.Home, 0o700); err != nil {
			return err
		}
	}
	log, closeLog, err := daemon.Log(place, c.Bool("debug"))
	if err != nil {
		return err
	}
	defer closeLog.Close()
	idle := c.Duration("idle")
	if idle == 0 {
		idle = -1
	}
	cfg := daemon.Config{Place: place, Build: daemon.Build(versionString()), ModelDir: p.usedModelDir(place.Home), Env: p.env, Idle: idle, Log: log}
	if cfg.Boards, err = p.boardsDir(); err != nil {
		return err
	}
	if cfg.Rates, err = memory.ParseRates(p.env("BOARD_MEMORY_DECAY")); err != nil {
		return fmt.Errorf("$BOARD_MEMORY_DECAY: %w", err)
	}
	if cfg.Curate, err = p.curateEvery(); err != nil {
		return err
	}
	if cfg.Specs, err = topics.Root(p.env); err != nil {
		log.Warn("topics are not archived", "error", err)
	}
	switch {
	case c.IsSet("listen"):
		agents, err := p.mcpConfig(c, mcp.NetworkGrants)
		if err != nil {
			return err
		}
		cfg.TCP = &daemon.TCP{Addr: c.String("listen"), Cert: c.String("tls-cert"), Key: c.String("tls-key"), MCP: &agents}
	case c.IsSet("tls-cert") || c.IsSet("tls-key"):
		return usagef("--listen HOST:PORT says where", "a certificate is given, and nothing to listen on")
	default:
		for _, f := range mcpFlags(nil) {
			if name := f.Names()[0]; c.IsSet(name) {
				return usagef("--listen HOST:PORT says where; `board mcp` serves one agent on standard input and output", "--%s is for agents, and there is nothing for them to listen on", name)
			}
		}
	}
	err = daemon.Run(c.Context, cfg, func() {
		if !c.Bool("detached") {
			p.talk("serving %s at %s; the log is %s; Ctrl-C ends it", place.Home, place.Socket, place.Log)
			if cfg.TCP != nil {
				scheme := map[bool]string{true: "https", false: "http"}[cfg.TCP.Cert != ""]
				p.talk("agents find it at %s://%s/mcp, with the token that `board daemon token` prints", scheme, cfg.TCP.Addr)
			}
		}
	})
	if errors.Is(err, daemon.ErrRunning) {
		return fault.Failure.New("a daemon serves this data home already", "`board daemon status` shows it, `board daemon stop` ends it")
	}
	return err
}

// curateEvery is how often the daemon curates by itself: $BOARD_CURATE_EVERY; 0: never.
func (p *program) curateEvery() (time.Duration, error) {
	v := p.env("BOARD_CURATE_EVERY")
	if v == "" || v == "off" {
		return 0, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < time.Hour {
		return 0, usagef("off, or an hour or more: 24h", "$BOARD_CURATE_EVERY is %q", line(v, 40))
	}
	return d, nil
}

func (p *program) daemonToken(c *cli.Context) error {
	place, err := p.daemonPlace()
	if err != nil {
		return err
	}
	token, err := daemon.Token(place)
	return p.answer(c, err, func() { p.printf("%s\n", token) }, "token", token)
}

// daemonUnit prints a service file for this program, this data home and this model.
func (p *program) daemonUnit(c *cli.Context) error {
	if c.Bool("systemd") && c.Bool("launchd") {
		return usagef("choose one", "both --systemd and --launchd are given")
	}
	place, err := p.daemonPlace()
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	u := daemon.Unit{Exe: exe, Env: [][2]string{{"BOARD_HOME", place.Home}}}
	for _, name := range []string{"BOARD_MODEL_DIR", "BOARD_MEMORY_DECAY", "BOARD_CURATE_EVERY"} {
		value := p.env(name)
		if value != "" && name == "BOARD_MODEL_DIR" {
			value = p.usedModelDir(place.Home)
		}
		if value != "" {
			u.Env = append(u.Env, [2]string{name, value})
		}
	}
	text := u.Systemd
	if c.Bool("launchd") || runtime.GOOS == "darwin" && !c.Bool("systemd") {
		text = u.Launchd
	}
	out, err := text()
	if err != nil {
		return err
	}
	p.printf("%s", out)
	return nil
}

// spawnDaemon starts a daemon in the background.
func (p *program) spawnDaemon(place daemon.Place, idle time.Duration) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return daemon.Spawn(place, exe, []string{"daemon", "run", "--detached", "--idle", idle.String()}, append(os.Environ(), "BOARD_HOME="+place.Home, "BOARD_MODEL_DIR="+p.usedModelDir(place.Home)))
}

func (p *program) daemonStart(c *cli.Context) error {
	client, place, err := p.daemonClient()
	if err != nil {
		return err
	}
	defer client.Close()
	say := func(st *daemon.Status, already bool) error {
		if c.Bool("json") {
			return p.json("status", st, "already", already)
		}
		p.printf("%s, process %d\n", map[bool]string{true: "it is running already", false: "started"}[already], st.PID)
		return nil
	}
	if st, err := client.Status(c.Context); err == nil {
		if st.Build != daemon.Build(versionString()) {
			return fault.Failure.New("a daemon of another build is running", "`board daemon stop` ends it")
		}
		return say(&st, true)
	}
	if err := os.MkdirAll(place.Home, 0o700); err != nil {
		return err
	}
	// One that was started a moment ago, by somebody else, may have died: then another is started.
	const patience, again = 20 * time.Second, 6 * time.Second
	var st daemon.Status
	already := daemon.Held(place) // there is one that was too busy to say so
	for begin := time.Now(); ; already = false {
		if err := p.spawnDaemon(place, c.Duration("idle")); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(c.Context, again)
		st, err = client.WaitReady(ctx)
		cancel()
		if err == nil {
			break
		}
		if c.Context.Err() != nil || time.Since(begin) > patience {
			return fault.Failure.New("it was started, and does not answer", "`board daemon logs` may say why")
		}
	}
	return say(&st, already)
}

func (p *program) daemonStop(c *cli.Context) error {
	client, place, err := p.daemonClient()
	if err != nil {
		return err
	}
	defer client.Close()
	was := true
	if err := client.Stop(c.Context, false); errors.Is(err, daemon.ErrNone) {
		if daemon.Held(place) {
			return fault.Failure.New("there is one, and it does not answer", "`board daemon logs` may say what it is at; its process can be ended as any other")
		}
		was = false
	} else if err != nil {
		return err
	}
	if was {
		const patience = 15 * time.Second
		ctx, cancel := context.WithTimeout(c.Context, patience)
		defer cancel()
		if err := client.WaitGone(ctx); err != nil {
			return fault.Failure.New("it was asked to stop, and still answers", "`board daemon logs` may say why")
		}
	}
	return p.answer(c, nil, func() { p.printf("%s\n", map[bool]string{true: "stopped", false: "there is none"}[was]) }, "stopped", was)
}

func (p *program) daemonStatus(c *cli.Context) error {
	client, place, err := p.daemonClient()
	if err != nil {
		return err
	}
	defer client.Close()
	st, err := client.Status(c.Context)
	running := err == nil
	if err != nil && !errors.Is(err, daemon.ErrNone) {
		return err
	}
	if c.Bool("json") {
		var status *daemon.Status
		if running {
			status = &st
		}
		if err := p.json("running", running, "socket", place.Socket, "status", status); err != nil {
			return err
		}
	} else if running {
		p.printf("running      process %d, for %s\n", st.PID, time.Duration(st.UpSeconds)*time.Second)
		p.printf("build        %s%s\n", safe(st.Build), map[bool]string{true: "", false: " (another than this one: it is not used)"}[st.Build == daemon.Build(versionString())])
		p.printf("data home    %s\n", safe(st.Home))
		p.printf("model        %s\n", map[bool]string{true: safe(st.Model), false: "none"}[st.Model != ""])
		p.printf("requests     %d served, %d failed, %d now\n", st.Served, st.Failed, st.Active)
		p.printf("memory       %s in use, %d goroutines\n", megabytes(int64(st.HeapBytes)), st.Goroutines)
		switch {
		case st.Stopping:
			p.printf("ends         when it is idle\n")
		case st.IdleIn >= 0:
			p.printf("ends         in %s, unless somebody needs it\n", time.Duration(st.IdleIn)*time.Second)
		}
		if st.Listen != "" {
			p.printf("listens      on %s\n", safe(st.Listen))
		}
		for _, j := range st.Jobs {
			p.printf("upkeep       %-16s %s\n", safe(j.Name), jobText(&j, time.Now()))
		}
	} else if daemon.Held(place) {
		p.printf("there is one, and it does not answer; `board daemon logs` may say what it is at. Commands do without it\n")
	} else {
		p.printf("there is none; `board daemon start` starts one, and so does the next search by meaning\n")
	}
	if !running { // also one that does not answer
		return verdictError(exitFailure)
	}
	return nil
}

// jobText says how it stands with a job.
func jobText(j *daemon.JobStatus, now time.Time) string {
	switch {
	case j.Running:
		return "at it"
	case j.Runs == 0 && j.Next != nil:
		return fmt.Sprintf("first in %s", time.Until(*j.Next).Round(time.Second))
	case j.Last == nil:
		return "not yet"
	}
	s := fmt.Sprintf("%s ago, %d ms: %s", now.Sub(*j.Last).Round(time.Second), j.Millis, line(j.Result, 100))
	if j.Next != nil {
		s += fmt.Sprintf("; next in %s", j.Next.Sub(now).Round(time.Second))
	}
	return s
}

func (p *program) daemonLogs(c *cli.Context) error {
	place, err := p.daemonPlace()
	if err != nil {
		return err
	}
	f, err := os.Open(place.Log)
	if errors.Is(err, fs.ErrNotExist) {
		p.talk("there is no log: no daemon has run here")
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if c.Int("lines") < 0 {
		return usagef("give a number of lines", "--lines %d is negative", c.Int("lines"))
	}
	data, err := io.ReadAll(io.LimitReader(f, 4<<20))
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	for _, l := range lines[max(0, len(lines)-c.Int("lines")):] {
		p.printf("%s\n", safe(l))
	}
	return nil
}
