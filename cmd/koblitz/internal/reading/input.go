package reading

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

// HeadSize is the maximum number of bytes that Head returns.
const HeadSize = 64 << 10

// Stdin is the name that selects standard input.
const Stdin = "-"

// An Input is an open file or standard input, plain or compressed. One goroutine must make all
// calls, except that any goroutine may call Position.
type Input struct {
	Name        string
	Compression Compression
	Size        int64    // size of the compressed file in bytes, or -1 if unknown
	File        *os.File // the open file; nil unless Open has opened it

	count  *countingReader
	stream *bufio.Reader
	closer func()
}

// Open opens the file called name, or uses stdin if name is "-". If hashed is set, it also hashes
// the file, so that Sum may be called.
func Open(name string, stdin io.Reader, compression Compression, hashed bool) (*Input, error) {
	if name == Stdin {
		return NewInput("stdin", stdin, -1, compression, hashed)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, plain(name, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory, not a file")
	}
	if err != nil {
		f.Close()
		return nil, plain(name, err)
	}
	size := int64(-1)
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	in, err := NewInput(name, f, size, compression, hashed)
	if err != nil {
		f.Close()
		return nil, err
	}
	in.File = f
	return in, nil
}

// NewInput is like Open, for a stream that is already open. size is its size in bytes, or -1 if
// unknown.
func NewInput(name string, r io.Reader, size int64, compression Compression, hashed bool) (*Input,
	error) {
	count := &countingReader{r: r, size: size}
	if hashed {
		count.sum = sha256.New()
	}
	in := &Input{Name: name, Size: size, count: count}
	raw := bufio.NewReaderSize(count, 256<<10)
	if compression == AutoDetect {
		head, err := raw.Peek(magicSize)
		if err != nil && err != io.EOF {
			return nil, plain(name, err)
		}
		compression = DetectCompression(head)
	}
	in.Compression = compression
	if compression == Uncompressed {
		in.stream = raw
		return in, nil
	}
	d, closer, err := decompress(raw, compression)
	if err != nil {
		return nil, plain(name, fmt.Errorf("as %s: %w", compression, err))
	}
	in.closer = closer
	in.stream = bufio.NewReaderSize(&namingReader{r: d, c: compression}, HeadSize)
	return in, nil
}

// Read reads the decompressed stream.
func (in *Input) Read(b []byte) (int, error) { return in.stream.Read(b) }

// Head returns the first bytes of the decompressed stream without consuming them: HeadSize bytes,
// or fewer if the stream is shorter.
func (in *Input) Head() ([]byte, error) {
	head, err := in.stream.Peek(HeadSize)
	if err == io.EOF {
		err = nil
	}
	if err != nil && len(head) == 0 {
		return nil, plain(in.Name, err)
	}
	return head, nil // if err is not nil, Read returns it again when it gets there
}

// Line returns the first line of the decompressed stream with its line end, without consuming it.
// Unlike Head, it does not wait for the bytes after the line. It returns no bytes if no line ends
// in the first HeadSize bytes.
func (in *Input) Line() []byte {
	for n := 1; n <= HeadSize; n = in.stream.Buffered() + 1 {
		_, err := in.stream.Peek(n)
		head, _ := in.stream.Peek(in.stream.Buffered())
		if i := bytes.IndexByte(head, '\n'); i >= 0 || err != nil {
			return head[:i+1]
		}
	}
	return nil
}

// Skip skips the first bytes of the decompressed stream. It must be called before Read. In an
// uncompressed file it seeks; in a compressed file it decompresses the bytes and discards them.
func (in *Input) Skip(bytes int64) error {
	seeker, ok := in.count.r.(io.Seeker)
	ok = ok && in.count.sum == nil // with a hash, all bytes must be read
	if in.Compression == Uncompressed && in.Size >= bytes && ok {
		if _, err := seeker.Seek(bytes, io.SeekStart); err != nil {
			return plain(in.Name, err)
		}
		in.count.n.Store(bytes)
		in.stream.Reset(in.count)
		return nil
	}
	n, err := io.CopyN(io.Discard, in.stream, bytes)
	if err == io.EOF {
		err = fmt.Errorf("it ends after %d bytes, before the place at byte %d", n, bytes)
	}
	if err != nil {
		return plain(in.Name, err)
	}
	return nil
}

// Position returns the number of bytes of the compressed file read so far.
func (in *Input) Position() int64 { return in.count.n.Load() }

// Sum returns the SHA-256 of the whole file in its compressed form. It reads the rest of the file.
// Only the reading goroutine may call it, after Read has returned io.EOF, and only on an Input that
// was opened with hashed set.
func (in *Input) Sum() (sum [32]byte, err error) {
	if _, err := io.Copy(io.Discard, in.count); err != nil {
		return sum, plain(in.Name, err)
	}
	in.count.sum.Sum(sum[:0])
	return sum, nil
}

// Close closes the file. Standard input stays open.
func (in *Input) Close() error {
	if in.closer != nil {
		in.closer()
	}
	if in.File != nil {
		return in.File.Close()
	}
	return nil
}

type countingReader struct {
	r    io.Reader
	n    atomic.Int64
	size int64     // size of the file in bytes when it was opened, or -1
	sum  hash.Hash // hash of the bytes read; may be nil
}

// Read returns an error if the file ends at fewer bytes than it had when it was opened.
func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	at := c.n.Add(int64(n))
	if c.sum != nil {
		c.sum.Write(b[:n])
	}
	if err == io.EOF && at < c.size {
		err = fmt.Errorf("the file became shorter while it was read: it had %d bytes, and "+
			"ended after %d", c.size, at)
	}
	return n, err
}

// plain returns err, an error of the operating system, with the file's name in front and without
// the name of the system call.
func plain(name string, err error) error {
	if err = Bare(err); errors.Is(err, fs.ErrNotExist) {
		err = errors.New("no such file")
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Bare returns err without the file's path and the name of the system call.
func Bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
