package state

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"errors"
	"hash"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable/forgetful"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// everyRecord returns a record of every type, with valid and invalid UTF-8.
func everyRecord() []Record {
	where := reading.Where{File: "odd \xff\x00 name", Offset: 1, Line: 2, Row: -1, Block: 4, Index: -1,
		Tx: "0x01", Input: 6, Event: "07"}
	return []Record{
		{Row: &verify.Row{Where: where, Kind: "p2pkh", Signature: 3, Verdict: reading.Malformed,
			Reason: "\u2028 <\"\\> \xed\xa0\x80"}},
		{Row: &verify.Row{Where: reading.In("\ufffd"), Kind: "legacy", Verdict: reading.Valid,
			Sender: [20]byte{1, 19: 2}, Recovered: true}},
		{Unreadable: "f: \xf0 no such file"},
		{Input: &Input{File: "\xff", Format: "nostr",
			Counts: verify.Counts{Valid: 1, PassedOver: 1 << 60},
			Chain: &reading.Blocks{Network: "bitcoin mainnet", Count: 2, First: new(int64),
				Last: new(int64), Tip: "00ff"},
			Content: Content{1 << 50, "00", "gzip"},
			With:    []File{{"\xfe.spent", Content{Bytes: 3}}}}},
	}
}

// TestRecords checks that records with any text, also invalid UTF-8, are read back as written.
func TestRecords(t *testing.T) {
	disk := forgetful.New(-1)
	head := &Head{Version: "v", Options: map[string]string{"a": "\xff"},
		Inputs: []Identity{{Name: "\xfe"}}}
	run, s, err := Begin(t.Context(), disk, "dir/state", head, "")
	if err != nil || s.Input != 0 {
		t.Fatal(s, err)
	}
	want := everyRecord()
	for _, r := range want {
		if err := run.Record(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Reached(); err != nil {
		t.Fatal(err)
	}
	more := Record{Unreadable: "what came later does not count"}
	for range 3 { // Reached is not called for these records
		if err := run.Record(&more); err != nil {
			t.Fatal(err)
		}
		if err := run.Save(&State{Input: 7}); err != nil {
			t.Fatal(err)
		}
	}
	for range 5000 { // more than is buffered
		if err := run.Record(&more); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()
	run, s, err = Begin(t.Context(), disk, "dir/state", head, "")
	if err != nil || s.Input != 7 {
		t.Fatal(s, err)
	}
	var got []Record
	if err := run.Replay(func(r *Record) { got = append(got, *r) }); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestOutput checks that a run that resumes has the output of the last save, and that a file is
// refused, and stays as it is, if it belongs to another run or is not as it was saved.
func TestOutput(t *testing.T) {
	disk := forgetful.New(-1)
	begin := func() (*Run, error) {
		run, _, err := Begin(t.Context(), disk, "state", &Head{}, "output")
		if err != nil {
			return nil, err
		}
		return run, nil
	}
	put := func(text string) {
		disk.Remove("output")
		f, err := disk.Create("output")
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(text))
	}
	put("another's")
	var refused durable.RefusedError
	if _, err := begin(); !errors.As(err, &refused) {
		t.Error(err)
	}
	put("") // an empty file is filled
	const want = "one two three "
	for i, text := range strings.SplitAfter(want, " ")[:3] {
		run, err := begin()
		if err != nil {
			t.Fatal(err)
		}
		if run.Output.Empty() != (i == 0) {
			t.Errorf("the output is empty: %v", run.Output.Empty())
		}
		run.Output.WriteString(text)
		if err := run.Reached(); err != nil {
			t.Fatal(err)
		}
		run.Output.WriteString(strings.Repeat("it does not count", 5000))
		if err := run.Save(&State{Done: i == 2}); err != nil {
			t.Fatal(err)
		}
		run.Output.WriteString(strings.Repeat("nor does this", 10000))
		run.Close()
		if i == 2 {
			disk.Remove("output")
			put(want)
		}
	}
	if got, err := disk.ReadFile("output"); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Begin(cancelled, disk, "state", &Head{}, "output"); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	for _, text := range []string{"", want[1:], "O" + want[1:], want + "more"} {
		put(text)
		if _, err := begin(); err == nil || errors.As(err, &refused) ||
			!strings.Contains(err.Error(), "output is not as it was written") {
			t.Errorf("%q: %v", text, err)
		}
		if got, err := disk.ReadFile("output"); err != nil || string(got) != text {
			t.Errorf("%q has become %q, %v", text, got, err)
		}
	}
}

// TestIdentify checks that a folder and an absent file have identities without content, and that
// IdentifyFolder finds one.
func TestIdentify(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{dir, filepath.Join(dir, "none")} {
		if id, err := Identify(name); err != nil || id != (Identity{Name: name}) {
			t.Errorf("%+v, %v", id, err)
		}
	}
	if empty := IdentifyFolder(dir, nil); empty.Ends == "" {
		t.Errorf("%+v", empty)
	}
}

// TestDamage changes each byte of a state file in several ways and truncates the file at every
// length. It checks that reading gives an error, or the progress that an earlier mark (line with
// progress) holds, with the records before that mark.
func TestDamage(t *testing.T) {
	disk := forgetful.New(-1)
	head := &Head{Version: "v", Options: map[string]string{}}
	run, _, err := Begin(t.Context(), disk, "state", head, "")
	if err != nil {
		t.Fatal(err)
	}
	records := everyRecord()
	for i := range records {
		if err := run.Record(&records[i]); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(run.Reached(), run.Save(&State{Input: i + 1})); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()
	data, err := disk.ReadFile("state")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	lastMark := bytes.LastIndex(data, []byte("\n"+markText)) + 1
	try := func(data []byte) (inputs int, err error) {
		disk := forgetful.New(-1)
		f, err := disk.Create("state")
		if err != nil {
			t.Fatal(err)
		}
		f.Write(data)
		run, s, err := Begin(t.Context(), disk, "state", head, "")
		after, rerr := disk.ReadFile("state")
		if rerr != nil {
			t.Fatal(rerr)
		}
		if err != nil {
			if !bytes.Equal(after, data) {
				t.Fatal("a file that is refused was changed")
			}
			return 0, err
		}
		var got []Record
		if err := run.Replay(func(r *Record) { got = append(got, *r) }); err != nil {
			t.Fatal(err)
		}
		if s.Input != len(got) || !reflect.DeepEqual(got, append([]Record(nil), records[:s.Input]...)) {
			t.Fatalf("%d inputs, and %+v", s.Input, got)
		}
		return s.Input, nil
	}
	if n, err := try(data); n != len(records) || err != nil {
		t.Fatal(n, err)
	}
	for i := 0; i < len(data); i += 3 {
		for _, c := range []byte{data[i] ^ 1, data[i] ^ 0x40, '\n', 'x'} {
			damaged := bytes.Clone(data)
			damaged[i] = c
			// If the last line is no longer a complete mark, the run goes on from the mark before.
			last := i == len(data)-1 || i >= lastMark && i < lastMark+len(markText)
			if _, err := try(damaged); c != data[i] && err == nil && !last {
				t.Fatalf("byte %d is %q in place of %q, and nothing is said", i, c, data[i])
			}
		}
		if n, err := try(data[:i]); err != nil || n == len(records) {
			t.Fatalf("%d bytes are left: %d inputs, %v", i, n, err)
		}
		zeros := bytes.Clone(data)
		clear(zeros[i:])
		if i < len(magic) {
			continue // such a file is refused
		}
		if n, err := try(zeros); err != nil || n == len(records) {
			t.Fatalf("zeros from byte %d: %d inputs, %v", i, n, err)
		}
	}
	for i := range len(lines) - 2 { // swaps two lines, or removes one
		swapped := slices.Clone(lines)
		swapped[i], swapped[i+1] = lines[i+1], lines[i]
		if _, err := try(bytes.Join(swapped, nil)); err == nil {
			t.Errorf("lines %d and %d are swapped, and nothing is said", i+1, i+2)
		}
		if _, err := try(bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil)); err == nil {
			t.Errorf("line %d is left out, and nothing is said", i+1)
		}
	}
}

// TestForeign checks that a file of another format is refused and stays unchanged.
func TestForeign(t *testing.T) {
	old := strings.Replace(magic, "7", "6", 1)
	if !IsState([]byte(old)) || IsState([]byte(old[1:])) {
		t.Error("a state of another form is one too")
	}
	for _, text := range []string{old, "s", "state", "{}", "\x00x", " ", "\n", magic[1:],
		strings.Repeat("\x00", 1<<10), strings.Repeat("\x00", 8),
		`{"kind":"state of koblitz check, form 1","head":""}`} {
		disk := forgetful.New(-1)
		f, err := disk.Create("state")
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(text))
		var refused durable.RefusedError
		if _, _, err := Begin(t.Context(), disk, "state", &Head{}, ""); !errors.As(err, &refused) {
			t.Errorf("%.20q: %v", text, err)
		}
		if after, err := disk.ReadFile("state"); err != nil || string(after) != text {
			t.Errorf("%.20q: the file has changed: %.20q, %v", text, after, err)
		}
	}
}

// TestPositionClone checks that a position needs no hash.Cloner: with GOFIPS140=v1.0.0, SHA-256 is
// none.
func TestPositionClone(t *testing.T) {
	h := sha256.New()
	h.Write([]byte("before"))
	p := position{6, struct {
		hash.Hash
		encoding.BinaryMarshaler
	}{h, h.(encoding.BinaryMarshaler)}}
	want := sha256.Sum256([]byte("before and after"))
	for range 2 {
		if got := p.sumWith([]byte(" and after")); !bytes.Equal(got, want[:]) {
			t.Errorf("%x, want %x", got, want)
		}
	}
}
