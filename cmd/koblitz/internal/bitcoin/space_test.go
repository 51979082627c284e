package bitcoin

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// ample is more space for temporary files than a test needs.
func ample() *tempfile.Space { return tempfile.NewSpace(1 << 40) }

func isFull(err error) bool {
	var full *tempfile.FullError
	return errors.As(err, &full)
}

// TestFullTable: a table that would grow beyond the space for temporary files does not, and
// holds what it held.
func TestFullTable(t *testing.T) {
	const first = leastPages * pageSize // bytes of a new table
	for _, room := range []int64{first - 1, 3*first - 1} {
		space := tempfile.NewSpace(room)
		never := func([]byte) bool { return false }
		table, err := newTable(space, maphash.MakeSeed(), 0, never)
		if room < first {
			if !isFull(err) {
				t.Errorf("a table in %d bytes: %v", room, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		value := func(i int) []byte {
			return binary.LittleEndian.AppendUint32(make([]byte, 200), uint32(i))
		}
		n := 0
		for ; err == nil; n++ {
			if err = table.reserve(recordSize(value(n))); err == nil {
				err = table.put(outpoint{index: uint32(n)}, value(n))
			}
		}
		if n--; !isFull(err) || !strings.Contains(err.Error(), "(--temp-space)") || n < 10000 {
			t.Fatalf("%d values: %v", n, err)
		}
		for i := range n {
			got, err := table.get(outpoint{index: uint32(i)})
			if err != nil || string(got) != string(value(i)) {
				t.Fatalf("value %d: %x, %v", i, got, err)
			}
		}
		if _, err := space.New("other"); err != nil {
			t.Error(err)
		}
	}
}

// TestFullLong: long values have a file of their own, and no more space for it.
func TestFullLong(t *testing.T) {
	never := func([]byte) bool { return false }
	space := tempfile.NewSpace(leastPages*pageSize + 3000)
	table, err := newTable(space, maphash.MakeSeed(), 0, never)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for i := range 4 {
		err := table.put(outpoint{index: uint32(i)}, make([]byte, 1000))
		if isFull(err) != (i == 3) || (err != nil) != (i == 3) {
			t.Errorf("value %d: %v", i, err)
		}
	}
}

// TestFullShelf: so do blocks that come before their parents.
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
