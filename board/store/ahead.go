package store

import "context"

// Question is a query that is going to be asked.
type Question struct {
	Query string
	Args  []any
}

// farConn is a connection to a remote database: each query costs a round trip.
type farConn interface {
	Ahead(ctx context.Context, questions []Question) error
}

// IsFar reports whether the database is remote, so that Ahead saves round trips.
func (tx *Tx) IsFar() bool {
	_, far := tx.conn.(farConn)
	return far
}

// Ahead sends queries to a remote database in one round trip. Until the transaction writes, the
// same queries with the same arguments are answered from that reply. For a local database it does
// nothing.
func (tx *Tx) Ahead(questions ...Question) error {
	far, is := tx.conn.(farConn)
	if !is || len(questions) == 0 {
		return nil
	}
	for i := range questions {
		q := &questions[i]
		q.Query, q.Args = tx.engine.Statement(q.Query, q.Args)
	}
	return far.Ahead(tx.ctx, questions)
}

// firstKey is the context key of AskFirst.
type firstKey struct{}

// AskFirst returns a context whose read transactions send these queries with their first request,
// if they are of a remote knowledge base. They work as those of Ahead, and cost no round trip.
func AskFirst(ctx context.Context, questions ...Question) context.Context {
	return context.WithValue(ctx, firstKey{}, questions)
}

// First returns the queries that AskFirst was given, nil if there are none.
func First(ctx context.Context) []Question {
	questions, _ := ctx.Value(firstKey{}).([]Question)
	return questions
}
