package columns

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A Kind is a kind of table, as named in messages.
type Kind string

// These are the kinds of tables that Detect finds.
const (
	KindParquet Kind = "Parquet"
	KindFeather Kind = "a file of Arrow (Feather)"
	KindStream  Kind = "a stream of Arrow"
	KindCSV     Kind = "CSV"
	KindJSON    Kind = "JSON lines"
)

// Detect returns the kind of the table that starts with head, or "" if it is no table, and the
// column names in head. Text is CSV if its first line looks like a header. It is JSON lines if it
// has objects alone, without nested objects and without a name for which isOther returns true.
func Detect(head []byte, isOther func(name string) bool) (Kind, []string) {
	if kind := DetectBinary(head); kind != "" {
		return kind, nil
	}
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, byteOrderMark), newline)
	if names := header(line); names != nil {
		return KindCSV, names
	}
	if names := objects(head, isOther); len(names) > 1 {
		return KindJSON, names
	}
	return "", nil
}

// DetectBinary returns the kind of the table that starts with head if its format is binary, or "".
func DetectBinary(head []byte) Kind {
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return KindParquet
	case bytes.HasPrefix(head, []byte("ARROW1")), bytes.HasPrefix(head, []byte("FEA1")):
		return KindFeather
	case len(head) >= 12 && binary.LittleEndian.Uint32(head) == 0xffffffff &&
		binary.LittleEndian.Uint32(head[4:]) < 1<<24 && binary.LittleEndian.Uint32(head[8:]) < 1<<16:
		return KindStream // the length of a schema message and the offset of its root table
	}
	return ""
}

// header returns the names in line if it looks like a header of CSV: it has at least two different
// names of letters and other characters, without spaces. Otherwise it returns nil.
func header(line []byte) []string {
	names, err := newLineParser().fields(line)
	if err != nil || len(names) < 2 {
		return nil
	}
	for i, name := range names {
		if !strings.ContainsFunc(name, unicode.IsLetter) || len(name) > 60 || !utf8.ValidString(name) ||
			strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, "{}[]\" ") ||
			slices.Contains(names[:i], name) {
			return nil
		}
	}
	return names
}

// objects returns the names in the first object of head, or nil if a value at the top level of head
// is no object, or has a nested object or a name for which isOther returns true.
func objects(head []byte, isOther func(name string) bool) (names []string) {
	if !bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) {
		return nil
	}
	for o := range reading.Outline(head) {
		first := names == nil
		for _, f := range o.Fields {
			if f.Name == "" || isOther(f.Name) || bytes.HasPrefix(f.Text, []byte("{")) {
				return nil
			}
			if first {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// Listed returns the first few column names as text for a message.
func Listed(names []string) string {
	const most = 20
	var list []string
	for _, name := range names[:min(len(names), most)] {
		list = append(list, fmt.Sprintf("%+q", Short(name)))
	}
	if len(names) > most {
		list = append(list, fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(list, ", ")
}
