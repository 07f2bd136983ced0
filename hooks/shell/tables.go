package shell

import (
	"slices"
	"strings"
)

// set is a list of names. It is searched as it stands, so that it costs a start nothing.
type set string

func (s set) has(name string) bool {
	if name == "" {
		return false
	}
	space := func(i int) bool { return i < 0 || i >= len(s) || s[i] == ' ' || s[i] == '\n' }
	for at := 0; ; at++ {
		i := strings.Index(string(s[at:]), name)
		if i < 0 {
			return false
		}
		if at += i; space(at-1) && space(at+len(name)) {
			return true
		}
	}
}

// lookNames only look, or change nothing but the shell that they run in.
const lookNames = `cat tac nl less more head tail ls ll la dir tree eza exa pwd cd pushd popd
 dirs echo printf true false : test [ grep egrep fgrep zgrep rg ag ack locate which where whereis
 whatis type hash file stat wc cut tr paste join comm diff colordiff delta cmp diff3 sdiff md5sum
 sha1sum sha256sum sha512sum shasum cksum b2sum hexdump od strings column fold fmt expand nl rev
 seq jq xq gron bat batcat fx cal uptime uname hostname whoami id groups users who w last
 printenv set unset export alias unalias declare local readonly ulimit umask locale df du free ps
 top htop pgrep lsof netstat ss ifconfig ping traceroute dig nslookup host whois nproc lscpu
 lsblk lsmod lspci dmesg vmstat iostat getconf getent tty sleep wait jobs history exit return
 break continue shift trap shopt readlink realpath basename dirname tput clear man info apropos
 help expr bc dc let read mapfile zcat bzcat xzcat zless zipinfo nm objdump readelf ldd otool
 cloc tokei scc yes fc times apt-cache sw_vers xxd get-content gc get-childitem gci get-item
 select-string sls get-location test-path measure-object write-host write-output findstr`

// askNames give exit code 1 for an answer: nothing was found, they differ.
const askNames = `grep egrep fgrep zgrep rg ag ack diff cmp colordiff delta diff3 sdiff test [
 which where type false pgrep lsof expr jq let read getent hash findstr`

// changeNames change files or the system.
const changeNames = `touch mkdir rm rmdir mv cp ln chmod chown chgrp install dd patch truncate
 kill pkill killall mkfifo unlink shred split csplit gzip gunzip bzip2 xz zip zstd set-content
 add-content out-file remove-item copy-item move-item new-item apply_patch`

// gitLooks are the verbs of git that only look, gitKeeps those after which it keeps
// something that others see, gitChanges the others. With gitAsks exit code 1 may be an
// answer.
const (
	gitLooks = `status log show diff blame annotate rev-parse ls-files describe shortlog cat-file
 diff-tree diff-index diff-files merge-base grep count-objects for-each-ref name-rev ls-tree
 ls-remote rev-list cherry whatchanged range-diff check-ignore check-attr help version var
 show-ref show-branch verify-commit verify-tag fsck merge-tree`
	gitAsks = `diff grep merge-base show-ref rev-parse config check-ignore ls-files ls-remote
 symbolic-ref`
	gitKeeps   = `commit merge push pull cherry-pick revert rebase am tag`
	gitChanges = `add rm mv restore checkout switch reset stash clean fetch clone init apply branch
 remote config worktree submodule notes bisect gc prune update-index update-ref sparse-checkout
 filter-branch filter-repo`
)

// lookVerbs are the verbs with which a program only looks, "" if nothing is known. Of two
// words both must be there.
func lookVerbs(name string) string {
	switch name {
	case "go":
		return "version|env|list|doc|help|mod graph|mod why|mod verify"
	case "cargo":
		return "tree|metadata|search|version|locate-project|pkgid|info"
	case "npm":
		return "ls|list|ll|la|view|info|show|outdated|explain|why|root|prefix|bin|search|help|ping|" +
			"whoami|config get|config list|pkg get"
	case "pnpm":
		return "ls|list|ll|why|outdated|view|info|root|bin"
	case "yarn":
		return "list|why|outdated|info|bin|versions"
	case "bun":
		return "pm"
	case "bundle":
		return "list|show|info|outdated|platform|check"
	case "gem":
		return "list|search|info|environment|env|which"
	case "pip":
		return "list|show|freeze|check|index|debug"
	case "pip3":
		return "list|show|freeze|check|index|debug"
	case "uv":
		return "pip list|pip show|pip freeze|tree|version"
	case "poetry":
		return "show|env|check|version"
	case "docker":
		return "ps|images|logs|inspect|version|info|top|stats|port|diff|history|search|events|" +
			"image ls|image inspect|container ls|container inspect|container logs|volume ls|" +
			"volume inspect|network ls|network inspect|compose ps|compose logs|compose config|" +
			"compose ls|compose images|compose top|context ls"
	case "docker-compose":
		return "ps|logs|config|images|top|port"
	case "podman":
		return "ps|images|logs|inspect|version|info|top|stats"
	case "kubectl":
		return "get|describe|logs|explain|version|api-resources|api-versions|cluster-info|top|diff|" +
			"config view|config get-contexts|config current-context|auth can-i"
	case "helm":
		return "list|ls|status|get|show|history|search|template|version"
	case "terraform":
		return "show|output|version|providers|graph|state list|state show|workspace list|" +
			"workspace show"
	case "systemctl":
		return "status|is-active|is-enabled|show|list-units|list-unit-files|cat"
	case "brew":
		return "list|info|search|outdated|deps|config|doctor|ls"
	case "apt":
		return "list|show|search|policy"
	case "snap":
		return "list|info|find"
	case "conda":
		return "list|info|search|env list"
	case "gh":
		return "pr view|pr list|pr diff|pr checks|pr status|issue view|issue list|issue status|" +
			"run view|run list|run watch|repo view|repo list|release view|release list|" +
			"auth status|workflow list|workflow view|search|status|label list"
	case "glab":
		return "mr view|mr list|mr diff|issue view|issue list|ci view|ci status|ci list"
	case "rustup":
		return "show|which|toolchain list|target list"
	case "rails":
		return "routes|stats|about|notes"
	case "mix":
		return "help|deps.tree|hex.info"
	case "dotnet":
		return "--info|--list-sdks|--list-runtimes|list"
	case "composer":
		return "show|outdated|why|info|licenses"
	case "tmux":
		return "ls|list-sessions|capture-pane|list-panes|list-windows"
	case "ip":
		return "a|addr|route|link|r|-br"
	case "board":
		return "hook|query|show|signals|gate|survival|watch|wait|replay|runs|version|help|completion|" +
			"demo|mcp|--help|--version|kb search|kb get|kb list|kb stats|kb doctor|kb history|" +
			"kb brief|memory read|memory list|memory get|memory orient|memory context|" +
			"memory stats|memory events|memory workspaces|context search|context read|" +
			"context list|context get|context status|topic status|topic show|topic list|state get|" +
			"state list|daemon status|daemon logs|model list|model path"
	}
	return ""
}

// readVerbs reads a program whose first words say what it does.
func readVerbs(name string, args []string) (verdict, bool) {
	list := lookVerbs(name)
	if list == "" || len(args) == 0 {
		return verdict{}, false
	}
	writes := name == "go" && args[0] == "env" && option(args, "-w") ||
		name == "ip" && slices.ContainsFunc(args,
			set("add del delete set change replace flush").has)
	if writes {
		return changes, true
	}
	two := strings.Join(args[:min(2, len(args))], " ")
	for _, verb := range strings.Split(list, "|") {
		if verb == args[0] || verb == two {
			return looks, true
		}
	}
	return verdict{}, false
}

// Names of programs, and of verbs and scripts, by the kind of work that they are.
const (
	testNames = `pytest py.test unittest tox nox mypy ruff flake8 black isort pylint pyright eslint
 tsc vue-tsc vitest jest mocha ava cypress prettier biome cmake ninja ctest bazel buck buck2
 gradle gradlew mvn mvnw rake rspec rubocop minitest phpunit phpstan golangci-lint staticcheck
 gofmt goimports shellcheck hadolint tflint pre-commit just task meson gcc g++ clang clang++ cc
 rustc javac kotlinc swiftc xcodebuild webpack vite rollup esbuild turbo nx lerna sphinx-build
 mkdocs rustfmt clippy standardrb brakeman`
	testVerbs = `test build vet check clippy bench lint fmt format typecheck type-check compile e2e
 t tests ci:test run-tests coverage validate plan verify`
	packages = `npm pnpm yarn bun pip pip3 uv poetry pipenv pdm gem bundle cargo go apt apt-get dnf
 yum apk pacman brew snap choco winget composer mix conda mamba playwright rustup`
	installs = `install add i ci get upgrade update sync remove uninstall require tidy deps.get rm
 un up`
)

// kindOf tells what kind of work a command is that nobody knows better.
func kindOf(name string, args []string) Kind {
	verb, rest := "", positional(args)
	if len(rest) > 0 {
		verb = rest[0]
	}
	if (verb == "run" || verb == "mod" || verb == "pip") && len(rest) > 1 {
		verb = rest[1]
	}
	word, _, _ := strings.Cut(verb, ":")
	switch {
	case name == "gh" && len(rest) > 1 && set("create merge close ready edit").has(rest[1]):
		return Commit
	case set(packages).has(name) && set(installs).has(verb):
		return Install
	case set(testNames).has(name), set(testVerbs).has(verb), set(testVerbs).has(word):
		return Test
	}
	return Other
}
