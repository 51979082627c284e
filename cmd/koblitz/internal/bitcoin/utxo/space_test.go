package utxo

import (
	"errors"
	"os"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// ample returns a space with more room than a test needs.
func ample() *tempfile.Space { return tempfile.NewSpace(1 << 40) }

func isFull(err error) bool {
	var full *tempfile.FullError
	return errors.As(err, &full)
}

// deep reports whether to test many cases, as in CI, rather than a few.
func deep() bool { return os.Getenv("KOBLITZ_DEEP") != "" }
