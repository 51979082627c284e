package verdicts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// steps implements durable.FS on disk. It records each operation. The field left is the number of
// operations up to and including the one that fails.
type steps struct {
	durable.OS
	left int
	done []string
}

var errStep = errors.New("this step fails")

func (s *steps) step(name string) error {
	s.done = append(s.done, name)
	if s.left--; s.left == 0 {
		return errStep
	}
	return nil
}

func (s *steps) Create(name string) (durable.File, error) {
	if err := s.step("create"); err != nil {
		return nil, err
	}
	f, err := s.OS.Create(name)
	return &stepFile{f, s}, err
}

func (s *steps) Rename(from, to string) error {
	if err := s.step("rename"); err != nil {
		return err
	}
	return s.OS.Rename(from, to)
}

func (s *steps) SyncDir(name string) error {
	if err := s.step("sync folder"); err != nil {
		return err
	}
	return s.OS.SyncDir(name)
}

type stepFile struct {
	durable.File
	s *steps
}

func (f *stepFile) Write(b []byte) (int, error) {
	if err := f.s.step("write"); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

func (f *stepFile) Sync() error {
	if err := f.s.step("sync"); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *stepFile) Close() error {
	err := f.File.Close()
	if e := f.s.step("close"); e != nil {
		return e
	}
	return err
}

// TestSteps makes each file operation fail in turn. It checks that the error is returned, that the
// final name holds the complete old or new file, and that no temporary file remains. Each row is
// for two signatures, and the file has a row for each.
func TestSteps(t *testing.T) {
	row := verify.Row{Where: reading.In("a file"), Verdict: reading.Invalid,
		Reason: "a \x1b reason, \"quoted\"", Count: 2}
	for format, second := range map[Format]string{JSONL: `"signature":2,`, CSV: ",2,invalid,"} {
		var whole string
		for n := 0; ; n++ { // with n = 0, every operation succeeds
			dir := t.TempDir()
			name := filepath.Join(dir, "v")
			if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := &steps{left: n}
			p, err := durable.NewPending(s, name)
			if err == nil {
				w := NewWriter(p.Writer, format, false)
				for i := range 10 {
					row.Where.Row = int64(i)
					w.Write(&row)
				}
				err = p.Commit()
			}
			data, readErr := os.ReadFile(name)
			left, dirErr := os.ReadDir(dir)
			if readErr != nil || dirErr != nil {
				t.Fatal(readErr, dirErr)
			}
			if n == 0 {
				whole = string(data)
				want := fmt.Sprint([]string{"create", "write", "sync", "close", "rename", "sync folder"})
				if fmt.Sprint(s.done) != want || err != nil || strings.Count(whole, second) != 10 ||
					strings.Count(whole, "\n") < 20 {
					t.Fatalf("%s: %v, %v, %q", format, s.done, err, whole)
				}
				continue
			}
			if err == nil && s.left > 0 { // there are fewer than n operations
				break
			}
			renamed := s.done[len(s.done)-1] == "sync folder"
			if !errors.Is(err, errStep) || len(left) != 1 || (string(data) != "old") != renamed ||
				renamed && string(data) != whole {
				t.Errorf("%s, step %d of %v: %v, %d files, %q", format, n, s.done, err, len(left), data)
			}
		}
	}
}

// TestFormatOf checks that FormatOf returns the format of each known file extension, and an error
// for other extensions.
func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{"a.jsonl": JSONL, "a.b.CSV": CSV, "x/a.parquet": "",
		"a.ndjson": JSONL, "a": "", "a.json": "", "a.csv.gz": ""} {
		if got, err := FormatOf(name); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
