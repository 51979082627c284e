//go:build linux && !race

package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// tableHeader is the first line of the CSV tables in this file.
const tableHeader = "message,key,signature\n"

// textBombs are hostile inputs: text tables, lists of events, and files with surplus bytes between
// their records.
var textBombs = []bomb{
	{"newlines", "columns-bip340", func(f *feed) {
		f.Text(tableHeader)
		f.Times(f.Size(64<<20), "\n")
	}, cli.ExitUnreadable, "a table without rows", nil},
	{"a long header", "columns-bip340", func(f *feed) { f.Times(f.Size(64<<20), "x") },
		cli.ExitUnreadable, "stdin:1: the row is longer than 1 MiB", nil},
	{"long rows", "columns-bip340", func(f *feed) {
		f.Text(tableHeader)
		for range f.Size(32) {
			f.Times(1<<20, "x")
			f.Text("\n")
		}
		f.Times(f.Size(64<<20), "x")
	}, cli.ExitInvalid, "1 fields, and the header has 3|malformed: the row is longer than 1 MiB", nil},
	{"long objects", "columns-bip340", func(f *feed) {
		for range f.Size(32) {
			f.Text(`{"message":"`)
			f.Times(2<<20, "x")
			f.Text("\"}\n")
		}
	}, cli.ExitInvalid, "malformed      {32}\n|the row is longer than 1 MiB", nil},
	{"many columns", "columns-bip340", func(f *feed) {
		f.Text(tableHeader)
		f.Times(1<<20-100, ",")
		f.Text("\n")
		for range f.Size(256) { // rows with as many commas as check accepts
			f.Times(1<<15, ",")
			f.Text("\n")
		}
	}, cli.ExitInvalid, "32769 fields, and the header has 3|more than 32768 " +
		"commas", nil},
	{"a header of many columns", "columns-bip340", func(f *feed) {
		f.Times(1<<20-100, ",")
		f.Text("\n")
	}, cli.ExitUnreadable, "more than 32768 commas", nil},
	{"many names", "columns-bip340", func(f *feed) {
		for range f.Size(16) {
			f.Text(`{"message":1`)
			for i := range 80_000 {
				f.Text(`,"` + names[i%len(names)] + names[i/len(names)%len(names)] +
					names[i/len(names)/len(names)] + `":0`)
			}
			f.Text("}\n")
		}
	}, cli.ExitInvalid, "malformed      {16}\n|column \"message\": a number instead of a string",
		nil},
	{"nested objects", "columns-bip340", func(f *feed) {
		for range f.Size(32) {
			f.Times(200_000, `{"x":`)
			f.Text("\n")
		}
	}, cli.ExitInvalid, "malformed      {32}\n", nil},
	{"bad rows, all listed", "columns-bip340", func(f *feed) {
		f.Text(tableHeader)
		f.Times(f.Size(1<<18), "a,b,c\n")
	}, cli.ExitInvalid, "malformed      {262144}\n", []string{"--max-failures", "-1"}},
	{"a list", "auto", func(f *feed) {
		f.Text("[\n")
		f.List(f.Size(1<<18), " {\"id\": 1, \"pubkey\": 1, \"sig\": 1}\n")
		f.Text("]")
	}, cli.ExitInvalid, "malformed      {262144}\n", nil},
	{"lists in a list", "auto", func(f *feed) {
		f.Text("[\n {\"id\": 1, \"pubkey\": 1, \"sig\": 1}")
		for range f.Size(32) {
			f.Text(",\n[")
			f.List(1<<16, "{}")
			f.Text("]")
		}
		f.Text("]")
	}, cli.ExitInvalid, "malformed      ", nil},
	{"long values", "auto", func(f *feed) {
		f.Text("[\n {\"id\": 1, \"pubkey\": 1, \"sig\": 1}")
		for range f.Size(8) {
			f.Text(",\n{\"content\": \"")
			f.Times(8<<20, "x")
			f.Text("\"}")
		}
		f.Text("]")
	}, cli.ExitInvalid, "malformed      ", nil},
	{"a value without end", "auto", func(f *feed) {
		f.Text("[\n {\"id\": 1, \"pubkey\": 1, \"sig\": 1},\n{\"content\": \"")
		f.Times(f.Size(64<<20), "x")
	}, cli.ExitInvalid, "malformed      ", nil},
	{"lists on lines", "nostr", func(f *feed) {
		for range f.Size(32) {
			f.Text("[")
			f.List(1<<16, "{}")
			f.Text("]\n")
		}
	}, cli.ExitInvalid, "malformed      {2097152}\n", nil},
}

// names lists characters: enough for 80,000 column names of three characters.
var names = strings.Split("abcdefghijklmnopqrstuvwxyz0123456789!#$%&()*", "")

// TestMemoryOfKeptRows checks that the memory budget of a run counts the bytes of valid rows until
// --keep has written them.
func TestMemoryOfKeptRows(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	long := commandtest.SignedEvent(t, 1, strings.Repeat("x", 2<<20-500)) + "\n"
	short := commandtest.SignedEvent(t, 2, "a") + "\n"
	row := string(commandtest.ECDSARow(t, 1))
	for _, b := range []bomb{
		{"long lines", "nostr", func(f *feed) { f.Times(f.Size(64), long) }, cli.ExitOK,
			"kept           {64}", nil},
		{"long values", "auto", func(f *feed) {
			f.Text("[\n")
			f.List(f.Size(64), long)
			f.Text("]")
		}, cli.ExitOK, "kept           {64}", nil},
		{"lines", "nostr", func(f *feed) { f.Times(f.Size(1<<17), short) }, cli.ExitOK,
			"kept           {131072}", nil},
		{"rows", "packed-ecdsa", func(f *feed) { f.Times(f.Size(1<<16), row) }, cli.ExitOK,
			"kept           {65536}", nil},
	} {
		b.args = []string{"--keep", filepath.Join(t.TempDir(), "out")}
		t.Run(b.format+"/"+b.name, b.explode)
	}
}

// TestMemoryOfOutputs checks that the verdict file and the state file of a run with many bad rows
// are written during the run, instead of being kept in memory.
func TestMemoryOfOutputs(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	for _, ending := range []string{".jsonl", ".csv"} {
		dir := t.TempDir()
		rows := (&clitest.Feed{Short: !deep()}).Size(1 << 18)
		file := write(t, filepath.Join(dir, "rows.file"), []byte(strings.Repeat("\xff", 129*rows)))
		for _, args := range [][]string{{"--state", filepath.Join(dir, "state")}, nil} {
			b := bomb{"verdicts", "packed-ecdsa", func(*feed) {}, cli.ExitInvalid,
				"malformed      {262144}\n", append([]string{"--max-failures", "-1", "--verdicts",
					filepath.Join(dir, "v"+ending)}, append(args, file)...)}
			t.Run(strings.TrimPrefix(ending, ".")+strings.Join(args[:min(1, len(args))], ""), b.explode)
		}
	}
}
