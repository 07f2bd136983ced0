//go:build !linux

package histories

import "context"

func (w *world) watch(context.Context, int) { w.problem("no terminal for a TUI on this system") }
