package bitcoin

import (
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// ample returns a temporary space with a limit that no test reaches.
func ample() *tempfile.Space { return tempfile.NewSpace(1 << 40) }

func isFull(err error) bool {
	var full *tempfile.FullError
	return errors.As(err, &full)
}

// TestFullShelf checks that a shelf, which stores blocks that wait for their parents, returns an
// error when its temporary space is full.
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
