package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable/forgetful"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// everyRecord returns a record of every type, with valid and invalid UTF-8.
func everyRecord() []Record {
	where := rows.Where{File: "odd \xff\x00 name", Offset: 1, Line: 2, Row: -1, Block: 4, Index: -1,
		Tx: "0x01", Input: 6, Event: "07"}
	return []Record{
		{Row: &check.Row{Where: where, Kind: "p2pkh", Signature: 3, Verdict: rows.Malformed,
			Reason: "\u2028 <\"\\> \xed\xa0\x80"}},
		{Row: &check.Row{Where: rows.In("\ufffd"), Kind: "legacy", Verdict: rows.Valid,
			Sender: [20]byte{1, 19: 2}, Recovered: true}},
		{Unreadable: "f: \xf0 no such file"},
		{Input: &Input{Name: "\xff", Format: "nostr",
			Totals: check.Totals{Counts: check.Counts{Valid: 1, PassedOver: 1 << 60}},
			Blocks: rows.Blocks{Network: "bitcoin mainnet", Count: 2, Heights: true, Last: 1 << 40,
				Tip: "00ff"},
			Content: Content{1 << 50, "00"},
			With:    []File{NewFile("\xfe.spent", Content{Bytes: 3})}}},
	}
}

// TestRecords checks that records with any text, also invalid UTF-8, are read back as written.
func TestRecords(t *testing.T) {
	disk := forgetful.New(-1)
	head := &Head{Version: "v", Options: map[string]string{"a": "\xff"},
		Inputs: []Identity{{Name: "\xfe"}}}
	run, s, err := Begin(disk, "dir/state", head, nil)
	if err != nil || s.Input != 0 {
		t.Fatal(s, err)
	}
	want := everyRecord()
	for _, r := range want {
		if err := run.Record(&r); err != nil {
			t.Fatal(err)
		}
	}
	run.Reached()
	more := Record{Unreadable: "what came later does not count"}
	for range 3 { // Reached is not called for these records
		if err := run.Record(&more); err != nil {
			t.Fatal(err)
		}
		if err := run.Save(&State{Input: 7}); err != nil {
			t.Fatal(err)
		}
	}
	for range bufferSize / 20 {
		if err := run.Record(&more); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()
	run, s, err = Begin(disk, "dir/state", head, nil)
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

// An output is an Output that counts calls and records the arguments of Resume.
type output struct {
	saves, saved int
	resumed      []string
}

func (o *output) Resume(id string, saved []json.RawMessage) error {
	o.resumed = append(o.resumed, fmt.Sprintf("%s", saved))
	return nil
}

func (o *output) Saved() error {
	o.saved++
	return nil
}

func (o *output) Save() (json.RawMessage, error) {
	o.saves++
	return json.RawMessage(fmt.Sprintf(`{"saves":%d}`, o.saves)), nil
}

// TestOutput checks that Resume receives the results of all earlier calls of Save.
func TestOutput(t *testing.T) {
	disk := forgetful.New(-1)
	var o output
	run, _, err := Begin(disk, "state", &Head{}, &o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := run.Save(&State{}); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()
	if _, _, err := Begin(disk, "state", &Head{}, &o); err != nil {
		t.Fatal(err)
	}
	if want := []string{"[]", `[{"saves":1} {"saves":2}]`}; !reflect.DeepEqual(o.resumed, want) ||
		o.saved != 2 {
		t.Errorf("%q, want %q; %d", o.resumed, want, o.saved)
	}
}

// TestIdentify checks that Identify refuses a pipe or device, and that folders and absent files
// have identities of their own.
func TestIdentify(t *testing.T) {
	dir := t.TempDir()
	absent, err := Identify(filepath.Join(dir, "none"))
	if err != nil || !absent.Absent {
		t.Errorf("%+v, %v", absent, err)
	}
	if folder, err := Identify(dir); err != nil || !folder.Absent {
		t.Errorf("%+v, %v", folder, err)
	}
	if empty := IdentifyFolder(dir, nil); empty.Absent || empty.Ends == "" {
		t.Errorf("%+v", empty)
	}
}

// TestDamage changes each byte of a state file in several ways and truncates the file at every
// length. It checks that reading gives an error, or the progress that an earlier mark (line with
// progress) holds, with the records before that mark.
func TestDamage(t *testing.T) {
	disk := forgetful.New(-1)
	head := &Head{Version: "v", Options: map[string]string{}}
	run, _, err := Begin(disk, "state", head, nil)
	if err != nil {
		t.Fatal(err)
	}
	records := everyRecord()
	for i := range records {
		if err := run.Record(&records[i]); err != nil {
			t.Fatal(err)
		}
		run.Reached()
		if err := run.Save(&State{Input: i + 1}); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()
	data, err := disk.ReadFile("state")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	try := func(data []byte) (inputs int, err error) {
		disk := forgetful.New(-1)
		f, err := disk.Create("state")
		if err != nil {
			t.Fatal(err)
		}
		f.Write(data)
		run, s, err := Begin(disk, "state", head, nil)
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
			last := i == len(data)-1 // the change makes the last line incomplete
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
			zeros = zeros[:len(magic)]
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
	for _, text := range []string{"s", "state", "{}", "\x00x", " ", "\n", magic[1:],
		strings.Repeat("\x00", 1<<10), strings.Repeat("\x00", 8),
		`{"kind":"state of koblitz check, form 1","head":""}`} {
		disk := forgetful.New(-1)
		f, err := disk.Create("state")
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(text))
		var refused RefusedError
		if _, _, err := Begin(disk, "state", &Head{}, nil); !errors.As(err, &refused) {
			t.Errorf("%.20q: %v", text, err)
		}
		if after, err := disk.ReadFile("state"); err != nil || string(after) != text {
			t.Errorf("%.20q: the file has changed: %.20q, %v", text, after, err)
		}
	}
}
