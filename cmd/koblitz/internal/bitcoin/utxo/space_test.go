package utxo

import (
	"errors"
	"os"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// ample returns a temporary space with a limit that no test reaches.
func ample() *tempfile.Space { return tempfile.NewSpace(1 << 40) }

func isFull(err error) bool {
	var full *tempfile.FullError
	return errors.As(err, &full)
}

// deep reports whether tests run many cases, as in CI, instead of a few.
func deep() bool { return os.Getenv("KOBLITZ_DEEP") != "" }
