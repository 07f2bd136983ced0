package main

import (
	"slices"
	"strings"
	"sync"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/kb"
)

// commandOf are the commands for the operations that errors, reasons and findings name as the
// next step. What stands in capitals is an argument; others are flags.
var commandOf = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"run.list": "runs", "run.create": "new", "run.show": "show", "run.export": "export", "event.list": "watch",
		"entry.list": "query", "entry.show": "show ID", "entry.post": "post CONTENT", "entry.settle": "settle ENTRY OTHER",
		"entry.verify": "verify ID", "source.list": "source list",
		"signal.list": "signals", "signal.show": "show SIGNAL", "signal.claim": "claim", "signal.reopen": "reopen SIGNAL",
		"signal.address": "address SIGNAL", "signal.waive": "waive SIGNAL",
		"policy.init": "check --init", "database.init": "database init", "database.status": "database status",
		"worker.list": "expect", "worker.done": "done NAMES", "worker.drop": "expect --drop NAMES",
		"variable.list": "state list", "variable.get": "state get KEY",

		"kb.list": "kb list", "kb.search": "kb search", "kb.get": "kb get ID", "kb.history": "kb history ID", "kb.remember": "kb remember",
		"kb.edit": "kb edit ID", "kb.ingest": "kb ingest PATHS", "kb.export": "kb export", "kb.rebuild": "kb rebuild", "kb.reembed": "kb reembed",

		"memory.list": "memory list", "memory.restore": "memory restore ID", "memory.consolidate": "memory consolidate", "memory.get": "memory get ID", "memory.workspaces": "memory workspaces",
		"memory.named.list": "memory named list", "memory.named.show": "memory named show NAME", "memory.named.edit": "memory named edit NAME",
		"memory.channel.list": "memory channel list", "memory.channel.create": "memory channel create", "memory.scratch.list": "memory scratch list",
		"memory.conversation.start": "memory conversation start", "memory.conversation.list": "memory conversation list",
		"memory.conversation.invite": "memory conversation invite REF AGENT",
		"memory.conversation.show":   "memory conversation show REF", "memory.conversation.idle": "memory conversation idle REF",

		"context.list": "context list", "context.set": "context set", "context.reembed": "context reembed",
		"model.pull": "model pull NAME", "daemon.start": "daemon start", "daemon.token": "daemon token", "help.show": "help PAGE",
		"topic.list": "topic list", "topic.show": "topic show TOPIC", "topic.use": "topic use NAME", "topic.edit": "topic edit", "topic.wipe": "topic wipe", "topic.unpin": "topic use --none", "topic.archive": "topic archive TOPIC", "topic.archived": "topic list --archived",
	}
})

// otherFlags are the flags of arguments that have another name.
var otherFlags = map[string]string{"entry": "by", "keep_secret": "force"}

func flagOf(argument string) string {
	if name := otherFlags[argument]; name != "" {
		return name
	}
	return strings.ReplaceAll(argument, "_", "-")
}

// words say a step on the command line: the command in backticks, or the flags alone.
func words(s fault.Step) string {
	var line, given []string
	if s.Op != "" {
		command, known := commandOf()[s.Op]
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
		line = append(line, "--"+flagOf(name))
		if value := s.Args[name]; value != "" {
			line = append(line, value)
		}
	}
	if s.Op == "" {
		return strings.Join(line, " ")
	}
	return "`" + strings.Join(line, " ") + "`"
}

// try is the next step of an error, "" for none.
func try(err error) string { return fault.Try(err, words) }

// commanded puts what would clear a gate's reasons into commands, without the backticks: they
// also stand where those mean nothing.
func commanded(v *board.Verdict) {
	v.In(func(s fault.Step) string { return strings.Trim(words(s), "`") })
}

// inCommands puts the next steps of findings into commands.
func inCommands(all []kb.Finding) []kb.Finding {
	for i := range all {
		all[i].Try = fault.Say(all[i].Next, words)
	}
	return all
}
