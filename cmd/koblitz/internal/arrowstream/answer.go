package arrowstream

import (
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"
)

// finish returns the message in b without its body. header is the FlatBuffers table that describes
// the message's content, kind is the type of this table, and body is the size of the body in bytes.
func finish(b *flatbuffers.Builder, kind byte, header flatbuffers.UOffsetT, body int) []byte {
	b.StartObject(4)
	b.PrependInt64Slot(3, int64(body), 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt16Slot(0, version5, 0)
	b.PrependByteSlot(1, kind, 0)
	b.Finish(b.EndObject())
	meta := b.FinishedBytes()
	padding := -len(meta) & 7
	out := binary.LittleEndian.AppendUint32(nil, continuation)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(meta)+padding))
	out = append(out, meta...)
	return append(out, make([]byte, padding)...)
}

// appendList appends to b a list of n elements of size bytes each, aligned to align bytes. The
// callback element appends element i.
func appendList(b *flatbuffers.Builder, n, size, align int,
	element func(i int)) flatbuffers.UOffsetT {
	b.StartVector(size, n, align)
	for i := n - 1; i >= 0; i-- {
		element(i)
	}
	return b.EndVector(n)
}

// answered returns the message with the answer's schema: the columns of s, and a text column for
// each name in added. All added columns except the first can hold nulls. The message ends with the
// unchanged descriptions of the columns of s.
func (s *schema) answered(added []string) []byte {
	b := flatbuffers.NewBuilder(0)
	size := (len(s.description) + 7) &^ 7
	b.Prep(8, size)
	b.Pad(size)
	copy(b.Bytes[b.Head():], s.description)
	// A Builder measures offsets from the end of the message.
	end := flatbuffers.UOffsetT(size)
	var list []flatbuffers.UOffsetT
	for _, at := range s.places {
		list = append(list, end-at)
	}
	for i, name := range added {
		text := b.CreateString(name)
		children := appendList(b, 0, 4, 4, nil)
		b.StartObject(0)
		kind := b.EndObject()
		b.StartObject(6)
		b.PrependUOffsetTSlot(0, text, 0)
		b.PrependBoolSlot(1, i > 0, false)
		b.PrependByteSlot(2, typeText, 0)
		b.PrependUOffsetTSlot(3, kind, 0)
		b.PrependUOffsetTSlot(5, children, 0)
		list = append(list, b.EndObject())
	}
	fields := appendList(b, len(list), 4, 4, func(i int) { b.PrependUOffsetT(list[i]) })
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, fields, 0)
	if s.custom > 0 {
		b.PrependUOffsetTSlot(2, end-s.custom, 0)
	}
	return finish(b, schemaMessage, b.EndObject(), 0)
}

// description returns the message with the batch, without its body.
func (r *recordBatch) description(body int) []byte {
	b := flatbuffers.NewBuilder(0)
	var lists [2]flatbuffers.UOffsetT
	for i, pairs := range [][][2]int64{r.nodes, r.buffers} {
		lists[i] = appendList(b, len(pairs), 16, 8, func(k int) {
			b.PrependInt64(pairs[k][1])
			b.PrependInt64(pairs[k][0])
		})
	}
	variadic := appendList(b, len(r.variadic), 8, 8, func(i int) { b.PrependInt64(r.variadic[i]) })
	b.StartObject(5)
	b.PrependInt64Slot(0, r.length, 0)
	b.PrependUOffsetTSlot(1, lists[0], 0)
	b.PrependUOffsetTSlot(2, lists[1], 0)
	b.PrependUOffsetTSlot(4, variadic, 0)
	return finish(b, batchMessage, b.EndObject(), body)
}

// A texts is a text column that Run appends to a batch.
type texts struct {
	n, nulls int64
	valid    []byte // one bit for each row; 0 marks a null
	offsets  []byte
	data     []byte
}

// append appends a row with the text s. An empty text is a null.
func (t *texts) append(s string) {
	if t.n == 0 {
		t.offsets = append(t.offsets, 0, 0, 0, 0)
	}
	if t.n%8 == 0 {
		t.valid = append(t.valid, 0)
	}
	if s == "" {
		t.nulls++
	} else {
		t.valid[t.n/8] |= 1 << (t.n % 8)
	}
	t.n++
	t.data = append(t.data, s...)
	t.offsets = binary.LittleEndian.AppendUint32(t.offsets, uint32(len(t.data)))
}

// reset empties t.
func (t *texts) reset() {
	*t = texts{valid: t.valid[:0], offsets: t.offsets[:0], data: t.data[:0]}
}
