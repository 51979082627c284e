package columns

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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
// column names in head. Text is CSV if its first line looks like a header. It is JSON lines if
// every line is an object without nested objects and without a name for which isOther returns true.
func Detect(head []byte, isOther func(name string) bool) (Kind, []string) {
	if kind := DetectBinary(head); kind != "" {
		return kind, nil
	}
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, byteOrderMark), newline)
	if names := header(line); names != nil {
		return KindCSV, names
	}
	if names := objects(head, isOther); names != nil {
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

// header returns the names in line if it looks like a header of CSV: it has at least three
// different names, or it has two and the function guess finds a role for one of them. Otherwise it
// returns nil.
func header(line []byte) []string {
	fields, err := newCSV(bytes.NewReader(line)).Read()
	if err != nil || len(fields) < 2 || len(line) > maxRecord {
		return nil
	}
	seen := map[string]bool{}
	for _, f := range fields {
		letters := strings.ContainsFunc(f, unicode.IsLetter)
		if !letters || len(f) > 60 || !utf8.ValidString(f) || seen[f] ||
			strings.ContainsFunc(f, unicode.IsControl) || strings.ContainsAny(f, "{}[]\"") {
			return nil
		}
		seen[f] = true
	}
	known := func(f string) bool { return guess(f) < Roles }
	if len(fields) < 3 && !slices.ContainsFunc(fields, known) {
		return nil
	}
	return slices.Clone(fields)
}

// objects returns the names in the first object if every line of head is an object without a name
// for which isOther returns true. Otherwise it returns nil. The last line may be cut off.
func objects(head []byte, isOther func(name string) bool) (names []string) {
	lines := bytes.Split(head, newline)
	for i, line := range lines {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		found, whole := flat(line)
		if slices.ContainsFunc(found, isOther) || !whole && i < len(lines)-1 {
			return nil
		}
		if names == nil {
			names = found
		}
	}
	if len(names) < 2 {
		return nil
	}
	return names
}

// flat returns the names in line if it is an object without nested objects. complete reports
// whether line holds the complete object.
func flat(line []byte) (names []string, complete bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(line))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return names, false
		}
		names = append(names, name.String())
		if d.PeekKind() == '{' || d.SkipValue() != nil {
			return names, false
		}
	}
	_, err := d.ReadToken()
	return names, err == nil
}

// guess returns the role that a column's name suggests, or the constant Roles if it suggests none.
func guess(name string) Role {
	name = strings.ToLower(name)
	for _, g := range []struct {
		word string
		role Role
	}{{"sig", Signature}, {"pub", Key}, {"key", Key}, {"hash", Digest}, {"digest", Digest},
		{"message", Digest}, {"msg", Digest}} {
		if strings.Contains(name, g.word) {
			return g.role
		}
	}
	return Roles
}

// Example returns an example value for the option --columns, for a table with the given column
// names. If these names suggest a hash, a key and a signature, the example uses them.
func Example(names []string) string {
	var found [Roles + 1]string
	for _, name := range names {
		if r := guess(name); found[r] == "" && !strings.ContainsAny(name, ",= \"'") {
			found[r] = name
		}
	}
	if found[Digest] == "" || found[Key] == "" || found[Signature] == "" {
		return "--columns hash=NAME,key=NAME,signature=NAME"
	}
	role := "hash"
	if name := strings.ToLower(found[Digest]); strings.Contains(name, "msg") ||
		strings.Contains(name, message) && !strings.Contains(name, "hash") {
		role = message
	}
	return fmt.Sprintf("--columns %s=%s,key=%s,signature=%s", role, found[Digest], found[Key],
		found[Signature])
}

// Listed returns the first few column names as text for a message.
func Listed(names []string) string {
	const most = 20
	var list []string
	for _, name := range names[:min(len(names), most)] {
		list = append(list, fmt.Sprintf("%q", Short(name)))
	}
	if len(names) > most {
		list = append(list, fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(list, ", ")
}
