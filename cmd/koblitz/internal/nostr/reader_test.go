package nostr

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

// read calls emit with each reading.Unit of r.
func read(r reading.Reader, emit func(*reading.Unit)) error {
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b.Expand(emit)
	}
}

// collect reads all lines of r, and returns a line of text for each reading.Unit.
func collect(r io.Reader) (all []string, err error) {
	err = read(NewReader(reading.Source{Name: "f", Reader: r}), func(u *reading.Unit) {
		all = append(all, fmt.Sprintf("%d %v", u.Where.Line, u.Decided))
	})
	return all, err
}

func TestReaderError(t *testing.T) {
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader("a\nb\nhalf a li"), iotest.ErrReader(broken))
	got, err := collect(r)
	if want := []string{"1 malformed", "2 malformed"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	var e *reading.Error
	if !errors.As(err, &e) || e.Line != 3 || !errors.Is(err, broken) {
		t.Errorf("error %v, want line 3", err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("a\nb"), 3)
	f.Add([]byte("\n\n["), 1)
	f.Add([]byte(" "), 74)
	f.Add([]byte("\u3000\n\v"), 50)
	f.Add([]byte(`[{"sig":""},{"sig":1}]`), 74)
	f.Fuzz(func(t *testing.T, data []byte, step int) {
		if step < 1 {
			return
		}
		var r io.Reader = bytes.NewReader(data)
		if step < 100 {
			r = iotest.OneByteReader(r)
		}
		got, err := collect(r)
		// The reader returns an error only for a blank file.
		if empty := len(bytes.Trim(data, " \t\r\n")) == 0; (err != nil) != empty {
			t.Fatalf("%v for %q", err, data)
		}
		i := 0
		for n, line := range bytes.Split(data, newline) {
			if len(bytes.Trim(line, " \t\r")) == 0 {
				continue
			}
			// Each line must give a reading.Unit for each event in it, and at least one.
			at := fmt.Sprintf("%d ", n+1)
			if i == len(got) || !strings.HasPrefix(got[i], at) {
				t.Fatalf("units %v for %q", got, data)
			}
			for i < len(got) && strings.HasPrefix(got[i], at) {
				i++
			}
		}
		if i != len(got) {
			t.Fatalf("units %v for %q", got, data)
		}
	})
}
