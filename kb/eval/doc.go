// Package eval measures how well a knowledge base answers: the questions of a test set are asked, and the metrics of retrieval told.
//
// It asks by Search, as everybody does. A set is a folder in the layout of BEIR. From when on a prompt may be answered unasked is
// measured by Calibrate of package kb, which keeps what it finds.
package eval
