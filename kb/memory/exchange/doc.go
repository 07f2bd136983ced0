// Package exchange is the format of the memory's exports: one JSON document with lists of
// records, one record a line.
//
// Package memory decides which records go into a document, and which of those in one may
// be stored. This package knows the records, the order of their lists, and how a document
// is written and read as a stream.
//
//	record.go  the lists, the records, and when two are the same
//	write.go   writing a document
//	read.go    reading one: what is not an export, and which records cannot be read
package exchange
