package arrowstream

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/arrowstreamtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/ipc"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
)

// heap returns the number of bytes in use, and the number allocated so far.
func heap() (used, allocated int64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), int64(m.TotalAlloc)
}

// TestSharedParts checks that metadata in which many columns and key-value pairs share one long
// text takes little memory.
func TestSharedParts(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	text := b.CreateString(strings.Repeat("x", 200_000))
	b.StartObject(0)
	typ := b.EndObject()
	b.StartObject(4)
	b.PrependUOffsetTSlot(0, text, 0)
	b.PrependByteSlot(2, typeNull, 0)
	b.PrependUOffsetTSlot(3, typ, 0)
	column := b.EndObject()
	b.StartObject(2)
	b.PrependUOffsetTSlot(0, text, 0)
	b.PrependUOffsetTSlot(1, text, 0)
	pair := b.EndObject()
	columns := ipc.List(b, 500, 4, 4, func(int) { b.PrependUOffsetT(column) })
	pairs := ipc.List(b, 500, 4, 4, func(int) { b.PrependUOffsetT(pair) })
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, columns, 0)
	b.PrependUOffsetTSlot(2, pairs, 0)
	meta := ipc.Message(b, ipc.SchemaMessage, b.EndObject(), 0)[8:]
	_, before := heap()
	err := catch(func() { readMessage(root(meta)) })
	if _, after := heap(); err != nil || after-before > 16<<20 {
		t.Errorf("%d bytes for %d, %v", after-before, len(meta), err)
	}
}

// TestSize checks that a batch that waits for its verdicts keeps no more memory than its method
// size states, even if it has many columns and no rows.
func TestSize(t *testing.T) {
	var list []arrowstreamtest.Column
	for i := range 3000 {
		list = append(list, arrowstreamtest.Column{Type: ipc.Text,
			Column: columnstest.Column{Name: fmt.Sprint(i)}})
	}
	for i, name := range []string{"h", "k", "s"} {
		list[i].Name = name
	}
	const batches = 20
	in := bytes.NewReader(arrowstreamtest.Stream(slices.Repeat([][]arrowstreamtest.Column{list},
		batches)...))
	spec, err := columns.ParseSpec([]string{"hash=h", "key=k", "sig=s"}, 0, columns.Auto)
	s := &stream{spec: &spec}
	if err == nil {
		err = s.open(in)
	}
	if err != nil {
		t.Fatal(err)
	}
	before, _ := heap()
	size := int64(0)
	for range batches {
		b, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		size += b.Size()
	}
	after, _ := heap()
	if limit := size + size/4 + 1<<20; after-before > limit {
		t.Errorf("%d batches keep %d bytes, and say that they keep %d", batches, after-before, size)
	}
}
