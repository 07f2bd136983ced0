package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Pgbench has clients run a script n times in all, and returns how many milliseconds it took on
// average and how often it was run in a second. Variables are NAME=VALUE.
func (s *Server) Pgbench(schema, script string, clients, n int, variables ...string) (latency, rate float64, err error) {
	bin := filepath.Join(s.bin, "pgbench")
	if !s.Own() || !exists(bin) {
		return 0, 0, fmt.Errorf("%w, with pgbench", ErrNone)
	}
	file := filepath.Join(s.dir, "script.sql")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		return 0, 0, err
	}
	args := []string{"-n", "-h", s.dir, "-U", "board", "-f", file, "-c", strconv.Itoa(clients), "-j", strconv.Itoa(min(clients, 2)), "-t", strconv.Itoa(max(1, n/clients))}
	for _, v := range variables {
		args = append(args, "-D", v)
	}
	cmd := exec.Command(bin, append(args, "postgres")...)
	cmd.Env = append(os.Environ(), "PGOPTIONS=-c search_path="+schema)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("pgbench: %w: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		for name, value := range map[string]*float64{"latency average = ": &latency, "tps = ": &rate} {
			if rest, is := strings.CutPrefix(line, name); is {
				number, _, _ := strings.Cut(rest, " ")
				if *value, err = strconv.ParseFloat(number, 64); err != nil {
					return 0, 0, err
				}
			}
		}
	}
	if latency == 0 || rate == 0 {
		return 0, 0, errors.New("pgbench says neither latency nor rate: " + string(out))
	}
	return latency, rate, nil
}
