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

func TestWidths(t *testing.T) {
	if BIP340.Width() != 128 || ECDSA.Width() != 129 {
		t.Errorf("widths %d and %d", BIP340.Width(), ECDSA.Width())
	}
}

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

func TestReader(t *testing.T) {
	for _, f := range []Format{BIP340, ECDSA} {
		for _, n := range []int{0, 1, 2, rowsPerBatch - 1, rowsPerBatch, rowsPerBatch + 1,
			3*rowsPerBatch + 17} {
			data := pattern(n * f.Width())
			for name, r := range map[string]io.Reader{
				"whole": bytes.NewReader(data),
				"half":  iotest.HalfReader(bytes.NewReader(data)),
				"EOF":   iotest.DataErrReader(bytes.NewReader(data)),
			} {
				got, err := readAll(t, r, f)
				if (err != nil) != (n == 0) || !bytes.Equal(got, data) { // without rows: an error
					t.Errorf("%s, %d rows, %s: %v", f.Name, n, name, err)
				}
			}
		}
	}
}

func TestTruncated(t *testing.T) {
	for _, f := range []Format{BIP340, ECDSA} {
		for _, n := range []int{0, 1, rowsPerBatch, rowsPerBatch + 5} {
			for _, rest := range []int{1, 32, f.Width() - 1} {
				data := pattern(n*f.Width() + rest)
				got, err := readAll(t, bytes.NewReader(data), f)
				if !bytes.Equal(got, data[:n*f.Width()]) {
					t.Errorf("%s: %d rows and %d bytes: other rows came out", f.Name, n, rest)
				}
				var e *reading.Error
				if !errors.As(err, &e) || e.Offset != int64(len(data)) || !strings.Contains(err.Error(),
					fmt.Sprintf("inside row %d, after %d of", n, rest)) {
					t.Errorf("%s: %d rows and %d bytes: %v", f.Name, n, rest, err)
				}
			}
		}
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	data := pattern(3*128 + 5)
	got, err := readAll(t, io.MultiReader(bytes.NewReader(data), iotest.ErrReader(broken)), BIP340)
	var e *reading.Error
	if !bytes.Equal(got, data[:3*128]) || !errors.As(err, &e) || e.Offset != 3*128+5 ||
		!errors.Is(err, broken) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add(pattern(300), false)
	f.Fuzz(func(t *testing.T, data []byte, bip340 bool) {
		format := ECDSA
		if bip340 {
			format = BIP340
		}
		got, err := readAll(t, iotest.HalfReader(bytes.NewReader(data)), format)
		whole := len(data) / format.Width() * format.Width()
		if !bytes.Equal(got, data[:whole]) || (err == nil) != (whole == len(data) && whole > 0) {
			t.Fatalf("%d bytes of %d, %v", len(got), len(data), err)
		}
	})
}
