package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
)

// EmbedBatch is how many rows are embedded between two writes, and fewRows how many where a
// command waits.
const (
	EmbedBatch = 50
	fewRows    = 4
)

// Vector embeds one text, nil without a model. A model's failure is a warning: no finding is lost.
func Vector(ctx context.Context, e embed.Embedder, text string, warnings *[]string) (
	embed.Vector, error) {
	if e == nil {
		return nil, nil
	}
	vs, err := Vectors(ctx, e, []string{text})
	if ctx.Err() != nil && err != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		*warnings = append(*warnings, fmt.Sprintf("it has no embedding: %v", err))
		return nil, nil
	}
	return vs[0], nil
}

// Question embeds what is asked. If that is impossible, why says so, and err is the model's, nil
// without a model. With why "", err is of the context.
func Question(ctx context.Context, e embed.Embedder, text string) (
	v embed.Vector, why string, err error) {
	if e == nil {
		return nil, embed.NoModelInstalled, nil
	}
	vs, err := e.Embed(ctx, []string{text})
	switch {
	case err == nil:
		return vs[0], "", nil
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	}
	return nil, fmt.Sprintf("the question could not be embedded (%v)", err), err
}

// Usable returns a vector that can be stored, else nil with a warning. The first sets the model.
func (f *File) Usable(tx *sqlite.Tx, e embed.Embedder, v embed.Vector, warnings *[]string) (
	embed.Vector, error) {
	if v == nil {
		return nil, nil
	}
	m := e.Model()
	name, other, err := f.otherModel(tx, m)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return v, f.Index.SetModel(tx, m)
	}
	if other {
		*warnings = append(*warnings, fmt.Sprintf("it has no embedding: %s is embedded with %s, "+
			"and the model here is %s; reembedding switches the model", f.kind.Name, name, m.Name))
		return nil, nil
	}
	return v, nil
}

// otherModel reports whether the embeddings are of another model than m, and names it.
func (f *File) otherModel(tx *sqlite.Tx, m embed.Model) (name string, other bool, err error) {
	name, dim, err := f.Index.Model(tx)
	return name, name != "" && (name != m.Name || dim != m.Dim), err
}

// OtherModel says that a search by another model than the index's is not possible.
func (f *File) OtherModel(tx *sqlite.Tx, here string) string {
	name, _, _ := f.Index.Model(tx)
	return fmt.Sprintf("%s is embedded with %s, the model here is %s", f.kind.Name, name, here)
}

// Embedded is what became of rows that had no embedding.
type Embedded struct {
	Model    string `json:"model"`
	Embedded int    `json:"embedded"`
	Left     int    `json:"left"` // still without
}

type EmbedOptions struct {
	Batches  int                // at most; 0: until none is left
	Within   time.Duration      // begins no batch after this time; 0: there is time
	Change   bool               // to the model at hand; else files of another are left alone
	Progress func(done, of int) // called after each batch; may be nil
	Where    string             // the SQL condition of the rows; "": all
	Args     []any
}

// Embed gives the rows of some files embeddings that have none of the model at hand. It
// goes in batches, each of them kept. There must be a model.
func Embed(ctx context.Context, e embed.Embedder, files []*File, opt EmbedOptions) (
	Embedded, error) {
	opt.Where = cmp.Or(opt.Where, `TRUE`)
	out := Embedded{Model: e.Model().Name}
	var todo []*File
	for _, f := range files {
		n, err := f.begin(ctx, e, &opt)
		if err != nil {
			return out, err
		}
		if n > 0 {
			todo = append(todo, f)
			out.Left += n
		}
	}
	total, batches, began := out.Left, 0, time.Now()
	for _, f := range todo {
		for after := int64(0); (opt.Batches <= 0 || batches < opt.Batches) &&
			(opt.Within <= 0 || batches == 0 || time.Since(began) < opt.Within); batches++ {
			n, last, err := f.embedSome(ctx, e, after, &opt)
			if err != nil {
				return out, err
			}
			if last == 0 {
				break
			}
			after = last
			out.Embedded, out.Left = out.Embedded+n, max(0, out.Left-n)
			if opt.Progress != nil {
				opt.Progress(out.Embedded, max(total, out.Embedded))
			}
		}
	}
	out.Left, opt.Change = 0, false // others may have embedded or removed some meanwhile
	for _, f := range todo {
		n, err := f.begin(ctx, e, &opt)
		if err != nil {
			return out, err
		}
		out.Left += n
	}
	return out, nil
}

// Unembedded counts the rows that have no embedding of the model at hand.
func (f *File) Unembedded(ctx context.Context, e embed.Embedder) (int, error) {
	n, _, err := f.count(ctx, e, &EmbedOptions{Change: true, Where: `TRUE`})
	return n, err
}

// begin counts the rows to embed. A change of the model drops the embeddings that there are.
func (f *File) begin(ctx context.Context, e embed.Embedder, opt *EmbedOptions) (int, error) {
	n, other, err := f.count(ctx, e, opt)
	if err != nil || n == 0 || !other {
		return n, err
	}
	return n, f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		if err := f.Index.SetModel(tx, e.Model()); err != nil {
			return err
		}
		return f.setModel(tx, embed.Model{}, f.kind.Live+` AND model <> ''`)
	})
}

// count counts the rows to embed, and reports whether there are embeddings of another model.
func (f *File) count(ctx context.Context, e embed.Embedder, opt *EmbedOptions) (
	n int, other bool, err error) {
	err = f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
		n = 0
		if _, other, err = f.otherModel(tx, e.Model()); err != nil || other && !opt.Change {
			return err
		}
		where := f.kind.Live + ` AND ` + opt.Where
		if !other {
			where += ` AND model = ''`
		}
		n, err = sqlite.One[int](tx, `SELECT count(*) FROM `+f.kind.Table+` WHERE `+where, opt.Args...)
		return err
	})
	return n, other, err
}

// embedSome embeds a batch after a number; it returns how many, and the last one's number.
func (f *File) embedSome(ctx context.Context, e embed.Embedder, after int64, opt *EmbedOptions) (
	n int, last int64, err error) {
	var docs []Doc
	most := EmbedBatch
	if opt.Within > 0 {
		most = fewRows
	}
	if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
		where := f.kind.Live + ` AND model = '' AND n > ? AND ` + opt.Where + ` ORDER BY n LIMIT ?`
		docs, err = f.kind.Docs(tx, where,
			append(append([]any{after}, opt.Args...), most)...)
		return err
	}); err != nil || len(docs) == 0 {
		return 0, 0, err
	}
	texts := make([]string, len(docs))
	for i := range docs {
		texts[i] = docs[i].Meaning
	}
	vs, err := Vectors(ctx, e, texts)
	if err != nil {
		return 0, 0, err
	}
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) (err error) {
		n, err = f.SetVectors(tx, e.Model(), docs, vs)
		return err
	})
	return n, docs[len(docs)-1].ID, err
}

// SetVectors stores embeddings of rows that still need them, and returns how many.
func (f *File) SetVectors(tx *sqlite.Tx, m embed.Model, docs []Doc, vs []embed.Vector) (
	int, error) {
	name, other, err := f.otherModel(tx, m)
	if err == nil && other {
		err = fmt.Errorf("%w: %s", index.ErrOtherModel, f.OtherModel(tx, m.Name))
	}
	if err == nil && name == "" {
		err = f.Index.SetModel(tx, m)
	}
	if err != nil {
		return 0, err
	}
	was := make(map[int64]int, len(docs))
	ns := make([]int64, len(docs))
	for i := range docs {
		was[docs[i].ID], ns[i] = i, docs[i].ID
	}
	const among = `n IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`
	now, err := f.kind.Docs(tx, f.kind.Live+` AND model = '' AND `+among, sqlite.List(ns))
	if err != nil {
		return 0, err
	}
	ns = ns[:0]
	var put []index.Doc
	for i := range now {
		d := &now[i]
		if at := was[d.ID]; d.Meaning == docs[at].Meaning {
			d.Vector = vs[at]
			put, ns = append(put, d.Doc), append(ns, d.ID)
		}
	}
	if err := f.setModel(tx, m, among, sqlite.List(ns)); err != nil {
		return 0, err
	}
	return len(put), f.Index.Put(tx, put...)
}
