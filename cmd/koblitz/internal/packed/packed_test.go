package packed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// readAll reads the rows from r and returns their bytes joined together. It checks each row's
// place.
func readAll(t *testing.T, r io.Reader, f Format) ([]byte, error) {
	t.Helper()
	reader := NewReader(reading.Source{Name: "f", Reader: r}, f)
	defer reader.Close()
	var out []byte
	var row int64
	for {
		b, err := reader.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		b.Expand(func(u *reading.Unit) {
			if u.Where.Row != row || u.Where.Offset != row*int64(f.Width()) || u.Where.File != "f" ||
				u.Scheme != f.Scheme || !u.Compact {
				t.Fatalf("unit %+v in row %d", u, row)
			}
			out = append(out, u.Signatures[0].Digest[:]...)
			out = append(out, u.Keys[0]...)
			out = append(out, u.Signatures[0].Sig...)
			row++
		})
	}
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

// TestReader checks which rows come out of files that are complete, and of files that are cut off
// or cannot be read to their end, no matter how many bytes each read returns.
func TestReader(t *testing.T) {
	broken := errors.New("broken")
	for _, f := range []Format{BIP340, ECDSA} {
		for _, n := range []int{0, 1, 2, rowsPerBatch - 1, rowsPerBatch, 3*rowsPerBatch + 17} {
			for _, rest := range []int{0, 1, f.Width() - 1} {
				data := pattern(n*f.Width() + rest)
				want := fmt.Sprintf("at byte %d: the file ends inside row %d, after %d of", len(data), n, rest)
				switch {
				case n == 0 && rest == 0:
					want = "an empty file"
				case rest == 0:
					want = "<nil>"
				}
				for _, test := range []struct {
					in   io.Reader
					want string
				}{
					{bytes.NewReader(data), want},
					{iotest.HalfReader(bytes.NewReader(data)), want},
					{iotest.DataErrReader(bytes.NewReader(data)), want},
					{io.MultiReader(bytes.NewReader(data), iotest.ErrReader(broken)),
						fmt.Sprintf("at byte %d: broken", len(data))},
				} {
					got, err := readAll(t, test.in, f)
					if !bytes.Equal(got, data[:n*f.Width()]) || !strings.Contains(fmt.Sprint(err), test.want) {
						t.Errorf("%s, %d rows and %d bytes: %v, want %s", f.Name, n, rest, err, test.want)
					}
				}
			}
		}
	}
}
