package page

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Do returns a command for a slow function. Its context ends with the program.
func (a *App) Do(fn func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg { return fn(a.Context) }
}

// Answer is the result of a command. Update applies it, since only Update may change a
// page; if the page was closed, the answer is dropped.
type Answer struct {
	To   Page // nil: for the program
	Take func() tea.Cmd
	Drop func() // nil: no cleanup needed
}

// Ask runs a slow function, then applies its result, if the page is not closed.
func (a *App) Ask(to Page, fn func(context.Context) (take func() tea.Cmd)) tea.Cmd {
	return a.Do(func(ctx context.Context) tea.Msg { return Answer{To: to, Take: fn(ctx)} })
}

// maxReads is how many large reads of a run go on at once: each has a connection of some MB.
const maxReads = 2

// Read is Ask for large reads, which may wait for each other.
func (a *App) Read(to Page, fn func(context.Context) (take func() tea.Cmd)) tea.Cmd {
	return a.Ask(to, func(ctx context.Context) func() tea.Cmd {
		select {
		case a.reads <- struct{}{}:
			defer func() { <-a.reads }()
		case <-ctx.Done(): // fn returns the error
		}
		return fn(ctx)
	})
}

// After runs a function after a delay; in tests (Still) it never does.
func (a *App) After(d time.Duration, to Page, take func() tea.Cmd) tea.Cmd {
	if a.Still {
		return nil
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return Answer{To: to, Take: take} })
}

// Latest is a repeated query: a new one cancels the last, and only the last answer counts.
type Latest struct {
	n    int
	stop context.CancelFunc
}

// Ask cancels the query before, and asks a new one.
func (l *Latest) Ask(a *App, to Page, fn func(context.Context) (take func() tea.Cmd)) tea.Cmd {
	l.Drop()
	ctx, stop := context.WithCancel(a.Context)
	n := l.n
	l.stop = stop
	return func() tea.Msg {
		defer stop()
		take := fn(ctx)
		return Answer{To: to, Take: func() tea.Cmd {
			if n != l.n {
				return nil
			}
			return take()
		}}
	}
}

// Drop cancels the current query.
func (l *Latest) Drop() {
	l.n++
	if l.stop != nil {
		l.stop()
	}
}

// Once keeps the same thing from being read twice at once; a request meanwhile reads it again.
type Once struct{ Reading, Again bool }

// Begin reports whether to read now; else End asks for another read.
func (o *Once) Begin() bool {
	o.Reading, o.Again = true, o.Reading
	return !o.Again
}

// End reports whether another read was requested.
func (o *Once) End() bool {
	o.Reading = false
	return o.Again
}
