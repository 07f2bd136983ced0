// Package hookcmd has the commands for sessions of harnesses: hook, topic and setup.
//
// hook.go answers an event of a harness, hook_search.go has its answers without a model,
// and hook_tidy.go tidies the memory when a session ends. The files of topic begin with
// topic, those of setup with setup.
package hookcmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/setup"
	"blackboard/hooks/topics"
)

type program struct{ *base.Program }

func HookCommand(b *base.Program) *cli.Command { return (&program{b}).hookCommand() }

func TopicCommand(b *base.Program) *cli.Command { return (&program{b}).topicCommand() }

func SetupCommand(b *base.Program) *cli.Command { return (&program{b}).setupCommand() }

// OpenSetup finds the user's harnesses' configurations, and the working directory.
func OpenSetup(b *base.Program) (*setup.Setup, string, error) {
	return (&program{b}).openSetup(false)
}

// TopicsOf are the topics of a directory, for completion.
func TopicsOf(b *base.Program, dir string) ([]topics.Info, error) {
	h, err := (&program{b}).topicsOf(dir, "")
	if err != nil {
		return nil, err
	}
	return h.List()
}
