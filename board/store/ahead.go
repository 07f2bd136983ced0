package store

import "context"

// Question is a query that is going to be asked.
type Question struct {
	Query string
	Args  []any
}

// farConn is a connection to a database that is elsewhere: each question takes the way there and
// back.
type farConn interface {
	Ahead(ctx context.Context, questions []Question) error
}

// IsFar reports whether it pays to ask ahead.
func (tx *Tx) IsFar() bool {
	_, far := tx.conn.(farConn)
	return far
}

// Ahead asks a database that is elsewhere what is going to be asked, all at once: the same query
// with the same arguments is then answered at once, until the transaction writes. It does nothing
// for others.
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

// firstKey is where a context has what is asked first.
type firstKey struct{}

// AskFirst has a transaction that reads begin with questions, which are asked on the way. It is
// Ahead that needs no way of its own.
func AskFirst(ctx context.Context, questions ...Question) context.Context {
	return context.WithValue(ctx, firstKey{}, questions)
}

// First are the questions that AskFirst was given.
func First(ctx context.Context) []Question {
	questions, _ := ctx.Value(firstKey{}).([]Question)
	return questions
}
