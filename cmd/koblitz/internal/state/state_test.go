package state

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable/forgetful"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// everyRecord has one of every kind, with text of every kind.
func everyRecord() []Record {
	where := rows.Where{File: "odd \xff\x00 name", Offset: 1, Line: 2, Row: -1, Block: 4, Index: -1,
		Tx: "0x01", Input: 6, Event: "07"}
	return []Record{
		{Failure: &check.Failure{Where: where, Kind: "p2pkh", Signature: 3, Verdict: rows.Malformed,
			Reason: "\u2028 <\"\\> \xed\xa0\x80"}},
		{Sender: &check.Sender{Where: rows.In("\ufffd"), Kind: "legacy", Address: [20]byte{1, 19: 2},
			Known: true}},
		{Unreadable: "f: \xf0 no such file"},
		{Input: &Input{Name: "\xff", Format: "nostr",
			Totals: check.Totals{Valid: 1, PassedOver: 1 << 60}}},
	}
}

// TestRecords writes records of any text and reads them back.
func TestRecords(t *testing.T) {
	disk := forgetful.New(-1)
	head := &Head{Version: "v", Options: map[string]string{"a": "\xff"},
		Inputs: []Identity{{Name: "\xfe"}}}
	run, s, err := Begin(disk, "dir/state", head, nil)
	if s != nil || err != nil {
		t.Fatal(s, err)
	}
	want := everyRecord()
	for _, r := range want {
		if err := run.Record(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Save(&State{Input: 7, Report: run.Recorded()}); err != nil {
		t.Fatal(err)
	}
	more := Record{Unreadable: "what came later does not count"}
	if err := run.Record(&more); err != nil {
		t.Fatal(err)
	}
	run, s, err = Begin(disk, "dir/state", head, nil)
	if err != nil || s == nil || s.Input != 7 {
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

// An output counts what Save was called for.
type output struct {
	saves   int
	resumed []string
}

func (o *output) Resume(saved json.RawMessage) error {
	o.resumed = append(o.resumed, string(saved))
	return nil
}

func (o *output) Save() (json.RawMessage, error) {
	o.saves++
	return json.RawMessage(fmt.Sprintf(`{"saves":%d}`, o.saves)), nil
}

// TestOutput: an output goes on behind what it had saved when the state was saved.
func TestOutput(t *testing.T) {
	disk := forgetful.New(-1)
	var o output
	run, _, err := Begin(disk, "state", &Head{}, &o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := run.Save(&State{Report: run.Recorded()}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := Begin(disk, "state", &Head{}, &o); err != nil {
		t.Fatal(err)
	}
	if want := []string{"", `{"saves":3}`}; !reflect.DeepEqual(o.resumed, want) {
		t.Errorf("%q, want %q", o.resumed, want)
	}
}

// TestIdentify: what is no file that holds still is refused or has an identity of its own.
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
