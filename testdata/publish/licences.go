package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// noticesFile has the licences of all that is linked; every package holds it.
const noticesFile = "THIRD_PARTY_LICENSES"

// module is a Go module that is linked into one of the binaries.
type module struct {
	path, version string
	spdx          string // its licence
	texts         []string
}

// readModules finds the modules of all binaries, as these name them, with the licences that lie in
// the module cache. The last is Go's own library.
func (r *release) readModules() error {
	used, goVersion := map[string]string{}, ""
	for _, b := range r.binaries {
		info, err := buildinfo.ReadFile(b.path)
		if err != nil {
			return fmt.Errorf("%s does not say of which modules it is: %w", b.path, err)
		}
		goVersion = info.GoVersion
		for _, m := range info.Deps {
			used[m.Path] = m.Version
		}
	}
	dirs, err := moduleDirs()
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(used)) {
		if err := r.addModule(path, used[path], dirs[path]); err != nil {
			return err
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	return r.addModule("std", strings.TrimPrefix(goVersion, "go"), strings.TrimSpace(string(root)))
}

// moduleDirs are the folders of the modules in the cache.
func moduleDirs() (map[string]string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list the modules: %w", err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs[path] = dir
	}
	return dirs, nil
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense|patents)([-._].*)?$`)

func (r *release) addModule(path, version, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s is not in the module cache: %w", path, err)
	}
	m := module{path: path, version: version}
	var known []string
	for _, e := range entries {
		if e.IsDir() || !licenceName.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		m.texts = append(m.texts, strings.TrimSpace(string(text)))
		known = append(known, licencesIn(string(text))...)
	}
	slices.Sort(known)
	if known = slices.Compact(known); len(known) == 0 {
		return fmt.Errorf("the licence of %s is not known: look into %s, and add it to licencePhrases", path, dir)
	}
	m.spdx = strings.Join(known, " AND ")
	r.modules = append(r.modules, m)
	return nil
}

// licencePhrases are words that one licence has and the others have not, by its SPDX name.
var licencePhrases = []struct{ spdx, phrase string }{
	{"Apache-2.0", "Apache License Version 2.0, January 2004"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"BSD-3-Clause", "used to endorse or promote products derived"},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
	{"CC0-1.0", "CC0 1.0 Universal"},
	{"CC-BY-4.0", "Creative Commons Attribution 4.0 International Public License"},
}

// licencesIn are the licences that a text has. A file of patents or notices may have none.
func licencesIn(text string) (names []string) {
	words := strings.Join(strings.Fields(text), " ")
	for _, l := range licencePhrases {
		if strings.Contains(words, l.phrase) && !(l.spdx == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause")) {
			names = append(names, l.spdx)
		}
	}
	return names
}

// notices is the text for people: each licence once, below the modules that have it.
func (r *release) notices() []byte {
	var order []string
	of := map[string][]string{}
	for _, m := range r.modules {
		for _, text := range m.texts {
			if of[text] == nil {
				order = append(order, text)
			}
			of[text] = append(of[text], m.path+" "+m.version)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "board %s is linked with the modules below, each under its own licence.\n", r.tag)
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(of[text], "\n"), text)
	}
	return b.Bytes()
}

// licences writes the notices and a list of the modules (SPDX 2.3) beside the binaries.
func (r *release) licences() error {
	if err := r.write(noticesFile+".txt", r.notices()); err != nil {
		return err
	}
	const document = "SPDXRef-DOCUMENT"
	board := object{"SPDXID": "SPDXRef-board", "name": "board", "versionInfo": r.tag, "downloadLocation": r.Repository,
		"filesAnalyzed": false, "licenseConcluded": license, "licenseDeclared": license, "copyrightText": "NOASSERTION"}
	packages := []object{board}
	relations := []object{{"spdxElementId": document, "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-board"}}
	for i, m := range r.modules {
		id := fmt.Sprintf("SPDXRef-module-%d", i+1)
		packages = append(packages, object{"SPDXID": id, "name": m.path, "versionInfo": m.version,
			"downloadLocation": "NOASSERTION", "filesAnalyzed": false, "licenseConcluded": m.spdx, "licenseDeclared": m.spdx,
			"copyrightText": "NOASSERTION", "externalRefs": []object{{"referenceCategory": "PACKAGE-MANAGER",
				"referenceType": "purl", "referenceLocator": "pkg:golang/" + m.path + "@" + m.version}}})
		relations = append(relations, object{"spdxElementId": "SPDXRef-board", "relationshipType": "STATIC_LINK", "relatedSpdxElement": id})
	}
	text, err := json.MarshalIndent(object{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": document, "name": "board-" + r.tag,
		"documentNamespace": r.Repository + "/releases/download/" + r.tag + "/board-" + r.tag + ".spdx.json",
		"creationInfo":      object{"created": r.time.Format(time.RFC3339), "creators": []string{"Tool: board-publish"}},
		"packages":          packages, "relationships": relations,
	}, "", " ")
	if err != nil {
		return err
	}
	return r.write("board-"+r.tag+".spdx.json", append(text, '\n'))
}
