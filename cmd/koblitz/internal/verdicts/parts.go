package verdicts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
)

// Parts are the files of verdicts of a run with a state: whenever the state is saved, the
// rows since the last time become a file of their own, v.00001.jsonl, v.00002.jsonl and so on for
// v.jsonl. It is the state.Output of the run.
//
// A part is written under a name that has the run's id in it. Once it is durable the state is
// saved with its size and checksum, and after that it gets its name. So a file with the name of a
// part is either in the state or another's, and no file is replaced or removed that the run has
// not made.
type Parts struct {
	Name   string // of the files together
	Format Format
	Disk   durable.FS

	id      string      // of the run
	parts   int         // that are complete
	unnamed bool        // the last of them has no name yet
	part    *Part       // which follows; nil: no row since
	sum     *summedFile // of part
}

// Output is v for package state; nil if there are no parts.
func (v *Parts) Output() state.Output {
	if v == nil {
		return nil
	}
	return v
}

// partState is what a state keeps of a part.
type partState struct {
	Size int64  `json:"size"`
	Sum  string `json:"sum"` // SHA-256
}

// partName is the name of the part with that number, from 1 on.
func (v *Parts) partName(number int) string {
	ending := filepath.Ext(v.Name)
	return fmt.Sprintf("%s.%05d%s", strings.TrimSuffix(v.Name, ending), number, ending)
}

// temporary is the name that the part has first.
func (v *Parts) temporary(number int) string {
	return temporaryName(v.partName(number), v.id)
}

// Names are the names of the files of the run with that id, which has saved so many parts.
func (v *Parts) Names(id string, saved []json.RawMessage) (names []string) {
	if id == "" {
		return nil
	}
	v.id = id
	for number := range len(saved) {
		names = append(names, v.partName(number+1))
	}
	return append(names, v.temporary(len(saved)), v.temporary(len(saved)+1))
}

// Row adds a row. If it cannot be written, the next Save fails.
func (v *Parts) Row(r *check.Row) {
	if v.part == nil {
		number := v.parts + 1
		part, err := createAs(v.partName(number), v.temporary(number), v.Format, v)
		if err != nil {
			part = &Part{err: err}
		}
		v.part = part
	}
	v.part.Write(r)
}

// Save makes the rows since the last call durable.
func (v *Parts) Save() (json.RawMessage, error) {
	if v.part == nil {
		return nil, nil
	}
	err := v.part.Finish()
	v.part = nil
	if err == nil {
		err = v.SyncFolder(v.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("--verdicts: %w", err)
	}
	v.parts++
	v.unnamed = true
	return json.Marshal(v.sum.state())
}

// Saved gives the last part its name.
func (v *Parts) Saved() error {
	if !v.unnamed {
		return nil
	}
	v.unnamed = false
	name := v.partName(v.parts)
	err := v.Disk.Move(v.temporary(v.parts), name)
	if errors.Is(err, fs.ErrExist) {
		return v.isThere(name)
	}
	if err == nil {
		err = v.SyncFolder(name)
	}
	if err != nil {
		return fmt.Errorf("--verdicts: %w", err)
	}
	return nil
}

func (v *Parts) isThere(name string) error {
	return state.Refusedf("--verdicts: %s is there already, and not of this run; remove it, or name "+
		"another file", name)
}

// Resume compares the parts that were saved with what is there, and removes what is left of one
// that was not. If there is a part of another run that is an error.
func (v *Parts) Resume(id string, saved []json.RawMessage) error {
	v.id, v.parts = id, len(saved)
	folder := filepath.Dir(v.Name)
	names, err := v.Disk.List(folder)
	if err != nil {
		return fmt.Errorf("--verdicts: %w", err)
	}
	there := map[string]bool{}
	for _, base := range names {
		there[filepath.Join(folder, base)] = true
		if number := v.partOf(base); number > v.parts {
			return v.isThere(filepath.Join(folder, base))
		}
	}
	for i, text := range saved {
		var s partState
		if err := json.Unmarshal(text, &s); err != nil {
			return fmt.Errorf("--verdicts: what the state says of part %d: %w", i+1, err)
		}
		name, temporary := v.partName(i+1), v.temporary(i+1)
		v.unnamed = i+1 == v.parts && !there[filepath.Clean(name)] && there[filepath.Clean(temporary)]
		if v.unnamed {
			name = temporary
		}
		if err := v.compare(name, &s); err != nil {
			return fmt.Errorf("--verdicts: %s is not as it was written: %w", name, err)
		}
		if !v.unnamed && there[filepath.Clean(temporary)] { // power was lost between the two names
			if err := v.Disk.Remove(temporary); err != nil {
				return fmt.Errorf("--verdicts: %w", err)
			}
		}
	}
	if rest := v.temporary(v.parts + 1); there[filepath.Clean(rest)] {
		if err := v.Disk.Remove(rest); err != nil {
			return fmt.Errorf("--verdicts: %w", err)
		}
	}
	return v.Saved()
}

// compare returns an error if the file of that name is not the one that s describes.
func (v *Parts) compare(name string, s *partState) error {
	f, err := v.Disk.Open(name)
	if durable.Missing(err) {
		return errors.New("it is not there any more")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	if size != s.Size {
		return fmt.Errorf("it has %d bytes, and had %d", size, s.Size)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != s.Sum {
		return fmt.Errorf("its SHA-256 is %s, and was %s", got, s.Sum)
	}
	return nil
}

// partOf is the number of the part that has the name base, or 0.
func (v *Parts) partOf(base string) (number int) {
	ending := filepath.Ext(v.Name)
	digits, ok := strings.CutPrefix(base, strings.TrimSuffix(filepath.Base(v.Name), ending)+".")
	digits, cut := strings.CutSuffix(digits, ending)
	if !ok || !cut {
		return 0
	}
	if _, err := fmt.Sscanf(digits, "%d", &number); err != nil || number < 1 ||
		filepath.Base(v.partName(number)) != base {
		return 0
	}
	return number
}

// Drop removes the part that is being written.
func (v *Parts) Drop() {
	if v != nil && v.part != nil {
		v.part.Discard()
	}
}

// The following methods make v the Files of its parts.

// Create makes a file and begins its checksum.
func (v *Parts) Create(name string) (File, error) {
	f, err := v.Disk.Create(name)
	if err != nil {
		return nil, err
	}
	v.sum = &summedFile{File: f, sum: sha256.New()}
	return v.sum, nil
}

func (v *Parts) Rename(from, to string) error { return v.Disk.Rename(from, to) }

func (v *Parts) Remove(name string) error { return v.Disk.Remove(name) }

func (v *Parts) SyncFolder(name string) error { return v.Disk.SyncDir(filepath.Dir(name)) }

// A summedFile is a file that is being written, with a checksum of what was written to it.
type summedFile struct {
	durable.File
	sum  hash.Hash
	size int64
}

func (f *summedFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	f.sum.Write(b[:n])
	f.size += int64(n)
	return n, err
}

func (f *summedFile) state() partState {
	return partState{f.size, hex.EncodeToString(f.sum.Sum(nil))}
}
