package documents

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"blackboard/board/fault"
)

// Sum returns the SHA-256 of a file, in hexadecimal digits, and its size in bytes.
func Sum(path string) (sum string, size int64, err error) {
	f, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, fault.NotFound.New(fmt.Sprintf("there is no file %s", path),
			"give the path of a source")
	}
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	if size, err = io.Copy(h, f); err != nil {
		return "", 0, fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}
