package index

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/words"
	"blackboard/embed"
)

// ErrCorrupt is in the chain of every error about inconsistent tables of the index. They
// are derived: Reset, and putting the documents again, repairs them.
const ErrCorrupt = fault.BadIndex

// ErrOtherModel is in the chain of an error about vectors of another model than the index's.
var ErrOtherModel = errors.New("vectors of another model")

// Config configures an index. Two indexes in one file need different names.
type Config struct {
	// Name is the prefix of the index's tables.
	Name string
	// Weights are the weights of the fields, one for each text of a Doc, in multiples of
	// 0.25. A word in a field with weight 2 counts as two words (BM25F in its first form:
	// Robertson, Zaragoza, Taylor, CIKM 2004).
	Weights []float64
	// K1 and B are the parameters of BM25: how soon repetitions of a word stop counting,
	// and how much long texts are penalised. They apply at search time, so changing them
	// needs no new index.
	K1, B float64
	// FunctionWeight is the greatest weight of a function word, relative to a word that
	// one document has; 0 means 0.1. It applies at search time, too.
	FunctionWeight float64
	// 0 means SealAt
	Seal int
}

const (
	SealAt = 256
	// sealBatch documents put at once become a segment: opening reads all of the tail.
	sealBatch = 64
	// MaxSegment is the most documents in a segment, so that a uint16 can number them.
	MaxSegment = 1 << 16
	// fanout is the number of segments of similar size that are merged into one.
	fanout = 8
	// format is raised when the tables or their encoding change.
	format = 3

	// maxSeg and maxGeneration limit the numbers that row ids are made of.
	maxSeg        = 1<<39 - 1
	maxGeneration = 1<<46 - 1
)

// Doc is a document to index: texts for words, keywords for filters, a vector for the meaning.
type Doc struct {
	// ID identifies the document. Among equal scores the higher id, being newer, comes first.
	ID   int64
	Text []string
	// Keywords are what Filter matches exactly, of up to 512 bytes ("kind:gotcha").
	Keywords []string
	// Vector is nil, or an embedding by the index's model. A text in parts has several, one
	// after the other: the nearest one counts. The first stands for the text otherwise.
	Vector embed.Vector
}

// analyzers outlive an index: a pool lives until two collections after its last use.
var analyzers = sync.Pool{New: func() any { return new(words.Analyzer) }}

// Index is a search index over documents, in derived tables of a file. It caches what it reads and
// notices what other processes change. It is safe for concurrent use, except for the transaction
// given to a method.
type Index struct {
	cfg     Config
	weights []int // in quarters

	mu         sync.RWMutex
	view       *view
	warm       bool
	postings   postingCache
	vocabulary vocabulary // of the view's segments without the tail

	// A transaction's own changes are apart: they may be rolled back, and their numbers reused.
	own     *Index
	ownTx   *sqlite.Tx
	private bool // set in own
}

// New panics if the configuration is invalid: that is a programming error.
func New(cfg Config) *Index {
	x := &Index{cfg: cfg}
	x.cfg.Seal = cmp.Or(x.cfg.Seal, SealAt)
	x.cfg.FunctionWeight = cmp.Or(x.cfg.FunctionWeight, functionWeight)
	for _, w := range cfg.Weights {
		q := w * 4
		if q != math.Trunc(q) || q < 1 || q > 64 {
			panic(fmt.Sprintf("index: weight %g is not a multiple of 0.25 between 0.25 and 16", w))
		}
		x.weights = append(x.weights, int(q))
	}
	if len(x.weights) == 0 || cfg.Name == "" || strings.Trim(cfg.Name, "abcdefghijklmnopqrstuvwxyz_") != "" || x.cfg.Seal > MaxSegment {
		panic("index: a configuration needs a name of a-z and _, weights, and no more than 65,536 documents before it seals")
	}
	return x
}

// stamp identifies the format and configuration of the tables. If it differs, they must be rebuilt.
func (x *Index) stamp() string {
	return fmt.Sprintf("%d analyzer %d weights %v", format, words.TermVersion, x.weights)
}

// q replaces @ in a statement by the index's name.
func (x *Index) q(stmt string) string { return strings.ReplaceAll(stmt, "@", x.cfg.Name) }

const tables = `
-- generation rises with every change; docs, length and vectors are totals over the living documents
CREATE TABLE @_meta (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    stamp      TEXT NOT NULL,
    model      TEXT NOT NULL,
    dim        INTEGER NOT NULL,
    since      INTEGER NOT NULL,  -- the generation that brought the model
    generation INTEGER NOT NULL,
    docs       INTEGER NOT NULL,
    length     INTEGER NOT NULL,
    vectors    INTEGER NOT NULL,
    next_seg   INTEGER NOT NULL
) STRICT;
CREATE TABLE @_tail (gen INTEGER PRIMARY KEY, doc INTEGER NOT NULL UNIQUE, record BLOB NOT NULL) STRICT;
-- a segment never changes; what dies in it is in _live
CREATE TABLE @_segments (
    seg  INTEGER PRIMARY KEY,
    n    INTEGER NOT NULL,
    lo   INTEGER NOT NULL,
    hi   INTEGER NOT NULL,
    dir  BLOB NOT NULL,
    lens BLOB NOT NULL,
    ids  BLOB NOT NULL
) STRICT;
CREATE TABLE @_live (seg INTEGER PRIMARY KEY, rev INTEGER NOT NULL, dead_n INTEGER NOT NULL, dead BLOB NOT NULL) STRICT;
CREATE TABLE @_blocks (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;  -- seg << 24 | number
CREATE TABLE @_codes (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;   -- seg << 24 | chunk
-- vector: one for each part of the document
CREATE TABLE @_vectors (doc INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
`

var tableNames = []string{"meta", "tail", "segments", "live", "blocks", "codes", "vectors"}

type State int

const (
	Ready State = iota
	Absent
	// Outdated: of another version or weights. It must not be searched.
	Outdated
)

func (x *Index) State(tx *sqlite.Tx) (State, error) {
	var stamp string
	err := tx.QueryRow(x.AskState().Query).Scan(&stamp)
	if err != nil && !sqlite.IsNoRows(err) { // seldom, so the table is not asked for before
		if have, e := tx.HasTable(x.cfg.Name + "_meta"); e != nil {
			return Absent, err
		} else if !have {
			return Absent, nil
		}
		// Another process may have made it between the two statements.
		err = tx.QueryRow(x.AskState().Query).Scan(&stamp)
	}
	if sqlite.IsNoRows(err) {
		return Absent, nil
	} else if err != nil {
		return Absent, err
	}
	if stamp != x.stamp() {
		return Outdated, nil
	}
	return Ready, nil
}

// AskState is the question that State asks, for sqlite.AskFirst.
func (x *Index) AskState() sqlite.Question {
	return sqlite.Question{Query: x.q(`SELECT stamp FROM @_meta`)}
}

// Reset creates new empty tables. The caller then puts every document in the same
// transaction, so that no reader sees a part of them; Rebuild does both.
func (x *Index) Reset(tx *sqlite.Tx) error {
	names := make([]string, len(tableNames))
	for i, name := range tableNames {
		names[i] = x.cfg.Name + "_" + name
	}
	if err := tx.Remake(names, x.q(tables)); err != nil {
		return err
	}
	// A random start: caches of the old tables must not match, and old numbers may be damaged.
	return x.exec(tx, `INSERT INTO @_meta VALUES (1, ?, '', 0, 0, ?, 0, 0, 0, ?)`,
		x.stamp(), 1+rand.Int64N(maxGeneration/4), 1+rand.Int64N(maxSeg/4))
}

type meta struct {
	stamp string
	model string
	dim   int
	// the generation in which the model changed: vectors cached before are invalid
	since      int64
	generation int64
	docs       int64
	length     int64 // sum of the documents' lengths, in quarters of a word
	vectors    int64
	nextSeg    int64

	// the segments have changed since the last check for merges; not stored
	stirred bool
}

func (x *Index) readMeta(tx *sqlite.Tx) (m meta, err error) {
	err = tx.QueryRow(x.AskMeta().Query).
		Scan(&m.stamp, &m.model, &m.dim, &m.since, &m.generation, &m.docs, &m.length, &m.vectors, &m.nextSeg)
	if sqlite.IsNoRows(err) {
		return m, corrupt("its totals are missing")
	}
	if err != nil {
		return m, err
	}
	if m.stamp != x.stamp() {
		return m, fmt.Errorf("%w: it was made by another version of the program", ErrCorrupt)
	}
	if m.docs < 0 || m.length < 0 || m.vectors < 0 || m.dim < 0 || m.dim > maxDim || m.nextSeg < 1 || m.nextSeg > maxSeg ||
		m.generation < 1 || m.generation > maxGeneration {
		return m, fmt.Errorf("%w: its totals make no sense", ErrCorrupt)
	}
	return m, nil
}

func (x *Index) writeMeta(tx *sqlite.Tx, m *meta) error {
	m.generation++
	return x.exec(tx, `UPDATE @_meta SET model = ?, dim = ?, since = ?, generation = ?, docs = ?, length = ?, vectors = ?, next_seg = ?`,
		m.model, m.dim, m.since, m.generation, m.docs, m.length, m.vectors, m.nextSeg)
}

// Model returns the index's model and its dimension, or "" and 0 without vectors.
func (x *Index) Model(tx *sqlite.Tx) (name string, dim int, err error) {
	m, err := x.readMeta(tx)
	return m.model, m.dim, err
}

// SetModel sets the embedding model. If it changes, all vectors are deleted. The
// documents can still be found by words, and get vectors when they are put again.
func (x *Index) SetModel(tx *sqlite.Tx, model embed.Model) error {
	if model.Dim < 1 || model.Dim > maxDim || model.Name == "" {
		return fmt.Errorf("a model %q with %d dimensions cannot be indexed; 1 to %d can", model.Name, model.Dim, maxDim)
	}
	m, err := x.readMeta(tx)
	if err != nil || m.model == model.Name && m.dim == model.Dim {
		return err
	}
	if err := x.exec(tx, `DELETE FROM @_codes; DELETE FROM @_vectors`); err != nil {
		return err
	}
	m.model, m.dim, m.vectors, m.since = model.Name, model.Dim, 0, m.generation+1
	return x.writeMeta(tx, &m)
}

// Stats are the sizes of an index.
type Stats struct {
	Docs     int64 `json:"docs"`     // documents in the index
	Vectors  int64 `json:"vectors"`  // documents that have one
	Segments int   `json:"segments"` // number of segments
	Tail     int   `json:"tail"`     // documents that are not in a segment yet
	// replaced or deleted documents that are still in segments
	Dead  int64  `json:"dead"`
	Bytes int64  `json:"bytes"` // of the stored values, without SQLite's own overhead
	Model string `json:"model"` // of the vectors, "" if there were none yet
	Dim   int    `json:"dim"`   // numbers in a vector
}

// Stats returns the sizes of the index.
func (x *Index) Stats(tx *sqlite.Tx) (s Stats, err error) {
	m, err := x.readMeta(tx)
	if err != nil {
		return s, err
	}
	s.Docs, s.Vectors, s.Model, s.Dim = m.docs, m.vectors, m.model, m.dim
	err = tx.QueryRow(x.q(`SELECT (SELECT count(*) FROM @_segments), (SELECT count(*) FROM @_tail), (SELECT coalesce(sum(dead_n), 0) FROM @_live),
		(SELECT coalesce(sum(length(dir) + length(lens) + length(ids)), 0) FROM @_segments) + (SELECT coalesce(sum(length(record)), 0) FROM @_tail)
		+ (SELECT coalesce(sum(length(data)), 0) FROM @_blocks) + (SELECT coalesce(sum(length(data)), 0) FROM @_codes)
		+ (SELECT coalesce(sum(length(vector)), 0) FROM @_vectors)`)).Scan(&s.Segments, &s.Tail, &s.Dead, &s.Bytes)
	return s, err
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

func (x *Index) exec(tx *sqlite.Tx, stmts string, args ...any) error {
	_, err := tx.Exec(x.q(stmts), args...)
	return err
}
