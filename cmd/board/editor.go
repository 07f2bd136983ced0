package main

import (
	"context"
	"os"
	"os/exec"
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
		return "", "", err
	}
	// Through the shell, since $EDITOR may have arguments.
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		os.Remove(file)
		return "", "", usagef("set $VISUAL or $EDITOR to an editor that is installed", "%q ended with an error (%v); nothing is changed", editor, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", usagef("nothing is changed", "what was edited cannot be read: %v", err)
	}
	return string(data), file, nil
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
