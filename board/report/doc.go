// Package report writes what a board has for people and for the model that writes the
// synthesis: a digest and an appendix in Markdown, and a page in HTML.
//
//	d, err := report.NewDigest(snapshot, board.Policy{}, 8000, nil) // at most 8,000 tokens
//	text, err := report.Appendix(ctx, b)                            // all that a report must carry
//	err := report.WriteHTML(ctx, w, b, board.Policy{}, nil)
//
// It also writes verdicts in the formats that CI services read ([CI]): JUnit, SARIF, GitHub
// annotations, a job summary.
//
// What workers wrote is treated as hostile in each format.
package report
