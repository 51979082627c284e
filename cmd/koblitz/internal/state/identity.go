package state

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// An Identity identifies the contents of an input file, so that a resumed run can report a change.
// It does not detect a change that keeps the size, the modification time and both ends of the file.
type Identity struct {
	Name     string `json:"name"`
	Absent   bool   `json:"absent,omitempty"` // the file cannot be opened
	Size     int64  `json:"size,omitempty"`
	Modified string `json:"modified,omitempty"` // modification time in UTC, to the nanosecond
	// Ends is the SHA-256 of the first endSize bytes and the last endSize bytes. For a folder, it
	// is the SHA-256 of the list of the folder's files.
	Ends string `json:"ends,omitempty"`
}

// endSize is the number of bytes that are hashed at each end of a file.
const endSize = 64 << 10

// Identify returns the identity of a file. A folder, and a file that cannot be opened, also has an
// identity, because the run itself reports the error. A pipe or a device cannot be read twice, so
// Identify returns an error for it.
func Identify(name string) (Identity, error) {
	id := Identity{Name: name}
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
		if _, err := io.Copy(sum, io.NewSectionReader(f, from, endSize)); err != nil {
			return id, fmt.Errorf("%s: %w", name, reading.Bare(err))
		}
	}
	id.Ends = hex.EncodeToString(sum.Sum(nil))
	return id, nil
}

func modified(info fs.FileInfo) string {
	return info.ModTime().UTC().Format(time.RFC3339Nano)
}

// Absent returns the identity of a file that cannot be opened.
func Absent(name string) Identity { return Identity{Name: name, Absent: true} }

// IdentifyFolder returns the identity of the files in a folder: their names, sizes and modification
// times.
func IdentifyFolder(dir string, names []string) Identity {
	id := Identity{Name: dir}
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

// changed describes the first difference between id and old, the identity of the same input in an
// earlier run. It returns "" if they are equal.
func (id *Identity) changed(old *Identity) string {
	switch {
	case *id == *old:
		return ""
	case id.Name != old.Name:
		return fmt.Sprintf("it is %s, and was %s", id.Name, old.Name)
	case id.Absent:
		return fmt.Sprintf("%s cannot be opened any more", id.Name)
	case old.Absent:
		return fmt.Sprintf("%s could not be opened then", id.Name)
	case id.Size != old.Size:
		return fmt.Sprintf("%s has %d bytes, and had %d", id.Name, id.Size, old.Size)
	case id.Ends != old.Ends:
		return fmt.Sprintf("%s has other content", id.Name)
	}
	return fmt.Sprintf("%s was changed at %s, and before that at %s", id.Name, id.Modified,
		old.Modified)
}
