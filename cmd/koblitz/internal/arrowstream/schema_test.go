package arrowstream

import (
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/ipc"
)

// TestKeyValue checks that metadata without a key or a value is refused, as in PyArrow.
func TestKeyValue(t *testing.T) {
	for fields := range 4 {
		b := flatbuffers.NewBuilder(0)
		text := b.CreateString("")
		b.StartObject(2)
		for i := range 2 {
			if fields>>i&1 == 1 {
				b.PrependUOffsetTSlot(i, text, 0)
			}
		}
		pair := b.EndObject()
		list := ipc.List(b, 1, 4, 4, func(int) { b.PrependUOffsetT(pair) })
		b.StartObject(1)
		b.PrependUOffsetTSlot(0, list, 0)
		b.Finish(b.EndObject())
		if err := catch(func() { root(b.FinishedBytes()).keyValues(0) }); (err == nil) != (fields == 3) {
			t.Errorf("fields %02b: %v", fields, err)
		}
	}
}

// TestChoices checks that a type with a unit or a mode that Arrow does not define is refused.
func TestChoices(t *testing.T) {
	for kind, last := range map[byte]int16{typeFloat: 2, typeDate: 1, typeInterval: 2, typeTime: 3,
		typeTimestamp: 3, typeDuration: 3} {
		for n := int16(-1); n < 9; n++ {
			b := flatbuffers.NewBuilder(0)
			name := b.CreateString("")
			b.StartObject(1)
			b.PrependInt16(n)
			b.Slot(0)
			typ := b.EndObject()
			b.StartObject(4)
			b.PrependUOffsetTSlot(0, name, 0)
			b.PrependByteSlot(2, kind, 0)
			b.PrependUOffsetTSlot(3, typ, 0)
			b.Finish(b.EndObject())
			err := catch(func() { readField(root(b.FinishedBytes())) })
			if valid := n >= 0 && n <= last; valid != (err == nil) {
				t.Errorf("%v %d: %v", typeNames[kind], n, err)
			}
		}
	}
}

// TestOffsets checks that offsets that decrease or lie outside the values are refused.
func TestOffsets(t *testing.T) {
	for offsets, good := range map[string]bool{"\x00\x01\x02": true, "\x01\x01\x02": true,
		"\x01\x00\x02": false, "\x00\x02\x01": false, "\x00\x01\x03": false,
		"\xff\x01\x02": false, "\x00\x01": false} {
		a := &vector{field: &field{bits: 8}, length: 2, buffers: [][]byte{[]byte(offsets), []byte("ab")}}
		if err := catch(a.checkOffsets); good != (err == nil) {
			t.Errorf("%q: %v", offsets, err)
		}
	}
}
