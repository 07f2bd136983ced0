//go:build !linux && !darwin

package ort

import (
	"context"
	"errors"

	"blackboard/embed"
	"blackboard/embed/minilm"
)

// Embedder has no values where ONNX Runtime is not supported.
type Embedder struct{}

func supported() bool { return false }

var errUnsupported = errors.New("ONNX Runtime is not used on this system")

var errGone = errUnsupported

func open(*minilm.Files, string, int) (*Embedder, error) { return nil, errUnsupported }
func probe(string) (string, error)                       { return "", errUnsupported }
func checkHead([]byte) error                             { return errUnsupported }
func threads() int                                       { return 0 }

func (*Embedder) Model() embed.Model                                      { return embed.Model{} }
func (*Embedder) Embed(context.Context, []string) ([]embed.Vector, error) { return nil, errUnsupported }
func (*Embedder) Version() string                                         { return "" }
func (*Embedder) Close() error                                            { return nil }
func (*Embedder) resident() int64                                         { return 0 }

// Serve does nothing where ONNX Runtime is not supported.
func Serve() {}
