package minilm

import (
	"encoding/json"
	"os"
	"path/filepath"

	"blackboard/board/fault"
	"blackboard/board/replace"
)

func speedsFile(home string) string { return filepath.Join(home, "models", "speeds.json") }

// Speeds are those that were kept, by the name of the model: of each the fastest engine's
// on this machine. What cannot be read counts as not measured.
func Speeds(home string) map[string]*Speed {
	speeds := map[string]*Speed{}
	if found, err := readJSON(speedsFile(home), &speeds); !found || err != nil {
		return map[string]*Speed{}
	}
	return speeds
}

// KeepSpeeds keeps what was measured, for Speeds. Of each model the first one counts.
func KeepSpeeds(home string, measured []*Speed) error {
	failed := func(err error) error {
		return failure(fault.Failure, "", err, "the speeds cannot be stored")
	}
	speeds, now := Speeds(home), map[string]bool{}
	for _, s := range measured {
		if !now[s.Model.Name] {
			speeds[s.Model.Name], now[s.Model.Name] = s, true
		}
	}
	data, err := json.MarshalIndent(speeds, "", "  ")
	if err != nil {
		return failed(err)
	}
	path := speedsFile(home)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return failed(err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".speeds-*")
	if err != nil {
		return failed(err)
	}
	err = replace.Fill(f, func(f *os.File) error {
		_, err := f.Write(append(data, '\n'))
		return err
	})
	if err == nil {
		err = replace.Put(f.Name(), path)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}
