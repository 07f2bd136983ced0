// Package op is what an operation is: it is said once, as a literal, and its command, its
// tool, their help and the fields of their answers are derived from that.
//
//	op.go      an operation: its input, its answer, what it does
//	field.go   arguments, by the tags of an input
//	form.go    what a screen asks for an operation
//	page.go    where the text of an answer is written
//	schema.go  the schema of a type and its tags
//	listed.go  as much of a schema as clients are told
//	meant.go   arguments as they are plainly meant
//	decode.go  what fits, what is missing, and how that is said
package op
