package index

import (
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

// ErrCorrupt is in the chain of every error that says that the index's own tables make no
// sense. What they hold is derived: dropping them (Reset) and putting the documents again
// cures it.
const ErrCorrupt = fault.BadIndex

// ErrOtherModel is in the chain of an error about vectors of a model that the index was
// not made with.
var ErrOtherModel = errors.New("vectors of another model")

// Config says what an index is about. Two indexes of one file need different names.
type Config struct {
	// Name begins the names of the index's tables.
	Name string
	// Weights are the fields' weights, one for each text of a Doc, in quarters: 1.25 is
	// one, 1.3 is not. A word of a field with weight 2 counts as two words (BM25F in its
	// first form: Robertson, Zaragoza, Taylor, CIKM 2004).
	Weights []float64
	// K1 and B are BM25's: how soon more of the same word stops to count, and how much
	// long texts are held back. They are read at search time, so changing them needs no
	// new index.
	K1, B float64
	// FunctionWeight is what a function word weighs at most, as a share of what a word of
	// a single document does; 0 means a tenth. It, too, is of the search alone.
	FunctionWeight float64
	// Seal is the number of documents at which the tail becomes a segment; 0 means
	// SealAt.
	Seal int
}

const (
	// SealAt is how many documents wait in the tail before they become a segment.
	SealAt = 256
	// MaxSegment is how many documents a segment may hold: what a uint16 can number.
	MaxSegment = 1 << 16
	// fanout is how many segments of about one size are merged into one.
	fanout = 8
	// format is raised when the tables or their bytes change.
	format = 2

	// maxSeg and maxGeneration bound the numbers that row ids are made of.
	maxSeg        = 1<<39 - 1
	maxGeneration = 1<<46 - 1
)

// Doc is what is indexed of one thing: texts for the words, keywords for the filters, a
// vector for the meaning.
type Doc struct {
	// ID names the thing; among equals, the higher is listed first, being newer.
	ID int64
	// Text has one text for each of the configuration's weights.
	Text []string
	// Keywords are what Filter asks for: any strings up to 512 bytes, compared whole and
	// exactly ("kind:gotcha").
	Keywords []string
	// Vector is nil, or an embedding by the index's model.
	Vector embed.Vector
}

// Index is a text and vector index over documents, kept in derived tables of a SQLite
// file. The zero value is not useful; see New. It keeps what it read for the next search,
// and finds out by itself what others changed meanwhile, so it may live for one search or
// for a year. It is safe for concurrent use, but for the one transaction given to a
// method.
type Index struct {
	cfg     Config
	weights []int // in quarters
	an      sync.Pool

	mu         sync.RWMutex
	view       *view
	warm       bool
	postings   postingCache
	vocabulary vocabulary // of the view's segments but the tail

	// What a transaction sees of its own changes is known only here: they may be undone,
	// and their numbers given to others.
	own     *Index
	ownTx   *sqlite.Tx
	private bool // this is one
}

// New returns an index. It panics if the configuration makes no sense, since that is
// written in a program, not given by a user.
func New(cfg Config) *Index {
	x := &Index{cfg: cfg}
	if x.cfg.Seal == 0 {
		x.cfg.Seal = SealAt
	}
	if x.cfg.FunctionWeight == 0 {
		x.cfg.FunctionWeight = functionWeight
	}
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
	x.an.New = func() any { return new(words.Analyzer) }
	return x
}

// stamp is what the tables were made by: if it differs, they are of no use.
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
CREATE TABLE @_vectors (doc INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
`

var tableNames = []string{"meta", "tail", "segments", "live", "blocks", "codes", "vectors"}

// State says what is known about the index's tables in a file.
type State int

const (
	// Ready: the tables are there and as this program makes them.
	Ready State = iota
	// Absent: there are none.
	Absent
	// Outdated: they were made by another version of the program or with other weights.
	// They must not be searched.
	Outdated
)

// State looks at the tables.
func (x *Index) State(tx *sqlite.Tx) (State, error) {
	have, err := tx.HasTable(x.cfg.Name + "_meta")
	if err != nil || !have {
		return Absent, err
	}
	var stamp string
	switch err := tx.QueryRow(x.AskState().Query).Scan(&stamp); {
	case sqlite.IsNoRows(err):
		return Absent, nil
	case err != nil:
		return Absent, err
	case stamp != x.stamp():
		return Outdated, nil
	}
	return Ready, nil
}

// AskState is the question that State asks, for sqlite.AskFirst.
func (x *Index) AskState() sqlite.Question {
	return sqlite.Question{Query: x.q(`SELECT stamp FROM @_meta`)}
}

// Reset makes the tables anew, empty. The caller then puts every document, in the same
// transaction, so that nobody finds half of them; Rebuild does both.
func (x *Index) Reset(tx *sqlite.Tx) error {
	names := make([]string, len(tableNames))
	for i, name := range tableNames {
		names[i] = x.cfg.Name + "_" + name
	}
	if err := tx.Remake(names, x.q(tables)); err != nil {
		return err
	}
	// Numbers begin anywhere: what others remember of the old tables must not fit the new
	// ones, and the old ones' numbers may be damaged.
	return x.exec(tx, `INSERT INTO @_meta VALUES (1, ?, '', 0, 0, ?, 0, 0, 0, ?)`,
		x.stamp(), 1+rand.Int64N(maxGeneration/4), 1+rand.Int64N(maxSeg/4))
}

// meta is the one row of the table of that name.
type meta struct {
	stamp string
	model string
	dim   int
	// the generation that brought the model: vectors that are known from before are of no
	// use
	since      int64
	generation int64
	docs       int64
	length     int64 // sum of the documents' lengths, in quarters of a word, as their codes say
	vectors    int64
	nextSeg    int64

	// the segments are not what they were when they were last looked at for what to
	// merge; not stored
	stirred bool
}

func (x *Index) readMeta(tx *sqlite.Tx) (m meta, err error) {
	err = tx.QueryRow(x.askMeta().Query).
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

// Model returns the name and the dimension of the model whose vectors the index holds, ""
// and 0 if it holds none yet.
func (x *Index) Model(tx *sqlite.Tx) (name string, dim int, err error) {
	m, err := x.readMeta(tx)
	return m.model, m.dim, err
}

// SetModel says which model the vectors are of from now on. If it is another one than
// before, all vectors are dropped; the documents stay searchable by their words, and get
// their vectors by being put again.
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

// Stats are the index's figures.
type Stats struct {
	Docs     int64 `json:"docs"`     // documents in the index
	Vectors  int64 `json:"vectors"`  // documents that have one
	Segments int   `json:"segments"` // parts that the index is made of
	Tail     int   `json:"tail"`     // documents that are in no segment yet
	// documents that segments still hold though they were replaced or deleted
	Dead  int64  `json:"dead"`
	Bytes int64  `json:"bytes"` // of the stored values, without SQLite's own overhead
	Model string `json:"model"` // of the vectors, "" if there has been none
	Dim   int    `json:"dim"`   // numbers in a vector
}

// Stats counts.
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

// exec runs statements that give no rows.
func (x *Index) exec(tx *sqlite.Tx, stmts string, args ...any) error {
	_, err := tx.Exec(x.q(stmts), args...)
	return err
}
