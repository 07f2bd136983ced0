package doctor

import "testing"

func TestMisspelt(t *testing.T) {
	for name, want := range map[string]string{"BOARD_DEAMON": "BOARD_DAEMON", "BOARD_HOME": "", "BOARD_TEST_REPO": "", "HOME": "", "BOARD_WORKR": "BOARD_WORKER", "DASHBOARD_HOME": ""} {
		if got := misspelt(name); got != want {
			t.Errorf("%s is taken for %q, not %q", name, got, want)
		}
	}
}
