// Package schema makes the JSON schemas of tools from Go types, and reads arguments by them.
//
//	schema.go  the schema of a type and its tags
//	listed.go  as much of a schema as clients are told
//	decode.go  arguments: what fits, what is missing, and how that is said
package schema
