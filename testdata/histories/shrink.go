package histories

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Shrink looks for smaller settings that fail too, each tried a few times since timing is not
// repeatable, and returns the smallest with its directory, below dir. Without one it returns the
// settings that it was given.
func Shrink(c Config, dir string, tries int, say func(format string, args ...any)) (Config, string) {
	best, kept := c, c.Dir
	n := 0
	fails := func(smaller Config) bool {
		for range tries {
			n++
			smaller.Dir = filepath.Join(dir, fmt.Sprintf("shrink-%d", n))
			h, _, err := Run(smaller)
			if err != nil {
				return false
			}
			if v := Judge(h, smaller.Dir); len(v.Problems) > 0 {
				best, kept = smaller, smaller.Dir
				say("fails with %s too: %s", smaller.Settings(), v.Problems[0].What)
				return true
			}
			os.RemoveAll(smaller.Dir)
		}
		return false
	}
	for _, smaller := range []func(*Config){
		func(c *Config) { c.Watchers = 0 },
		func(c *Config) { c.Daemon = false },
		func(c *Config) { c.Commands = 0 },
		func(c *Config) { c.Servers = max(1, c.Servers/2) },
		func(c *Config) { c.Servers = max(1, c.Servers/2) },
		func(c *Config) { c.Overlap = max(1, c.Overlap/2) },
		func(c *Config) { c.Calls = max(1, c.Calls/2) },
		func(c *Config) { c.Calls = max(1, c.Calls/2) },
	} {
		s := best
		if smaller(&s); s.Settings() != best.Settings() {
			fails(s)
		}
	}
	for _, list := range []func(*Config) *[]string{func(c *Config) *[]string { return &c.Faults }, func(c *Config) *[]string { return &c.Stores }} {
		for _, what := range slices.Clone(*list(&best)) {
			s := best
			if l := list(&s); len(*l) > 1 || l == &s.Faults {
				*l = slices.DeleteFunc(slices.Clone(*l), func(x string) bool { return x == what })
				fails(s)
			}
		}
	}
	return best, kept
}

// Settings are the flags of check that repeat a run.
func (c *Config) Settings() string {
	s := fmt.Sprintf("-seed %d -time %s -calls %d -servers %d -overlap %d -commands %d -watchers %d -stores %s -faults %s -kills %s",
		c.Seed, c.Time, c.Calls, c.Servers, c.Overlap, c.Commands, c.Watchers, list(c.Stores), list(c.Faults), c.Kills)
	if c.Daemon {
		s += " -daemon"
	}
	return s
}

func list(all []string) string {
	s := ""
	for i, x := range all {
		if i > 0 {
			s += ","
		}
		s += x
	}
	if s == "" {
		return "none"
	}
	return s
}
