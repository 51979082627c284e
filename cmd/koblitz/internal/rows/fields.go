package rows

import (
	"fmt"
	"slices"
	"strings"
)

// A FieldCount counts the occurrences of a field that the input's format does not define.
type FieldCount struct {
	Name  string `json:"name"` // path of names to the field, as in tx[].vin[].extra
	Count int64  `json:"count"`
}

// Fields counts the fields in an input that its format does not define, in the order of first
// occurrence. The zero value is empty. The names come from the input and are untrusted.
type Fields struct {
	List   []FieldCount `json:"list,omitempty"`
	Others int64        `json:"others,omitempty"` // occurrences of names for which List had no room
}

// String returns the names in f as a list, with a count after each name that occurred more than
// once.
func (f *Fields) String() string {
	var b strings.Builder
	for i, c := range f.List {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.Name)
		if c.Count > 1 {
			fmt.Fprintf(&b, " (%d times)", c.Count)
		}
	}
	if f.Others > 0 {
		fmt.Fprintf(&b, ", and %d others", f.Others)
	}
	return b.String()
}

// unitFields is the maximum number of names kept for one Unit.
const unitFields = 16

// Any reports whether f counts any field.
func (f *Fields) Any() bool { return len(f.List) > 0 || f.Others > 0 }

// Add counts one occurrence of the field with the given name. f must be the Fields of a single
// Unit, which keeps at most unitFields names.
func (f *Fields) Add(name string) { f.add(name, 1, unitFields) }

func (f *Fields) add(name string, n int64, most int) {
	i := slices.IndexFunc(f.List, func(c FieldCount) bool { return c.Name == name })
	switch {
	case i >= 0:
		f.List[i].Count += n
	case len(f.List) < most:
		f.List = append(f.List, FieldCount{name, n})
	default:
		f.Others += n
	}
}

// Merge adds the counts of g to f. f keeps at most limit names, and counts the rest in Others.
func (f *Fields) Merge(g *Fields, limit int) {
	for _, c := range g.List {
		f.add(c.Name, c.Count, limit)
	}
	f.Others += g.Others
}

// Clone returns a copy that shares no memory with f.
func (f *Fields) Clone() Fields { return Fields{slices.Clone(f.List), f.Others} }
