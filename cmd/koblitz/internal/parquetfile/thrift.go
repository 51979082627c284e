package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// maxThriftDepth limits the nesting depth of Thrift values.
const maxThriftDepth = 32

var errThrift = errors.New("a description is not well-formed")

// A walk passes over a value in Thrift's compact protocol. The library allocates the length that a
// list claims before it reads the list, and recurses without a limit. A walk allocates nothing. It
// checks that the strings and lists fit into the bytes that are left, and that the nesting depth is
// within the limit. err is the first error: io.ErrUnexpectedEOF if the bytes end too early.
type walk struct {
	b     []byte
	at    int // offset of the next byte
	depth int
	err   error
}

func (w *walk) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// skip passes over n bytes, and reports whether they exist.
func (w *walk) skip(n uint64) bool {
	if n > uint64(len(w.b)-w.at) {
		w.fail(io.ErrUnexpectedEOF)
	}
	if w.err == nil {
		w.at += int(n)
	}
	return w.err == nil
}

func (w *walk) byte() byte {
	if !w.skip(1) {
		return 0
	}
	return w.b[w.at-1]
}

func (w *walk) uvarint() uint64 {
	v, n := binary.Uvarint(w.b[w.at:])
	switch {
	case n == 0:
		w.fail(io.ErrUnexpectedEOF)
	case n < 0:
		w.fail(errThrift)
	}
	if w.err != nil {
		return 0
	}
	w.at += n
	return v
}

// values passes over n groups of values. Each group has one value of every type given.
func (w *walk) values(n uint64, types ...thrift.Type) {
	if n > uint64(len(w.b)-w.at) { // every value has at least one byte
		w.fail(io.ErrUnexpectedEOF)
	}
	for ; n > 0 && w.err == nil; n-- {
		for _, t := range types {
			if t == thrift.TRUE || t == thrift.FALSE {
				t = thrift.I8 // only a field of a struct stores a bool in its type
			}
			w.value(t)
		}
	}
}

// value passes over a value of type t.
func (w *walk) value(t thrift.Type) {
	if w.depth++; w.depth > maxThriftDepth {
		w.fail(errThrift)
	}
	switch t {
	case thrift.TRUE, thrift.FALSE:
	case thrift.I8:
		w.skip(1)
	case thrift.I16, thrift.I32, thrift.I64:
		w.uvarint()
	case thrift.DOUBLE:
		w.skip(8)
	case thrift.UUID:
		w.skip(16)
	case thrift.BINARY:
		w.skip(w.uvarint())
	case thrift.LIST, thrift.SET:
		head := w.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = w.uvarint()
		}
		w.values(n, thrift.Type(head&15))
	case thrift.MAP:
		if n := w.uvarint(); n > 0 {
			kinds := w.byte()
			w.values(n, thrift.Type(kinds>>4), thrift.Type(kinds&15))
		}
	case thrift.STRUCT:
		for w.err == nil {
			head := w.byte()
			if head&15 == 0 {
				break
			}
			if head>>4 == 0 {
				w.uvarint() // the number of the field
			}
			w.value(thrift.Type(head & 15))
		}
	default:
		w.fail(errThrift)
	}
	w.depth--
}

// decode decodes the struct at the beginning of b into v, and returns its size in bytes.
// v refers to memory of b afterwards.
func decode(b []byte, v any) (int, error) {
	w := walk{b: b}
	w.value(thrift.STRUCT)
	if w.err != nil {
		return 0, w.err
	}
	r := new(thrift.CompactProtocol).NewReaderFromBytes(b[:w.at])
	if err := thrift.NewDecoder(r).Decode(v); err != nil {
		return 0, fmt.Errorf("%w: %w", errThrift, err)
	}
	return w.at, nil
}

// An offset replaces a struct in a list: it is the offset of the struct in the decoded bytes. The
// lists of a file's description are decoded as offsets, because the structs take several times the
// memory of their encoding.
type offset int32

// Type implements thrift.Value.
func (offset) Type() thrift.Type { return thrift.STRUCT }

// EncodeFunc implements thrift.Value.
func (offset) EncodeFunc(thrift.EncodeFuncCache) thrift.EncodeFunc { return nil }

// NullFunc implements thrift.Value.
func (offset) NullFunc() thrift.NullFunc { return nil }

// DecodeFunc implements thrift.Value.
func (offset) DecodeFunc(seen thrift.DecodeFuncCache) thrift.DecodeFunc {
	skip := thrift.DecodeFuncFor[struct{}](seen)
	return func(r thrift.Reader, v reflect.Value, flags thrift.Flags) error {
		v.SetInt(int64(r.BytesRead()))
		return skip(r, reflect.ValueOf(new(struct{})).Elem(), flags)
	}
}
