package jsonfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Names are the fields that a reader looks at, at most 64 of them.
//
// JSON leaves open what a name means that comes twice in one object, and
// encoding/json takes the last one and does not tell letters apart by their
// case. Two readers of one text could so see two different values, and a
// signature that one of them has checked is not the one that the other one
// uses. Names refuses both.
type Names struct {
	list []string
	at   map[string]int
	caps bool // a name has a capital letter
}

// NewNames returns the set of these names.
func NewNames(list ...string) *Names {
	if len(list) > 64 {
		panic("jsonfile: more than 64 names")
	}
	n := &Names{list: list, at: make(map[string]int, len(list))}
	for i, name := range list {
		n.at[name] = i
		n.caps = n.caps || bytes.ContainsFunc([]byte(name), foldable)
	}
	return n
}

// foldable reports whether another letter may be taken for the lowercase one.
func foldable(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 0x80 }

// A Seen is the names that an object has had so far.
type Seen uint64

// Add is called for each name of an object. It fails if the name comes a second
// time, and for a name that differs from one of n in the case of letters only.
// Names that are not in n are none of its business.
func (n *Names) Add(seen *Seen, name string) error {
	i, ok := n.at[name]
	switch {
	case !ok:
		if i = n.alike([]byte(name)); i >= 0 {
			return fmt.Errorf("the name %s may be taken for %q", short(name), n.list[i])
		}
		return nil
	case *seen>>i&1 != 0:
		return fmt.Errorf("%q comes a second time", name)
	}
	*seen |= 1 << i
	return nil
}

// AddBytes is Add for a name that is no string yet.
func (n *Names) AddBytes(seen *Seen, name []byte) error {
	if i, ok := n.at[string(name)]; ok && *seen>>i&1 == 0 {
		*seen |= 1 << i
		return nil
	}
	return n.Add(seen, string(name))
}

// alike returns the place of the name that name may be taken for, or -1.
func (n *Names) alike(name []byte) int {
	if !n.caps && !bytes.ContainsFunc(name, foldable) {
		return -1
	}
	return slices.IndexFunc(n.list, func(known string) bool {
		return bytes.EqualFold(name,
			[]byte(known))
	})
}

// Check is Add for every name of every object in value, which is valid JSON.
func (n *Names) Check(value []byte) (err error) {
	var open []Seen
	each(value, func(depth int, name []byte) bool {
		for len(open) < depth {
			open = append(open, 0)
		}
		err = n.AddBytes(&open[depth-1], name)
		return err == nil
	}, func(depth int) {
		if depth < len(open) {
			open = open[:depth]
		}
	})
	return err
}

// has reports whether name is one of n or may be taken for one.
func (n *Names) has(name []byte) bool {
	_, ok := n.at[string(name)]
	return ok || n.alike(name) >= 0
}

// each calls do for every name in value, which is valid JSON, with the number
// of objects and lists around it, until do returns false; and closed where one
// of these ends, with the number of those that go on.
func each(value []byte, do func(depth int, name []byte) bool, closed func(depth int)) {
	var objects []bool // of what is open: an object, not a list
	named := false     // the next string is a name
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case '{', '[':
			named = c == '{'
			objects = append(objects, named)
		case '}', ']':
			if len(objects) == 0 {
				return
			}
			objects = objects[:len(objects)-1]
			closed(len(objects))
			named = false
		case ',':
			named = len(objects) > 0 && objects[len(objects)-1]
		case '"':
			end := stringEnd(value, i)
			if named && !do(len(objects), unquote(value[i:end])) {
				return
			}
			named = false
			i = end - 1
		}
	}
}

// stringEnd returns the offset behind the string that begins at i.
func stringEnd(value []byte, i int) int {
	for i++; ; {
		quote := bytes.IndexByte(value[i:], '"')
		if quote < 0 {
			return len(value)
		}
		escapes := 0
		for escapes < quote && value[i+quote-1-escapes] == '\\' {
			escapes++
		}
		i += quote + 1
		if escapes%2 == 0 {
			return i
		}
	}
}

// unquote returns what a string in quotes stands for.
func unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return bytes.Trim(quoted, `"`)
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return quoted
	}
	return []byte(s)
}

// SkipOther passes over the value of a field of that name, which nothing here
// looks at. It fails if the name, or one in the value, says that something signed
// may be there.
func (r *Reader) SkipOther(name string, signed *Names) error {
	if signed.has([]byte(name)) {
		return r.Fail("the field %s is not one of a block", short(name))
	}
	r.field, r.signed = name, signed
	err := r.Skip()
	r.signed = nil
	return err
}

// signedName passes over a name in the value of a field that nothing here looks
// at, at whose quote the reader is.
func (r *Reader) signedName() error {
	k := keeper{text: r.room[:0], limits: Limits{Bytes: maxScalar}}
	if err := r.collect(&k, (*Reader).string); err != nil {
		return err
	}
	if k.over != nil {
		return nil // it is longer than any
	}
	r.room = k.text
	if name := unquote(k.text); r.signed.has(name) {
		return r.Fail("the field %s, which nothing here knows, holds %s", short(r.field),
			short(string(name)))
	}
	return nil
}

// short quotes a name that may be long.
func short(name string) string {
	if len(name) > 40 {
		name = name[:40] + "…"
	}
	return strconv.QuoteToASCII(name)
}
