package bitcoin

import (
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// ample returns more space for temporary files than any test needs.
func ample() *tempfile.Space { return tempfile.NewSpace(1 << 40) }

func isFull(err error) bool {
	var full *tempfile.FullError
	return errors.As(err, &full)
}

// TestFullShelf checks that blocks waiting for their parents report full temporary space.
func TestFullShelf(t *testing.T) {
	s := shelf{space: tempfile.NewSpace(3000)}
	defer s.Close()
	for i := range 4 {
		err := s.put(&record{data: make([]byte, 1000)})
		if isFull(err) != (i == 3) || (err != nil) != (i == 3) {
			t.Errorf("block %d: %v", i, err)
		}
	}
}
