package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of a JUnit file, as Jenkins, GitLab and GitHub's reporters read them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		ClassName string        `xml:"classname,attr"`
		Time      string        `xml:"time,attr"`
		Failure   *junitFailure `xml:"failure"`
		Skipped   *junitSkipped `xml:"skipped"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the report as JUnit XML: one suite, a test case per finding, no times. With a
// warning or unchecked it counts as skipped, which readers show apart.
func (r CI) JUnit(w io.Writer) error {
	suite := junitSuite{Name: r.tool + " " + r.run, Tests: len(r.findings), Failures: len(r.failed()), Time: "0",
		Properties: []junitProperty{{"run", r.run}, {"event", fmt.Sprint(r.seq)}, {"result", r.headline}}}
	for _, n := range r.notes {
		suite.Properties = append(suite.Properties, junitProperty{"note", n})
	}
	for _, f := range r.findings {
		c := junitCase{Name: f.title(), ClassName: strings.ReplaceAll(r.tool, " ", "."), Time: "0"}
		if f.test != "" { // the same whatever the verdict is, or a reader has no history of it
			c.Name = f.test + ": " + line(f.message, titleRunes)
		} else {
			c.ClassName += "." + f.rule
		}
		if !f.ok {
			text := strings.Join(f.lines(messageRunes), "\n")
			if f.line > 0 {
				text = fmt.Sprintf("%s:%d\n%s", line(f.file, cellRunes), f.line, text)
			}
			c.Failure = &junitFailure{Message: line(f.message, cellRunes), Type: f.cause, Text: text}
		}
		if why := cmp.Or(f.warning, f.skipped); why != "" {
			c.Skipped = &junitSkipped{line(why, cellRunes)}
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}
	doc := junitSuites{Name: r.tool, Tests: suite.Tests, Failures: suite.Failures, Skipped: suite.Skipped, Time: "0", Suites: []junitSuite{suite}}
	data, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(data)+"\n")
	return err
}

// SARIF writes the findings that failed, and those with a warning, as a SARIF 2.1.0 log;
// those that passed are left out, since code scanning would raise them as alerts. Code
// scanning also wants a file for every result. Where there is none, as for a gate, it is
// the policy that asks for it, else "board/RUN", line 1: no such file needs to exist, but
// the alerts of a run stand together. The id is the logical location.
func (r CI) SARIF(w io.Writer) error {
	type object = map[string]any
	index, described, results := map[string]int{}, []object{}, []object{}
	for i, rule := range rulesOf(r.tool) {
		index[rule.id] = i
		described = append(described, object{"id": rule.id,
			"shortDescription": object{"text": rule.text}, "help": object{"text": rule.help}})
	}
	for _, f := range append(r.failed(), r.warned()...) {
		level := "error"
		if f.ok {
			level, f.message = "warning", f.warning
			f.label = f.rule
		}
		// "](" would make an embedded link out of a content.
		text := strings.ReplaceAll(f.label+": "+strings.Join(f.lines(messageRunes), "\n"), "](", "] (")
		sum := sha256.Sum256([]byte(r.tool + "\n" + r.run + "\n" + cmp.Or(f.id, f.rule+f.place())))
		at := object{"physicalLocation": object{
			"artifactLocation": object{"uri": fileURI(cmp.Or(f.file, r.policy, "board/"+r.run))},
			"region":           object{"startLine": max(1, f.line)}}}
		if f.id != "" {
			at["logicalLocations"] = []object{{"name": f.id, "fullyQualifiedName": r.run + "/" + f.id,
				"kind": "resource"}}
		}
		results = append(results, object{"ruleId": f.rule, "ruleIndex": index[f.rule], "level": level,
			"message": object{"text": text}, "locations": []object{at},
			"partialFingerprints": object{"boardItem/v1": hex.EncodeToString(sum[:16])}})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	driver := object{"name": r.tool, "version": r.version, "rules": described}
	return enc.Encode(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0", "runs": []object{{"tool": object{"driver": driver}, "results": results}}})
}
