package arrowstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

var errPacked = errors.New("a packed buffer is damaged")

// An unpacker decompresses the buffers of batches into memory of the allocator mem.
type unpacker struct {
	mem  memory.Allocator
	zstd *zstd.Decoder // nil until a batch needs it
}

// unpack returns body with all buffers decompressed, and updates the metadata of the batch to
// match. If it returns another buffer than body, it releases body.
func (n *batchNumbers) unpack(body *memory.Buffer, u *unpacker) (*memory.Buffer, error) {
	const compression = 10
	o := n.table.Offset(compression)
	if o == 0 {
		return body, nil
	}
	codec := flatbuffers.Table{Bytes: n.table.Bytes,
		Pos: n.table.Indirect(n.table.Pos + flatbuffers.UOffsetT(o))}
	decode, err := u.decoder(codec.GetInt8Slot(4, 0), codec.GetInt8Slot(6, 0))
	if err != nil {
		return nil, err
	}
	n.body = body.Bytes()
	total := 0
	for n.buffers = n.list(8, 16); n.buffers.left > 0; {
		length, _, err := n.packed()
		if err != nil {
			return nil, err
		}
		if total += (length + 7) &^ 7; total > maxBody {
			return nil, errHeld
		}
	}
	unpacked := memory.NewResizableBuffer(u.mem)
	unpacked.Resize(total)
	clear(unpacked.Bytes())
	at := 0
	for n.buffers = n.list(8, 16); n.buffers.left > 0; {
		place := n.buffers.at
		length, b, err := n.packed()
		if err != nil {
			return nil, err
		}
		if out := unpacked.Bytes()[at : at+length]; b.raw {
			copy(out, b.bytes)
		} else if err := decode(out, b.bytes); err != nil {
			return nil, fmt.Errorf("%w: %v", errPacked, err)
		}
		binary.LittleEndian.PutUint64(n.table.Bytes[place:], uint64(at))
		binary.LittleEndian.PutUint64(n.table.Bytes[place+8:], uint64(length))
		at += (length + 7) &^ 7
	}
	// A FlatBuffers table begins with the distance to its vtable. There, 0 marks an absent field.
	vtable := int(n.table.Pos) - int(n.table.GetSOffsetT(n.table.Pos))
	binary.LittleEndian.PutUint16(n.table.Bytes[vtable+compression:], 0)
	body.Release()
	return unpacked, nil
}

// A packedBuffer is one buffer of a compressed batch, without the length field in front of it.
type packedBuffer struct {
	bytes []byte
	raw   bool // the buffer is stored without compression
}

// packed returns the next buffer and its decompressed length.
func (n *batchNumbers) packed() (length int, b packedBuffer, err error) {
	data, err := n.buffer()
	switch {
	case err != nil || len(data) == 0:
		return 0, packedBuffer{raw: true}, err
	case len(data) < 8:
		return 0, b, errPacked
	}
	claimed := int64(binary.LittleEndian.Uint64(data))
	data = data[8:]
	switch {
	case claimed == -1:
		return len(data), packedBuffer{data, true}, nil
	case claimed < 0:
		return 0, b, errPacked
	case claimed > maxBody:
		return 0, b, errHeld
	}
	return int(claimed), packedBuffer{data, false}, nil
}

// decoder returns a function that decompresses in into out and fails unless the result fills out
// exactly. codec and method are fields of BodyCompression (Message.fbs).
func (u *unpacker) decoder(codec, method int8) (decode func(out, in []byte) error, err error) {
	switch {
	case method == 0 && codec == 0:
		return decodeLZ4, nil
	case method == 0 && codec == 1:
		if u.zstd == nil {
			u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxBody))
		}
		return u.decodeZstd, err
	}
	return nil, fmt.Errorf("compression %d by method %d is not known", codec, method)
}

func (u *unpacker) decodeZstd(out, in []byte) error {
	got, err := u.zstd.DecodeAll(in, out[:0:len(out)])
	if err == nil && len(got) != len(out) {
		err = errors.New("it has another length")
	}
	return err
}

// decodeLZ4 decompresses in, which must be one LZ4 frame.
func decodeLZ4(out, in []byte) error {
	if err := oneFrame(in); err != nil {
		return err
	}
	z := lz4.NewReader(bytes.NewReader(in))
	if _, err := io.ReadFull(z, out); err != nil {
		return unexpected(err)
	}
	if n, err := io.ReadFull(z, make([]byte, 1)); n != 0 || err != io.EOF {
		return errors.New("it has another length")
	}
	return nil
}

// oneFrame checks that b is a single LZ4 frame, because the LZ4 library accepts several in a row.
func oneFrame(b []byte) error {
	const magic, head = 0x184d2204, 7
	errFrame := errors.New("it is not one frame of LZ4")
	if len(b) < head || binary.LittleEndian.Uint32(b) != magic {
		return errFrame
	}
	flags := b[4]
	at, checksum := head, 0
	if flags&8 != 0 { // the header has the content size
		at += 8
	}
	if flags&1 != 0 { // the header has a dictionary id
		at += 4
	}
	if flags&16 != 0 { // each block has a checksum
		checksum = 4
	}
	for at+4 <= len(b) {
		size := binary.LittleEndian.Uint32(b[at:])
		if at += 4; size != 0 {
			at += int(size&^(1<<31)) + checksum // without the bit of an uncompressed block
			continue
		}
		if flags&4 != 0 { // a checksum of the content follows
			at += 4
		}
		if at == len(b) {
			return nil
		}
		break
	}
	return errFrame
}
