package verdicts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

func writeParquet(w io.Writer) error {
	p, err := newParquet(w)
	for i := 0; i < 7 && err == nil; i++ {
		err = p.row(&verify.Row{Where: reading.In("a file"), Verdict: reading.Invalid,
			Reason: strings.Repeat(fmt.Sprint("reason ", i), i)})
	}
	if err == nil {
		err = p.close()
	}
	return err
}

// TestParquetErrors checks that the encoder returns the error of its writer, whichever page or
// description it concerns.
func TestParquetErrors(t *testing.T) {
	var good bytes.Buffer
	if err := writeParquet(&good); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < good.Len(); n += 29 {
		if err := writeParquet(&limited{left: n}); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// TestParquetText checks that each byte that is not UTF-8 becomes U+FFFD, as in the other formats.
func TestParquetText(t *testing.T) {
	var b bytes.Buffer
	p, err := newParquet(&b)
	if err = errors.Join(err, p.row(&verify.Row{Where: reading.In("\xff\xff")}),
		p.close()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b.Bytes(), []byte("\ufffd\ufffd")) {
		t.Errorf("%q", b.Bytes())
	}
}

// A limited is a writer that fails once it has accepted a number of bytes. left is the number that
// it still accepts.
type limited struct{ left int }

func (l *limited) Write(b []byte) (int, error) {
	if len(b) > l.left {
		return l.left, io.ErrShortWrite
	}
	l.left -= len(b)
	return len(b), nil
}
