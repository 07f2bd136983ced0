package store

import "context"

// contactKey is the key of a context's callback about contact with a server.
type contactKey struct{}

// OnContact returns a context that calls told while a request with it goes to a server: with an
// error as soon as the server at place seems to be down, and with nil when it has answered. It is
// called often, by several goroutines.
func OnContact(ctx context.Context, told func(place string, away error)) context.Context {
	return context.WithValue(ctx, contactKey{}, told)
}

// Contact calls the callback of the context, unless the context has ended.
func Contact(ctx context.Context, place string, away error) {
	if told, ok := ctx.Value(contactKey{}).(func(string, error)); ok && ctx.Err() == nil {
		told(place, away)
	}
}

// Unreachable is the cause of fault.Away if the server does not answer and may do so soon, not if
// it refuses us or has no boards.
type Unreachable string

// Error says how that was noticed.
func (u Unreachable) Error() string { return string(u) }
