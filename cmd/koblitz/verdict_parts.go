package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verdicts"
)

// verdictParts are the files of verdicts of a run with a state: whenever the state is saved, the
// rows since the last time become a file of their own, v.00001.jsonl, v.00002.jsonl and so on for
// v.jsonl. The files that a state counts are whole, and hold the rows up to its place.
// It is the state.Output of the run.
type verdictParts struct {
	name   string
	format verdicts.Format
	disk   durable.FS

	parts int            // that have their names
	part  *verdicts.Part // which follows; nil: no row since
}

// output is v for package state; nil if there are no parts.
func (v *verdictParts) output() state.Output {
	if v == nil {
		return nil
	}
	return v
}

// partState is what a state keeps.
type partState struct {
	Parts int `json:"parts"`
}

// partName is the name of the part with that number, from 1 on.
func (v *verdictParts) partName(number int) string {
	ending := filepath.Ext(v.name)
	return fmt.Sprintf("%s.%05d%s", strings.TrimSuffix(v.name, ending), number, ending)
}

// row adds a row. If it cannot be written, the next Save fails.
func (v *verdictParts) row(r *check.Row) {
	if v.part == nil {
		part, err := verdicts.Create(v.partName(v.parts+1), v.format, partFiles{v.disk})
		if err != nil {
			part = verdicts.Failed(err)
		}
		v.part = part
	}
	v.part.Write(r)
}

// Save gives the rows since the last call a file.
func (v *verdictParts) Save() (json.RawMessage, error) {
	if v.part != nil {
		err := v.part.Commit()
		v.part = nil
		if err != nil {
			return nil, fmt.Errorf("--verdicts: %w", err)
		}
		v.parts++
	}
	return json.Marshal(partState{v.parts})
}

// Resume removes the part that got its name after the state was saved, and what is left of parts
// that have none. A run that begins finds no part: one that is there belongs to another run.
func (v *verdictParts) Resume(saved json.RawMessage) error {
	var s partState
	if saved != nil {
		if err := json.Unmarshal(saved, &s); err != nil || s.Parts < 0 {
			return errors.New("the state does not say how many parts of --verdicts there are")
		}
	}
	v.parts = s.Parts
	folder := filepath.Dir(v.name)
	names, err := v.disk.List(folder)
	if err != nil {
		return fmt.Errorf("--verdicts: %w", err)
	}
	next := v.partName(v.parts + 1)
	there := 0
	for _, base := range names {
		number, temporary := v.partOf(base)
		name := filepath.Join(folder, base)
		switch {
		case number > 0 && number <= v.parts && !temporary:
			there++
			continue
		case number == 0:
			continue
		case !temporary && (saved == nil || name != filepath.Clean(next)):
			return fmt.Errorf("--verdicts: %s is there already, and not of this run; remove it, "+
				"or name another file", name)
		}
		if err := v.disk.Remove(name); err != nil {
			return fmt.Errorf("--verdicts: %w", err)
		}
	}
	if there < v.parts {
		return fmt.Errorf("--verdicts: the state counts %d parts, and %d of them are there", v.parts,
			there)
	}
	return nil
}

// partOf is the number of the part that has the name base, or 0. temporary is true for the name of
// a part that is being written.
func (v *verdictParts) partOf(base string) (number int, temporary bool) {
	if hidden, ok := strings.CutSuffix(base, ".tmp"); ok && strings.HasPrefix(hidden, ".") {
		hidden = hidden[1:]
		end := strings.LastIndexByte(hidden, '.')
		if end < 0 {
			return 0, false
		}
		base, temporary = hidden[:end], true
	}
	ending := filepath.Ext(v.name)
	digits, ok := strings.CutPrefix(base, strings.TrimSuffix(filepath.Base(v.name), ending)+".")
	digits, cut := strings.CutSuffix(digits, ending)
	if !ok || !cut {
		return 0, false
	}
	if _, err := fmt.Sscanf(digits, "%d", &number); err != nil || number < 1 ||
		filepath.Base(v.partName(number)) != base {
		return 0, false
	}
	return number, temporary
}

// drop removes the part that is being written.
func (v *verdictParts) drop() {
	if v != nil && v.part != nil {
		v.part.Discard()
	}
}

// partFiles are the files of a disk, for a verdicts.Part.
type partFiles struct{ disk durable.FS }

func (p partFiles) Create(name string) (verdicts.File, error) { return p.disk.Create(name) }

func (p partFiles) Rename(from, to string) error { return p.disk.Rename(from, to) }

func (p partFiles) Remove(name string) error { return p.disk.Remove(name) }

func (p partFiles) SyncFolder(name string) error { return p.disk.SyncDir(filepath.Dir(name)) }
