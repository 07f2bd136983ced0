package ort

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// The names of the engines.
const (
	ONNXRuntime = "onnxruntime"
	Hugot       = "hugot"
	Table       = "table" // of a static model, which is a table of vectors
)

// Engine is the engine that is used on this machine, and the reason.
type Engine struct {
	Name    string `json:"engine"`
	Library string `json:"library"` // its path; "" for hugot, which needs none
	Version string `json:"version"` // of the library
	Why     string `json:"why"`
	Problem string `json:"problem"` // of a library that cannot be used; "": none
}

// The environment variable that names the library, and its value for none.
const (
	Variable = "BOARD_ONNXRUNTIME"
	Off      = "off"
)

// places are the directories in which a library is searched, in this order, and the
// patterns of its name. The name has a version if the development package is not
// installed.
func places() (dirs, names []string) {
	if runtime.GOOS == "darwin" {
		return []string{"/opt/homebrew/lib", "/usr/local/lib", "/opt/local/lib"},
			[]string{"libonnxruntime.dylib", "libonnxruntime.1.dylib", "libonnxruntime.1.*.dylib"}
	}
	triplet := "x86_64-linux-gnu"
	if runtime.GOARCH == "arm64" {
		triplet = "aarch64-linux-gnu"
	}
	dirs = []string{
		"/usr/local/lib", "/usr/local/lib64", "/usr/lib/" + triplet, "/usr/lib64", "/usr/lib",
		"/opt/onnxruntime/lib", "/home/linuxbrew/.linuxbrew/lib",
	}
	return dirs, []string{"libonnxruntime.so", "libonnxruntime.so.1", "libonnxruntime.so.1.*"}
}

// candidates returns the libraries to try, best first. If there are none, why says the
// reason.
func candidates(getenv func(string) string) (paths []string, why string, err error) {
	named := getenv(Variable)
	switch {
	case named == Off:
		return nil, Variable + " is off", nil
	case !supported():
		return nil, "ONNX Runtime is not used on " + runtime.GOOS + "/" + runtime.GOARCH, nil
	case named != "":
		if named, err = filepath.Abs(named); err == nil {
			_, err = os.Stat(named)
		}
		if err != nil {
			why = Variable + " names a library that cannot be used"
			return nil, why, fmt.Errorf("%s: %w", named, cause(err))
		}
		return []string{named}, Variable + " names it", nil
	}
	var seen []os.FileInfo
	dirs, names := places()
	for _, dir := range dirs {
		for _, name := range names {
			found, _ := filepath.Glob(filepath.Join(dir, name)) // only a bad pattern fails
			slices.Reverse(found)                               // newest version first, mostly
			for _, path := range found {
				info, err := os.Stat(path)
				same := func(other os.FileInfo) bool { return os.SameFile(info, other) }
				if err == nil && !slices.ContainsFunc(seen, same) {
					paths, seen = append(paths, path), append(seen, info)
				}
			}
		}
	}
	if len(paths) == 0 {
		why = "there is no libonnxruntime in the usual places; " + Variable + " may name one"
		return nil, why, nil
	}
	return paths, "it is installed in a usual place", nil
}

func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// choose calls use for each candidate until it succeeds, and returns the engine. An error
// for which stop returns true ends the search.
func choose(
	getenv func(string) string, use func(path string) (version string, err error),
	stop func(error) bool,
) (Engine, error) {
	paths, why, err := candidates(getenv)
	e := Engine{Name: Hugot, Why: why}
	if err != nil {
		e.Problem = err.Error()
	}
	for _, path := range paths {
		version, err := "", checkFile(path)
		if err == nil {
			version, err = use(path)
		}
		if err == nil {
			return Engine{ONNXRuntime, path, version, why, e.Problem}, nil
		}
		if stop(err) {
			return e, err
		}
		e.Problem = cmp.Or(e.Problem, fmt.Sprintf("%s: %v", path, err))
		e.Why = "none of the libraries found can be used"
	}
	return e, nil
}

// Choose finds out which engine is used here. It loads the library briefly, in a process
// of its own.
func Choose(ctx context.Context, getenv func(string) string) (Engine, error) {
	return choose(getenv, func(path string) (string, error) {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return probe(path)
	}, func(err error) bool { return ctx.Err() != nil })
}

// checkFile returns an error if the start of a file shows that it is not a library for
// this machine.
func checkFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return cause(err)
	}
	defer f.Close()
	head := make([]byte, 64)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return cause(err)
	}
	return checkHead(head[:n])
}
