package base

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Edit opens a text in the person's editor and stores what that makes of it. Without an editor, or a
// person, its error names instead as the next step. What could not be stored is kept in the editor's file.
func (p *Program) Edit(ctx context.Context, name, instead string, read func() (string, error),
	store func(edited string) error) error {
	editor := p.OwnEditor()
	if editor == "" || !IsTerminal(p.In) {
		return Usagef(instead, "no change is given")
	}
	text, err := read()
	if err != nil {
		return err
	}
	edited, file, err := p.edit(ctx, editor, name, text)
	if err != nil {
		return err
	}
	if err = store(edited); err != nil {
		p.Messagef("your text is kept in %s", file)
		return err
	}
	os.Remove(file)
	return nil
}

// OwnEditor is $VISUAL, else $EDITOR, else one that most systems have, or "".
func (p *Program) OwnEditor() string {
	if editor := cmp.Or(p.Env("VISUAL"), p.Env("EDITOR")); editor != "" {
		return editor
	}
	for _, name := range []string{"vi", "nano"} {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return ""
}

// edit opens a text in the editor. It returns the edited text and its file.
func (p *Program) edit(ctx context.Context, editor, name, text string) (edited, file string,
	err error) {
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
	cmd := EditorCommand(ctx, editor, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		os.Remove(file)
		return "", "", Usagef("set $VISUAL or $EDITOR to an editor that is installed",
			"%q failed (%v); nothing was changed", editor, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", Usagef("try again with an editor that does not move the file",
			"cannot read the edited text (%v); nothing was changed", err)
	}
	return string(data), file, nil
}

// EditorCommand runs an editor with arguments. It uses the shell, since $EDITOR may
// hold arguments; Windows has no shell to rely on.
func EditorCommand(ctx context.Context, editor string, args ...string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := strings.Fields(editor)
		// a path with spaces in it
		if _, err := exec.LookPath(editor); err == nil || len(words) == 0 {
			words = []string{editor}
		}
		return exec.CommandContext(ctx, words[0], append(words[1:], args...)...)
	}
	return exec.CommandContext(ctx, "sh", append([]string{"-c", editor + ` "$@"`, "sh"}, args...)...)
}
