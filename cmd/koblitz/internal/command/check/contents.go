package check

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/input"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
)

// contentOf returns the compression, the size and, with --sha256, the digest of an input. complete
// reports whether the input was read to its end; if not, contentOf leaves the digest out.
func (s *sources) contentOf(in *input.Input, complete bool) (c state.Content, err error) {
	if complete && s.o.sha256 {
		var sum [sha256.Size]byte
		sum, err = in.Sum()
		c.SHA256 = hex.EncodeToString(sum[:])
	}
	if in.Compression != input.None {
		c.Compression = string(in.Compression)
	}
	c.Bytes = max(in.Size, in.Position())
	return c, err
}

// contentOfFile reads the first bytes of a file again, as many as the argument bytes says. It
// returns their number and, with --sha256, their digest. It is used for files that are not read
// as an Input.
func (s *sources) contentOfFile(name string, bytes int64) (c state.Content, err error) {
	c.Bytes = bytes
	if !s.o.sha256 {
		return c, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return c, err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err = io.CopyN(sum, f, bytes); err == nil {
		c.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return c, err
}

// A describedReader calls the function tell once, when it reaches the end of the input or is closed
// before that.
type describedReader struct {
	rows.Reader
	tell func(whole bool) error
	told bool
}

// describe wraps r so that the report gets the input's content (size and digest) when reading ends.
// The report also lists the files in extra, which were read beside the input, such as spent outputs
// or a rev*.dat file.
func (s *sources) describe(r rows.Reader, extra []state.File,
	content func(whole bool) (state.Content, error)) rows.Reader {
	return &describedReader{Reader: r, tell: func(whole bool) error {
		c, err := content(whole)
		s.report.read(c, extra)
		return err
	}}
}

func (d *describedReader) Next() (rows.Batch, error) {
	b, err := d.Reader.Next()
	if err == io.EOF && !d.told {
		d.told = true
		if failed := d.tell(true); failed != nil {
			err = failed
		}
	}
	return b, err
}

func (d *describedReader) Close() error {
	if !d.told {
		d.told = true
		d.tell(false)
	}
	return d.Reader.Close()
}
