package minilm

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"

	"blackboard/embed"
)

// static is a Model2Vec model (potion): the mean of the tokens' vectors.
type static struct {
	rows []float32
	dim  int
}

// staticType is model_type in the config.json of such a model.
const staticType = "model2vec"

var errNoTable = errors.New("it is not one table of 32-bit numbers named embeddings")

// readStatic reads model.safetensors: the length of a header, the header in JSON, numbers.
func readStatic(path string) (*static, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const maxHeader = 1 << 20
	var size uint64
	if err := binary.Read(f, binary.LittleEndian, &size); err != nil || size > maxHeader {
		return nil, errors.Join(errNoTable, err)
	}
	type table struct {
		DType   string
		Shape   []int64
		Offsets [2]int64 `json:"data_offsets"`
	}
	tensors := map[string]table{}
	header := io.LimitReader(f, int64(size))
	if err := json.NewDecoder(header).Decode(&tensors); err != nil {
		return nil, errors.Join(errNoTable, err)
	}
	delete(tensors, "__metadata__")
	t, ok := tensors["embeddings"]
	if !ok {
		t = tensors["embedding.weight"]
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	numbers, begin := (t.Offsets[1]-t.Offsets[0])/4, int64(8+size)+t.Offsets[0]
	if len(tensors) != 1 || // others, such as weights, change what the rows mean
		t.DType != "F32" || len(t.Shape) != 2 || slices.Min(t.Shape) < 1 || slices.Max(t.Shape) > numbers ||
		t.Shape[0]*t.Shape[1] != numbers || t.Offsets[0] < 0 || begin+4*numbers > info.Size() {
		return nil, errNoTable
	}
	s := &static{rows: make([]float32, numbers), dim: int(t.Shape[1])}
	return s, binary.Read(io.NewSectionReader(f, begin, 4*numbers), binary.LittleEndian, s.rows)
}

// loadStatic reads the table, and hugot's tokenizer without a pipeline: hugot has no such models.
func (s *session) loadStatic() (err error) {
	if s.table, err = readStatic(s.weights); err != nil {
		return s.bad("cannot be loaded", err)
	}
	m, err := loadTokenizer(s.config.dir)
	if err != nil {
		return err
	}
	s.dim, s.vocab = s.table.dim, len(s.table.rows)/s.table.dim
	s.tokens, err = s.newTokenizer(m)
	return err
}

func loadTokenizer(dir string) (*backends.Model, error) {
	how, m := options.Defaults(), &backends.Model{Path: dir}
	how.Backend = "GO"
	if err := backends.LoadTokenizer(context.Background(), m, how); err != nil {
		return nil, badModel(hintFetch, err, "the tokenizer.json in %s cannot be read", dir)
	}
	return m, nil
}

func (s *static) vector(ids []uint32) (embed.Vector, error) {
	sums := make([]float64, s.dim)
	for _, id := range ids {
		for i, x := range s.rows[int(id)*s.dim:][:s.dim] {
			sums[i] += float64(x)
		}
	}
	v := make(embed.Vector, s.dim)
	for i, sum := range sums {
		v[i] = float32(sum / float64(len(ids)))
	}
	return normalizeFinite(v)
}
