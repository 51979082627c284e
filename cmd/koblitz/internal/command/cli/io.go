package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/term"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Open opens a file, or standard input for the name "-".
func Open(s Streams, name string) (io.ReadCloser, error) {
	if name == reading.Stdin {
		return io.NopCloser(s.In), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, Unreadable(fmt.Errorf("%s: %w", name, reading.Bare(err)))
	}
	return f, nil
}

// FileName returns the name of a file in messages: in place of "-", "standard input".
func FileName(name string) string {
	if name == reading.Stdin {
		return "standard input"
	}
	return name
}

// IsFile reports whether the file with the given name is the file described by the argument file.
// The name "-" means standard input.
func IsFile(name string, file fs.FileInfo) bool {
	info, err := os.Stat(name)
	if name == reading.Stdin {
		info, err = os.Stdin.Stat()
	}
	return err == nil && os.SameFile(info, file)
}

// ApartFrom returns an error if the file called name exists and is not a regular file or is also an
// input. name is the value of the given flag, with which the command creates the file.
func ApartFrom(isInput func(fs.FileInfo) bool, flag, name string) error {
	old, err := os.Stat(name)
	if err != nil {
		return nil // no file would be replaced
	}
	if !old.Mode().IsRegular() {
		return Usagef("%s %s: it is there, and is not a file", flag, name)
	}
	if isInput(old) {
		return Usagef("%s %s: the file is read too", flag, name)
	}
	return nil
}

// Terminal returns the file of a stream that is a terminal. Otherwise ok is false.
func Terminal(stream any) (f *os.File, ok bool) {
	if o, isOutput := stream.(*output); isOutput {
		stream = o.w
	}
	f, ok = stream.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// JSONLine returns v as JSON on one line.
func JSONLine(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // cannot happen: v holds only strings, numbers, lists and structs
	}
	return string(reading.PrintableJSON(bytes.TrimSpace(b.Bytes())))
}
