package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestSelftestOfAnother lets the self-test try another executable, for as long as
// $BOARD_SELFTEST_SECONDS says: one that is known to lose what it acknowledges must be
// found out. $BOARD_SELFTEST_EXE names it; the last program that dropped its own locks
// was built from the commit before the self-test had servers. It was found out in eight
// of nine runs of 6 seconds, on two busy cores, and in all three of 20 and 30 seconds.
func TestSelftestOfAnother(t *testing.T) {
	exe := os.Getenv("BOARD_SELFTEST_EXE")
	if exe == "" {
		t.Skip("no executable that loses writes ($BOARD_SELFTEST_EXE)")
	}
	seconds := 60
	if s := os.Getenv("BOARD_SELFTEST_SECONDS"); s != "" {
		var err error
		if seconds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	before := selftestExe
	selftestExe = func() (string, error) { return exe, nil }
	t.Cleanup(func() { selftestExe = before })
	home := t.TempDir()
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"doctor", "--selftest", "--seconds", strconv.Itoa(seconds), "--json"},
		func(k string) string { return map[string]string{"BOARD_HOME": home}[k] }, strings.NewReader(""), &out, &errs)
	t.Logf("%s%s", &out, &errs)
	var answer struct{ Selftest selftestResult }
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if code != exitFailure || answer.Selftest.OK || len(answer.Selftest.Problems) == 0 {
		t.Errorf("exit %d: it was not found out", code)
	}
}
