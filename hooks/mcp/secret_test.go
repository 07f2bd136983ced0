package mcp

import (
	"strings"
	"testing"
)

// TestSecretsAreMasked: what an agent writes is masked and it is told, unless it gives keep_secret.
func TestSecretsAreMasked(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	token := "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	for tool, args := range map[string]string{
		"board_post":    `{"content":"use ` + token + `"`,
		"board_signal":  `{"content":"is ` + token + ` valid?"`,
		"board_var_set": `{"key":"k","value":{"a":"` + token + `"}`,
		"write_context": `{"topic":"t","content":"use ` + token + `"`,
		"set_state":     `{"key":"k","value":"` + token + `"`,
	} {
		text := must(t, c, tool, args+`}`)
		if strings.Contains(text, token) ||
			!strings.Contains(text, "keep_secret stores it if it is not a secret") {
			t.Errorf("%s says %q", tool, text)
		}
		if text := must(t, c, tool, args+`,"keep_secret":true}`); strings.Contains(text, "held what looks like") {
			t.Errorf("%s with keep_secret says %q", tool, text)
		}
	}
	if got := must(t, c, "board_query", `{"types":["observation"]}`); !strings.Contains(got, "use ghp_****") ||
		!strings.Contains(got, "use "+token) {
		t.Error(got)
	}
}

// TestSecretsAreRefused: knowledge base and memory refuse them, and say what keeps one.
func TestSecretsAreRefused(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	token := "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	for tool, args := range map[string]string{
		"kb_remember":     `{"title":"The token of the mirror","body":"It is ` + token + `."`,
		"memory_put":      `{"content":"The mirror takes ` + token + `"`,
		"save_to_journal": `{"content":"The mirror takes ` + token + `"`,
		"memory_named":    `{"name":"MIRROR","revision":0,"body":"It takes ` + token + `"`,
	} {
		refused(t, c, tool, args+`}`, "keep_secret stores it if it is not a secret")
		must(t, c, tool, args+`,"keep_secret":true}`)
	}
}
