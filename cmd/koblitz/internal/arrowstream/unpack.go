package arrowstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

var errPacked = errors.New("a packed buffer is damaged")

// An unpacker decompresses the buffers of batches into buffers that count against the memory
// budget.
type unpacker struct {
	budget *reading.Budget
	zstd   *zstd.Decoder // nil until a batch needs it
}

// unpack returns body with all buffers of b decompressed, and updates the offsets and lengths in
// b to match. If it returns another slice than body, it frees body.
func (u *unpacker) unpack(b *recordBatch, body []byte) ([]byte, error) {
	if !b.packed {
		return body, nil
	}
	decode, err := u.decoder(b.codec, b.method)
	if err != nil {
		return nil, err
	}
	w := walk{recordBatch: *b, body: body}
	list := make([]packedBuffer, len(b.buffers))
	total := 0
	for i := range list {
		if list[i], err = w.packedBuffer(); err != nil {
			return nil, err
		}
		if total += (list[i].length + 7) &^ 7; total > maxBody {
			return nil, errLong
		}
	}
	unpacked, err := u.budget.Buffer(nil, total)
	if err != nil {
		return nil, err
	}
	at := 0
	for i, p := range list {
		if out := unpacked[at : at+p.length]; p.raw {
			copy(out, p.bytes)
		} else if err := decode(out, p.bytes); err != nil {
			return nil, fmt.Errorf("%w: %v", errPacked, err)
		}
		b.buffers[i] = [2]int64{int64(at), int64(p.length)}
		at += (p.length + 7) &^ 7
	}
	u.budget.Free(body)
	return unpacked, nil
}

// A packedBuffer is one buffer of a compressed batch, without the length field in front of it.
type packedBuffer struct {
	bytes  []byte
	length int  // decompressed length
	raw    bool // the buffer is stored without compression
}

// packedBuffer returns the next compressed buffer of the batch.
func (w *walk) packedBuffer() (p packedBuffer, err error) {
	data, err := w.buffer()
	switch {
	case err != nil || len(data) == 0:
		return packedBuffer{raw: true}, err
	case len(data) < 8:
		return p, errPacked
	}
	claimed := int64(binary.LittleEndian.Uint64(data))
	data = data[8:]
	switch {
	case claimed == -1:
		return packedBuffer{data, len(data), true}, nil
	case claimed < 0:
		return p, errPacked
	case claimed > maxBody:
		return p, errLong
	}
	return packedBuffer{data, int(claimed), false}, nil
}

// decoder returns a function that decompresses src and fails unless the result has exactly the
// length of dst, where it is stored. codec and method are fields of BodyCompression (Message.fbs).
func (u *unpacker) decoder(codec, method int64) (decode func(dst, src []byte) error, err error) {
	switch {
	case method == 0 && codec == 0:
		return decodeLZ4, nil
	case method == 0 && codec == 1:
		if u.zstd == nil {
			u.zstd, err = reading.NewZstd()
		}
		return u.decodeZstd, err
	}
	return nil, fmt.Errorf("compression %d by method %d is not known", codec, method)
}

func (u *unpacker) decodeZstd(dst, src []byte) error {
	got, err := u.zstd.DecodeAll(src, dst[:0:len(dst)])
	if err == nil && len(got) != len(dst) {
		err = errors.New("it has another length")
	}
	return err
}

// decodeLZ4 decompresses src, which must be one LZ4 frame, and fills dst.
func decodeLZ4(dst, src []byte) error {
	if err := oneFrame(src); err != nil {
		return err
	}
	z := lz4.NewReader(bytes.NewReader(src))
	if _, err := io.ReadFull(z, dst); err != nil {
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
