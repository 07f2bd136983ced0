package op

import (
	"context"
	"reflect"
	"slices"
)

// Kind is what an operation does to the world.
type Kind int

const (
	Reads    Kind = iota // changes nothing, but for the note of what was read
	Writes               // adds or changes something, of which the old version stays
	Destroys             // takes something away for good
)

// Info describes an operation.
type Info struct {
	Command string   // as it is typed: "kb search"; "": there is none
	Aliases []string // of the command
	Group   string   // of the list of commands
	Tool    string   // "": there is none
	Profile string   // the group of the tool
	Need    string   // the grant that every call of the tool takes; "": it depends on the call
	Kind    Kind
	Budget  int      // tokens of the tool's answer, for which max_tokens asks; 0: the usual ones
	Shows   []string // the arguments that the tool lists; nil: all but rare ones
	Short   string   // a line, for the list of commands
	About   string   // when to use it, and what it does: for models, and in the command's help
	Long    string   // what the command's help says after About
}

// Op is an operation: it works with a host, takes an input and gives an answer.
type Op[Host, In, Out any] struct {
	Info
	Do   func(ctx context.Context, h Host, in In) (Out, error)
	Text func(p *Page, out Out)
}

// Any is an operation of any types.
type Any interface {
	Tells() *Info
	Takes() reflect.Type
	Gives() reflect.Type
	// Call does it. in points to what Takes says, host is what the operation works with.
	Call(ctx context.Context, host, in any) (Answer, error)
}

// Answer is the data of an answer, and its text. If Data has IDs() []string, callers can ask for these alone.
type Answer struct {
	Data any
	Text func(*Page)
}

func (o *Op[Host, In, Out]) Tells() *Info        { return &o.Info }
func (o *Op[Host, In, Out]) Takes() reflect.Type { return reflect.TypeFor[In]() }
func (o *Op[Host, In, Out]) Gives() reflect.Type { return reflect.TypeFor[Out]() }

func (o *Op[Host, In, Out]) Call(ctx context.Context, host, in any) (Answer, error) {
	out, err := o.Do(ctx, host.(Host), *in.(*In))
	return o.Answer(out), err
}

// Answer is what the operation answers when it gives out.
func (o *Op[Host, In, Out]) Answer(out Out) Answer {
	return Answer{out, func(p *Page) { o.Text(p, out) }}
}

// Given is embedded by an input to record which arguments the call has given.
type Given struct{ names []string }

// Giving returns the Given of a call with these arguments.
func Giving(names ...string) Given { return Given{names} }

func (g *Given) take(names []string) { g.names = names }

// Has reports whether the call has given an argument.
func (g *Given) Has(name string) bool { return slices.Contains(g.names, name) }

// Take changes a value to that of an argument, if the call has given one of these names of it.
func Take[T any](g *Given, to *T, from T, names ...string) {
	if slices.ContainsFunc(names, g.Has) {
		*to = from
	}
}

// Each is what an answer has of each of some things; never null.
func Each[T, O any](all []T, of func(*T) O) []O {
	out := make([]O, len(all))
	for i := range all {
		out[i] = of(&all[i])
	}
	return out
}

// List is a list that JSON writes as one, never as null.
func List[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
