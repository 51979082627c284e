package bitcoin

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// TestPlace checks that reading getblock's output resumes after each block, in intact and in
// damaged files.
func TestPlace(t *testing.T) {
	block := syntheticJSON(t, true)
	open := func(src reading.Source) reading.Reader { return nodejson.Blocks(src, onRegtest, nil) }
	list := bytes.Join([][]byte{[]byte("["), block, []byte(","), block, []byte("]")}, nil)
	answer := bytes.Join([][]byte{[]byte(`{"result":`), block, []byte("}")}, nil)
	for i, test := range []struct {
		name   string
		data   []byte
		places int
	}{
		{"blocks", bytes.Repeat(block, 5), 3},
		{"lists", bytes.Repeat(list, 3), 2},
		{"answers", bytes.Repeat(answer, 3), 2},
		{"no block", append(bytes.Repeat(block, 4), "{}"...), 2},
		{"broken", append(bytes.Repeat(block, 4), block[:len(block)/2]...), 2},
	} {
		if i%oneIn(2) != 0 {
			continue
		}
		if n := placetest.Check(t, test.data, open); n < test.places {
			t.Errorf("%s: %d places, want at least %d", test.name, n, test.places)
		}
	}
}
