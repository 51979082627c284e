package reading

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/xi2/xz"
)

// A Compression is a format of compressed files.
type Compression string

const (
	AutoDetect   Compression = "auto" // detect the format from the first bytes of the file
	Uncompressed Compression = "none"
	Gzip         Compression = "gzip"
	Bzip2        Compression = "bzip2"
	Zstd         Compression = "zstd"
	XZ           Compression = "xz"
)

// Compressions lists all values of a Compression.
var Compressions = []Compression{AutoDetect, Uncompressed, Gzip, Bzip2, Zstd, XZ}

var (
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	xzMagic   = []byte("\xfd7zXZ\x00")
)

// zstdSkippable is the magic number of a frame that a decoder of zstd skips, without its last four
// bits (RFC 8878, section 3.1.2).
const zstdSkippable = 0x184d2a50

// magicSize is the number of bytes that DetectCompression needs to distinguish the formats.
const magicSize = 10

// DetectCompression returns the compression of a file that starts with head. It checks every bit
// that the format fixes in the magic number.
func DetectCompression(head []byte) Compression {
	switch {
	case len(head) >= 4 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8 && head[3]&0xe0 == 0:
		return Gzip // RFC 1952: the three high flag bits are reserved and zero
	case len(head) >= 10 && bytes.HasPrefix(head, []byte("BZh")) && head[3] >= '1' && head[3] <= '9' &&
		(bytes.Equal(head[4:10], []byte{0x31, 0x41, 0x59, 0x26, 0x53, 0x59}) || // a block
			bytes.Equal(head[4:10], []byte{0x17, 0x72, 0x45, 0x38, 0x50, 0x90})): // an empty file
		return Bzip2
	case bytes.HasPrefix(head, zstdMagic),
		len(head) >= 4 && binary.LittleEndian.Uint32(head)&^0xf == zstdSkippable:
		return Zstd
	case bytes.HasPrefix(head, xzMagic):
		return XZ
	}
	return Uncompressed
}

// maxWindow limits the window of a zstd stream in bytes. The whole window is held in memory. RFC
// 8878 (§3.1.1.1.2) recommends that encoders use at most 8 MiB. The zstd tool exceeds that only
// with --ultra or --long, and uses 32 MiB up to --ultra -20.
const maxWindow = 32 << 20

var errWindow = fmt.Errorf("refers back by more than %d MiB, which are not kept; 'zstd -d "+
	"--memory=2048MB' unpacks it", maxWindow>>20)

// maxDictionary limits the dictionary of an xz stream in bytes. It allows the levels of xz up to
// -8. The level -9 uses twice as much.
const maxDictionary = 32 << 20

var errDictionary = fmt.Errorf("refers back by more than %d MiB, which are not kept; 'xz -dc' "+
	"unpacks it", maxDictionary>>20)

// decompress returns a reader of the decompressed stream, which may consist of several members, and
// a function that frees its memory, or nil. The libraries report bytes after the last member as an
// error, as they do a member that is cut off.
func decompress(r *bufio.Reader, c Compression) (z io.Reader, free func(), err error) {
	switch c {
	case Gzip:
		z, err = gzip.NewReader(r)
	case Bzip2:
		z = bzip2.NewReader(r)
	case Zstd:
		// With one goroutine, the decoder decodes no more than the window ahead of the reader.
		var d *zstd.Decoder
		if d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
			z, free = d, d.Close
		}
	case XZ:
		z, err = xz.NewReader(r, maxDictionary)
	default:
		return nil, nil, fmt.Errorf("unknown compression %q", c)
	}
	if err != nil {
		return nil, nil, explain(err)
	}
	return z, free, nil
}

var errTruncated = errors.New("the compressed stream is truncated")

// explain returns a clearer error for some errors of decompression libraries: a stream that ends
// too early, and a window that is too large. It returns other errors unchanged.
func explain(err error) error {
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == xz.ErrBuf:
		return errTruncated
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return errWindow
	case err == xz.ErrMemlimit:
		return errDictionary
	case strings.HasPrefix(err.Error(), "xz: "): // the caller names the format
		return errors.New(strings.TrimPrefix(err.Error(), "xz: "))
	}
	return err
}

// A namingReader puts the name of the compression in front of each error. Later calls return the
// error again.
type namingReader struct {
	r   io.Reader
	c   Compression
	err error
}

func (n *namingReader) Read(b []byte) (int, error) {
	if n.err != nil {
		return 0, n.err
	}
	k, err := n.r.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", n.c, explain(err))
	}
	n.err = err
	return k, err
}
