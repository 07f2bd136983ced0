package runs

import "testing"

func TestParseLinks(t *testing.T) {
	l, err := parseLinks("supports e1, e2 contradicts e3; addresses s1,s2 Supersedes e9")
	if err != nil || len(l.Supports) != 2 || l.Contradicts[0] != "e3" || len(l.Addresses) != 2 || l.Supersedes[0] != "e9" {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := parseLinks("e1"); err == nil {
		t.Error("ids without a kind are taken")
	}
}
