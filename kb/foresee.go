package kb

import (
	"context"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/kb/rank"
)

// This file is what a search of a database that is elsewhere asks ahead. It decides
// nothing: who asks otherwise than was foreseen has his own way there and back.

// foresee has a search ask for all at once if what is in memory tells what that will be.
func (k *KB) foresee(ctx context.Context, q *Query, iq *index.Query) context.Context {
	if !k.db.IsFar() {
		return ctx
	}
	questions := append(k.index.First(), askThreshold(k.modelOf(q)))
	if iq.Presumed = k.index.Presume(*iq); iq.Presumed != nil {
		found := &iq.Presumed.Result
		r := k.fuse(q, found)
		questions = append(questions, k.questions(q, found, &r)...)
	}
	return sqlite.AskFirst(ctx, questions...)
}

// likelier is how many more capsules are read than are listed: some sink.
const likelier = 5

// questions are those of a search that follow from what the index has found.
func (k *KB) questions(q *Query, found *index.Result, r *ranking) (all []sqlite.Question) {
	all = append(all, askThreshold(k.modelOf(q)))
	if q.Mode != ModeBM25 && found.Vectors < found.Docs {
		all = append(all, askUnembedded)
	}
	if len(r.list) == 0 {
		return all
	}
	all = append(all, r.askDecay())
	if q.Workspace != "" {
		all = append(all, r.askWorkspace(q))
	}
	r.likely = numbersOf(r.list[:min(len(r.list), q.most()+likelier)])
	return append(all, sqlite.Question{Query: selectCapsules + `capsules WHERE ` + ofNumbers, Args: []any{sqlite.List(r.likely)}})
}

var askUnembedded = sqlite.Question{Query: `SELECT count(*) FROM capsules WHERE model = ''`}

// ofNumbers is the condition that a capsule is one of a list.
const ofNumbers = `n IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`

// askDecay and askWorkspace ask an index that alone has the answer: the rows themselves
// are behind whole bodies.
func (r *ranking) askDecay() sqlite.Question {
	return sqlite.Question{Query: `SELECT n, decay_score FROM capsules INDEXED BY capsules_decayed WHERE decay_score > 0 AND ` + ofNumbers, Args: []any{sqlite.List(numbersOf(r.list))}}
}

func (r *ranking) askWorkspace(q *Query) sqlite.Question {
	ids := sqlite.List(numbersOf(rank.Floor(r.list, boostFrom)))
	return sqlite.Question{Query: `SELECT n, 0 FROM capsules INDEXED BY capsules_workspace WHERE workspace = ? AND ` + ofNumbers + `
			AND n NOT IN (SELECT n FROM capsules INDEXED BY capsules_kind WHERE kind = 'doc' AND ` + ofNumbers + `)`, Args: []any{q.Workspace, ids, ids}}
}
