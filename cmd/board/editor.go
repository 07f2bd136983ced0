package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// editor is the command that opens a text for a person; instead says what to do where there is none, or nobody to use it.
func (p *program) editor(instead string) (string, error) {
	editor := p.env("VISUAL")
	if editor == "" {
		editor = p.env("EDITOR")
	}
	if !isTerminal(p.in) || editor == "" {
		return "", usagef(instead, "nothing says what to change")
	}
	return editor, nil
}

// edit opens a text in the editor, and returns what became of it and the file that holds it, which edited removes.
func (p *program) edit(ctx context.Context, editor, name, text string) (edited, file string, err error) {
	f, err := os.CreateTemp("", name+"-*.md")
	if err != nil {
		return "", "", err
	}
	file = f.Name()
	_, err = f.WriteString(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(file)
		return "", "", err
	}
	cmd := editorCommand(ctx, editor, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		os.Remove(file)
		return "", "", usagef("set $VISUAL or $EDITOR to an editor that is installed", "%q ended with an error (%v); nothing is changed", editor, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", usagef("start again, with an editor that leaves the file where it is", "what was edited cannot be read (%v); nothing is changed", err)
	}
	return string(data), file, nil
}

// editorCommand runs an editor with arguments. It goes through the shell, since $EDITOR may have arguments of its own; Windows has none that could be relied on.
func editorCommand(ctx context.Context, editor string, args ...string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := strings.Fields(editor)
		if _, err := exec.LookPath(editor); err == nil || len(words) == 0 { // a path with spaces in it
			words = []string{editor}
		}
		return exec.CommandContext(ctx, words[0], append(words[1:], args...)...)
	}
	return exec.CommandContext(ctx, "sh", append([]string{"-c", editor + ` "$@"`, "sh"}, args...)...)
}

// edited ends an edit: the file goes once what it holds is kept, and stays if it could not be.
func (p *program) edited(file string, err error) error {
	if err != nil {
		p.talk("what you wrote is in %s", file)
		return err
	}
	os.Remove(file)
	return nil
}
