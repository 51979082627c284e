package input

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A Compression is a way a file can be packed.
type Compression string

const (
	Auto  Compression = "auto" // by the first bytes of the file
	None  Compression = "none"
	Gzip  Compression = "gzip"
	Bzip2 Compression = "bzip2"
	Zstd  Compression = "zstd"
	XZ    Compression = "xz"
)

// Compressions are the names that ParseCompression knows.
var Compressions = [...]Compression{Auto, None, Gzip, Bzip2, Zstd, XZ}

// ParseCompression is for flags.
func ParseCompression(s string) (Compression, error) {
	names := make([]string, 0, len(Compressions))
	for _, c := range Compressions {
		if s == string(c) {
			return c, nil
		}
		names = append(names, string(c))
	}
	return "", fmt.Errorf("unknown compression %q; known are %s", s, strings.Join(names, ", "))
}

// magicSize bytes tell the formats apart.
const magicSize = 10

// detect asks for as much of each magic number as its format fixes, because a
// file of packed rows may begin with any bytes at all.
func detect(head []byte) Compression {
	switch {
	case len(head) >= 4 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8 && head[3]&0xe0 == 0:
		return Gzip // RFC 1952: the three high flag bits are reserved and zero
	case len(head) >= 10 && bytes.HasPrefix(head, []byte("BZh")) && head[3] >= '1' && head[3] <= '9' &&
		(bytes.Equal(head[4:10], []byte{0x31, 0x41, 0x59, 0x26, 0x53, 0x59}) || // a block
			bytes.Equal(head[4:10], []byte{0x17, 0x72, 0x45, 0x38, 0x50, 0x90})): // the end of an empty file
		return Bzip2
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return Zstd
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return XZ
	}
	return None
}

// maxWindow is how far back a zstd stream may refer, all of which is in memory. RFC
// 8878 (§3.1.1.1.2) recommends at most 8 MiB to those who pack; zstd itself has
// more only with --ultra or --long, and 32 MiB up to --ultra -20.
const maxWindow = 32 << 20

var errWindow = fmt.Errorf("refers back by more than %d MiB, which are not kept; 'zstd -d "+
	"--memory=2048MB' unpacks it", maxWindow>>20)

func decompress(r io.Reader, c Compression) (io.Reader, func(), error) {
	switch c {
	case Gzip:
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, explain(err)
		}
		return z, nil, nil
	case Bzip2:
		return bzip2.NewReader(r), nil, nil
	case Zstd:
		// One goroutine: what waits decoded is bounded by the window alone.
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, explain(err)
		}
		return z, z.Close, nil
	case XZ:
		z, err := newXZ(r)
		if err != nil {
			return nil, nil, explain(err)
		}
		return z, nil, nil
	}
	return nil, nil, fmt.Errorf("unknown compression %q", c)
}

// explain names what is wrong with a compressed stream: an end of file in a place
// that must not end, a window that is too large, or what the library says.
func explain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the compressed stream is truncated")
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return errWindow
	}
	return err
}

// namingReader says of an error that it came from decompression.
type namingReader struct {
	r io.Reader
	c Compression
}

func (n *namingReader) Read(b []byte) (int, error) {
	k, err := n.r.Read(b)
	if err != nil && err != io.EOF {
		err = &DecompressionError{n.c, explain(err)}
	}
	return k, err
}

// A DecompressionError is about the compressed stream, not its contents.
type DecompressionError struct {
	Compression Compression
	Err         error
}

func (e *DecompressionError) Error() string { return fmt.Sprintf("%s: %v", e.Compression, e.Err) }
func (e *DecompressionError) Unwrap() error { return e.Err }
