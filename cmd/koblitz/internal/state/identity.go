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
	Size     int64  `json:"size,omitempty"`
	Modified string `json:"modified,omitempty"` // modification time in UTC, to the nanosecond
	// Ends is the SHA-256 of the first endSize bytes and the last endSize bytes. For a folder, it
	// is the SHA-256 of the list of the folder's files. It is empty if the file cannot be opened.
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
		return id, nil
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

// changed describes the difference between id and old, the identity of the same input in an earlier
// run. It returns "" if they are equal.
func (id *Identity) changed(old *Identity) string {
	switch {
	case *id == *old:
		return ""
	case id.Name != old.Name:
		return fmt.Sprintf("it is %s, and was %s", id.Name, old.Name)
	}
	return fmt.Sprintf("%s has changed: its size, its time of modification, or its beginning or end",
		id.Name)
}
