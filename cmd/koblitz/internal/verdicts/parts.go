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

// Parts writes the verdicts of a run that saves its state to several files. Each time the state is
// saved, the rows since the previous save become a new file: for v.jsonl, the files are
// v.00001.jsonl, v.00002.jsonl and so on. Parts implements state.Output.
//
// A part is first written under a temporary name that contains the run's id. Once the part is
// durable, the state is saved with the part's size and checksum. Then the part is renamed to its
// final name. So a file with the final name of a part is either listed in the state or belongs to
// another run, and no file of another run is replaced or removed.
type Parts struct {
	Name   string // the name from which the parts' names are made, such as v.jsonl
	Format Format
	Disk   durable.FS

	id      string      // the run's id
	parts   int         // number of complete parts
	unnamed bool        // the last complete part still has its temporary name
	part    *Part       // the part being written; nil if it has no row yet
	sum     *summedFile // the file of the current or last part
}

// Output returns v as a state.Output, or nil if v is nil.
func (v *Parts) Output() state.Output {
	if v == nil {
		return nil
	}
	return v
}

// partState is the data about one part (file of verdicts) in the saved state of a run.
type partState struct {
	Size int64  `json:"size"`
	Sum  string `json:"sum"` // SHA-256 in hexadecimal
}

// partName returns the final name of the part (file of verdicts) with the given number, from 1.
func (v *Parts) partName(number int) string {
	ending := filepath.Ext(v.Name)
	return fmt.Sprintf("%s.%05d%s", strings.TrimSuffix(v.Name, ending), number, ending)
}

// temporary returns the temporary name of the part (file of verdicts) with the given number.
func (v *Parts) temporary(number int) string {
	return temporaryName(v.partName(number), v.id)
}

// Names returns the names of all files that the run with the given id may have written. saved has
// an entry for each part that the run's state lists.
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

// Row adds a row. If writing fails, the next Save returns the error.
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

// Save completes the current part (file of verdicts) and makes it durable.
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

// Saved renames the last complete part (file of verdicts) to its final name.
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

// Resume checks that the parts (files of verdicts) in saved are unchanged on disk, and removes the
// file of a later, unsaved part. If it finds a part of another run, it returns an error.
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
		if !v.unnamed && there[filepath.Clean(temporary)] { // power was lost inside Saved
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

// compare returns an error if the size or the checksum of the file called name differs from s.
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

// partOf returns the number of the part (file of verdicts) that is called base, or 0 if base is not
// the name of a part.
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

// Drop removes the file of the unfinished part.
func (v *Parts) Drop() {
	if v != nil && v.part != nil {
		v.part.Discard()
	}
}

// The following methods implement the interface Files.

// Create creates a file that computes the checksum of the bytes written to it.
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

// A summedFile is a file that computes the checksum and the size of the bytes written to it.
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
