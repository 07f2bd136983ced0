package base

import (
	"slices"
	"strings"

	"blackboard/board/fault"
)

// Commands are the commands for the operations that errors, reasons and findings name
// as the next step. A word in capitals is an argument; other arguments are flags.
func Commands() map[string]string {
	return map[string]string{
		"demo.show": "demo", "run.list": "runs", "run.create": "start", "run.start": "start RUN", "run.show": "show",
		"run.export": "export", "run.digest": "digest",
		"event.list": "watch",
		"entry.list": "query", "entry.show": "show ID", "entry.post": "post CONTENT",
		"entry.correct": "correct ID CONTENT",
		"entry.settle":  "accept ENTRY OTHER", "doubt.accept": "accept ID", "run.check": "check REPORT",
		"entry.verify": "verify ID", "source.list": "source list", "source.add": "source add PATH",
		"signal.list": "signals", "signal.show": "show SIGNAL", "signal.claim": "claim",
		"signal.extend":  "claim SIGNAL",
		"signal.reopen":  "reopen SIGNAL",
		"signal.address": "answer SIGNAL", "signal.waive": "waive SIGNAL",
		"policy.init": "check --init", "database.init": "database init",
		"database.status": "doctor",
		"worker.list":     "expect", "worker.done": "done NAMES", "worker.drop": "expect --drop NAMES",
		"variable.list": "state get", "variable.get": "state get KEY",

		"kb.list": "kb list", "kb.search": "kb search", "kb.get": "kb get ID",
		"kb.history": "kb history ID", "kb.restore": "kb restore ID", "kb.remember": "kb remember",
		"kb.edit": "kb edit ID", "kb.ingest": "kb ingest PATHS", "kb.export": "kb export",
		"kb.rebuild": "kb rebuild", "kb.resolve": "kb curate contradictions --resolve k1,k2 --as stand|supersede|retire", "kb.reembed": "kb reembed",

		"memory.list": "memory list", "memory.restore": "memory restore ID",
		"memory.restore_revision": "memory restore ID",
		"memory.get":              "memory get ID",
		"memory.core":             "memory core", "memory.journal": "memory journal",
		"memory.workspaces": "memory workspaces",
		"memory.named.list": "memory named list", "memory.named.show": "memory named show NAME",
		"memory.named.edit":   "memory named edit NAME",
		"memory.channel.list": "memory channel list", "memory.channel.create": "memory channel create",
		"memory.forget":              "memory forget ID",
		"memory.scratch.list":        "memory scratch list",
		"memory.conversation.start":  "memory conversation start",
		"memory.conversation.list":   "memory conversation list",
		"memory.conversation.invite": "memory conversation invite REF AGENT",
		"memory.conversation.show":   "memory conversation show REF",
		"memory.conversation.idle":   "memory conversation idle REF",
		"memory.conversation.reopen": "memory conversation reopen REF",

		"context.list": "context list", "context.set": "context set",
		"context.reembed": "kb reembed",
		"model.pull":      "model pull NAME", "daemon.start": "daemon start", "daemon.token": "daemon token",
		"harness.setup": "setup HARNESS",
		"web.open":      "web",
		"help.show":     "help PAGE",
		"topic.list":    "topic list", "topic.show": "topic show TOPIC", "topic.use": "topic use NAME",
		"topic.edit": "topic edit", "topic.wipe": "topic wipe", "topic.unpin": "topic use --none",
		"topic.archive": "topic archive TOPIC", "topic.archived": "topic list --archived",
	}
}

// FlagFor is the flag, without its dashes, for an argument of an operation.
func FlagFor(argument string) string {
	switch argument {
	case "keep_secret":
		return "force"
	case "source_doc":
		return "source"
	case "evidence":
		return "quote"
	case "must_surface":
		return "must"
	case "tags":
		return "tag"
	case "why":
		return "reason"
	}
	return strings.ReplaceAll(argument, "_", "-")
}

// CommandFor is a step as a command in backticks, or as flags alone.
func CommandFor(s fault.Step) string {
	var line, given []string
	if s.Op != "" {
		command, known := Commands()[s.Op]
		if !known {
			return ""
		}
		line = append(line, "board")
		for _, word := range strings.Fields(command) {
			argument := strings.ToLower(word)
			value, there := s.Args[argument]
			switch {
			case word == argument:
				line = append(line, word)
			case there:
				line, given = append(line, value), append(given, argument)
			}
		}
	}
	for _, name := range s.Names() {
		if slices.Contains(given, name) {
			continue
		}
		line = append(line, "--"+FlagFor(name))
		if value := s.Args[name]; value != "" {
			line = append(line, value)
		}
	}
	if s.Op == "" {
		return strings.Join(line, " ")
	}
	return "`" + strings.Join(line, " ") + "`"
}

func NextStep(err error) string { return fault.Try(err, CommandFor) }
