package daemon

import (
	"encoding/xml"
	"fmt"
	"strings"
)

type Unit struct {
	Exe string      // the absolute path of the program
	Env [][2]string // names and values
}

// Systemd writes a user unit. Line ends and seeming specifiers are refused or quoted.
func (u Unit) Systemd() (string, error) {
	quote := func(s string) (string, error) {
		if strings.ContainsAny(s, "\n\r\x00") {
			return "", fmt.Errorf("%q has a line break and cannot be written into a unit", s)
		}
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(s) + `"`, nil
	}
	exe, err := quote(u.Exe)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("[Unit]\nDescription=board daemon: warm searches for multi-agent runs\n\n[Service]\nExecStart=" + exe + " daemon run --detached --idle 0\n")
	for _, e := range u.Env {
		v, err := quote(e[0] + "=" + e[1])
		if err != nil {
			return "", err
		}
		// only commands have variables in them
		b.WriteString("Environment=" + strings.ReplaceAll(v, "$$", "$") + "\n")
	}
	b.WriteString("Restart=on-failure\nRestartSec=5\n\n[Install]\nWantedBy=default.target\n")
	return b.String(), nil
}

func (u Unit) Launchd() (string, error) {
	var b strings.Builder
	text := func(tag, s string) {
		b.WriteString("<" + tag + ">")
		xml.EscapeText(&b, []byte(s)) // a builder takes all
		b.WriteString("</" + tag + ">\n")
	}
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
<key>Label</key>
<string>blackboard.daemon</string>
<key>ProgramArguments</key>
<array>
`)
	for _, arg := range []string{u.Exe, "daemon", "run", "--detached", "--idle", "0"} {
		text("string", arg)
	}
	b.WriteString("</array>\n<key>EnvironmentVariables</key>\n<dict>\n")
	for _, e := range u.Env {
		text("key", e[0])
		text("string", e[1])
	}
	b.WriteString("</dict>\n<key>RunAtLoad</key>\n<true/>\n<key>KeepAlive</key>\n<dict>\n<key>SuccessfulExit</key>\n<false/>\n</dict>\n</dict>\n</plist>\n")
	return b.String(), nil
}
