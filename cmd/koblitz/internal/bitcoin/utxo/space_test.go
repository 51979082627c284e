package utxo

import (
	"errors"
	"os"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// ample is more space for temporary files than a test needs.
func ample() *tempfile.Space { return tempfile.NewSpace(1 << 40) }

func isFull(err error) bool {
	var full *tempfile.FullError
	return errors.As(err, &full)
}

// deep reports whether tests go through many cases, as CI's do, and not through a few of them.
func deep() bool { return os.Getenv("KOBLITZ_DEEP") != "" }
