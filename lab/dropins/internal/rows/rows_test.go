package rows

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// TestResults checks that the result of every row changes the hash, and that an error or an
// accepted invalid input is detected even in the last row.
func TestResults(t *testing.T) {
	var row int
	at := func(bad int) func(int) error {
		return func(i int) error { row = i; return Accepted(i != bad) }
	}
	result := func() []byte { return []byte{byte(row), byte(row)} }
	var all []byte
	for i := range Count {
		all = append(all, '2', ':', byte(i), byte(i))
	}
	want := sha256.Sum256(all)
	got, err := Rows{Run: at(-1), Result: result, Wrong: func(int) bool { return true }}.results()
	if err != nil || !bytes.Equal(got, want[:]) {
		t.Errorf("%x, %v, want %x", got, err, want)
	}
	want = sha256.Sum256(all[:8])
	if got, err := (Rows{Count: 2, Run: at(2), Result: result}).results(); err != nil ||
		!bytes.Equal(got, want[:]) {
		t.Errorf("two rows: %x, %v, want %x", got, err, want)
	}
	for name, r := range map[string]Rows{
		"an error":  {Run: at(Count - 1)},
		"not wrong": {Run: at(-1), Wrong: func(i int) bool { return i != Count-1 }},
	} {
		if _, err := r.results(); err == nil {
			t.Errorf("%s in the last row is not found", name)
		}
	}
}
