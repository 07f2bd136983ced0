package minilm

import (
	"os"
	"testing"

	"blackboard/embed"
)

// TestSpeeds: of each model the engine that was measured first is kept; others stay.
func TestSpeeds(t *testing.T) {
	home := t.TempDir()
	speed := func(name, engine string) *Speed {
		return &Speed{Model: embed.Model{Name: name}, Engine: engine}
	}
	for _, measured := range [][]*Speed{
		{speed("a", "hugot"), speed("b", "hugot")}, {speed("a", "onnxruntime"), speed("a", "hugot")},
	} {
		if err := KeepSpeeds(home, measured); err != nil {
			t.Fatal(err)
		}
	}
	kept := Speeds(home)
	if len(kept) != 2 || kept["a"].Engine != "onnxruntime" || kept["b"].Engine != "hugot" {
		t.Errorf("%+v", kept)
	}
	write(t, speedsFile(home), []byte("[broken"))
	if kept := Speeds(home); kept == nil || len(kept) > 0 {
		t.Errorf("a broken file: %+v", kept)
	}
	if err := KeepSpeeds(home, nil); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(home); err != nil {
		t.Fatal(err)
	}
	write(t, home, nil)
	if err := KeepSpeeds(home, nil); err == nil {
		t.Error("a data home that is a file")
	}
}
