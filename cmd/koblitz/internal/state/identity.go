package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// An Identity is by what a changed input is told. What changes a file and leaves its size, the
// time of its last change and both its ends as they were is not seen.
type Identity struct {
	Name     text   `json:"name"`
	Absent   bool   `json:"absent,omitempty"` // it cannot be opened
	Size     int64  `json:"size,omitempty"`
	Modified string `json:"modified,omitempty"` // to the nanosecond, in UTC
	// Ends is the SHA-256 of the first and the last endSize bytes; of a folder that of a list of
	// files in it.
	Ends string `json:"ends,omitempty"`
}

// endSize is how much of each end of a file is looked at.
const endSize = 64 << 10

// Identify looks at a file. A folder, and what cannot be opened, has an identity too: reading it is
// an error of the run. For a pipe or a device, which cannot be read twice, there is an error.
func Identify(name string) (Identity, error) {
	id := Identity{Name: text(name)}
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return id, fmt.Errorf("%s is not a file: it cannot be read a second time", name)
	}
	f, err := os.Open(name)
	if err != nil || info == nil || info.IsDir() {
		f.Close()
		return Absent(name), nil
	}
	defer f.Close()
	id.Size, id.Modified = info.Size(), modified(info)
	sum := sha256.New()
	for _, from := range []int64{0, max(endSize, id.Size-endSize)} {
		_, err := io.Copy(sum, io.NewSectionReader(f, from, endSize))
		if err != nil {
			var pe *fs.PathError
			if errors.As(err, &pe) {
				err = pe.Err
			}
			return id, fmt.Errorf("%s: %w", name, err)
		}
	}
	id.Ends = hex.EncodeToString(sum.Sum(nil))
	return id, nil
}

func modified(info fs.FileInfo) string {
	return info.ModTime().UTC().Format(time.RFC3339Nano)
}

// Absent is the identity of what cannot be opened.
func Absent(name string) Identity { return Identity{Name: text(name), Absent: true} }

// IdentifyFolder is the identity of files in a folder: names, sizes and times of the last change.
func IdentifyFolder(dir string, names []string) Identity {
	id := Identity{Name: text(dir)}
	sum := sha256.New()
	for _, name := range names {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		id.Size += info.Size()
		fmt.Fprintf(sum, "%q %d %s\n", name, info.Size(), modified(info))
	}
	id.Ends = hex.EncodeToString(sum.Sum(nil))
	return id
}

// changed says in what way a file is not what it was, or is empty.
func (id *Identity) changed(was *Identity) string {
	switch {
	case *id == *was:
		return ""
	case id.Name != was.Name:
		return fmt.Sprintf("it is %s, and was %s", id.Name, was.Name)
	case id.Absent:
		return fmt.Sprintf("%s cannot be opened any more", id.Name)
	case was.Absent:
		return fmt.Sprintf("%s could not be opened then", id.Name)
	case id.Size != was.Size:
		return fmt.Sprintf("%s has %d bytes, and had %d", id.Name, id.Size, was.Size)
	case id.Ends != was.Ends:
		return fmt.Sprintf("%s has other content", id.Name)
	}
	return fmt.Sprintf("%s was changed at %s, and before that at %s", id.Name, id.Modified,
		was.Modified)
}
