// Package base has what all commands share.
//
// From a command's beginning to its end: program.go is what a command gets; place.go,
// database.go and run.go find and open what it is about, from flags and the environment;
// source.go is where answers and the embedding model come from; flags.go and input.go
// read flags, arguments and standard input; confirm.go and editor.go ask a person;
// output.go, text.go and progress.go print, file.go writes; words.go says the next step
// as a command, exit.go ends the program.
package base
