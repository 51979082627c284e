package columns

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A Role is the role of a column in a table: what each of its cells holds.
type Role int

// These are the roles of the columns in a table of signatures.
const (
	//layers:allow roles index arrays
	Digest    Role = iota // the hash (ECDSA, recovery) or the message (BIP-340): 32 bytes
	Key                   // ECDSA: 33 or 65 bytes (SEC 1, 2.3.3); BIP-340: 32 bytes
	Signature             // ECDSA: 64 bytes r‖s, or DER; BIP-340: 64; recovery: 65 bytes r‖s‖v
	Sender                // recovery: the 20 bytes of an Ethereum address
	Roles                 // number of roles
)

// roleNames are the names of the roles in --columns. Messages use the first name of each.
var roleNames = [Roles][]string{
	Digest:    {"hash", "message"},
	Key:       {"key", "pubkey"},
	Signature: {"signature", "sig"},
	Sender:    {"sender", "address"},
}

// message is a name of the role Digest. If the user names no scheme, a column with this name
// selects BIP-340.
const message = "message"

// RoleNames returns every name that --columns accepts.
func RoleNames() []string { return slices.Concat(roleNames[:]...) }

// A Spec assigns columns to roles, and states the signature scheme and the encoding of the cells.
type Spec struct {
	Scheme   reading.Scheme
	Names    [Roles]string // name of each role's column, or ""
	Encoding Encoding
}

// ParseSpec parses assignments such as hash=tx_hash, or hash if the column has the name of its
// role. If scheme is 0, the roles select it: a message selects BIP-340, a hash and a key select
// ECDSA, and a hash alone selects recovery.
func ParseSpec(assignments []string, scheme reading.Scheme, encoding Encoding) (Spec, error) {
	s := Spec{Scheme: scheme, Encoding: encoding}
	digest := ""
	for _, a := range assignments {
		name, column, found := strings.Cut(a, "=")
		if !found {
			column = name
		}
		role := slices.IndexFunc(roleNames[:], func(names []string) bool {
			return slices.Contains(names, name)
		})
		switch {
		case role < 0:
			return s, fmt.Errorf("unknown column %q; known are %s", name, strings.Join(RoleNames(), ", "))
		case column == "":
			return s, fmt.Errorf("column %s has no name", name)
		case s.Names[role] != "":
			return s, fmt.Errorf("column %s is named twice, as %q and %q", roleNames[role][0],
				s.Names[role], column)
		}
		s.Names[role] = column
		if Role(role) == Digest {
			digest = name
		}
	}
	if s.Scheme == 0 {
		switch {
		case digest == message:
			s.Scheme = reading.Schnorr
		case s.Names[Key] != "":
			s.Scheme = reading.ECDSA
		default:
			s.Scheme = reading.Recover
		}
	}
	return s, s.validate()
}

// validate returns an error if a role that the scheme needs has no column, or if a role that the
// scheme does not use has one.
func (s *Spec) validate() error {
	switch {
	case s.Names[Digest] == "":
		return errors.New("which column holds the hash, or the message? (hash=NAME)")
	case s.Names[Signature] == "":
		return errors.New("which column holds the signature? (signature=NAME)")
	case s.Names[Key] == "" && s.Scheme != reading.Recover:
		return errors.New("which column holds the key? (key=NAME)")
	case s.Names[Sender] != "" && s.Scheme != reading.Recover:
		return errors.New("a sender is compared with what is recovered; ECDSA and BIP-340 have a key")
	case s.Names[Sender] != "" && s.Names[Key] != "":
		return errors.New("what is recovered is compared with a key or with a sender, not with both")
	}
	for i, name := range s.Names {
		if name != "" && slices.Contains(s.Names[i+1:], name) {
			return fmt.Errorf("column %q cannot hold two things", name)
		}
	}
	return nil
}

// Find returns the number of the column with each role in a table whose columns have the given
// names. For a role without a column the number is 0.
func (s *Spec) Find(names []string) (at [Roles]int, err error) {
	for _, r := range s.Used() {
		name := s.Names[r]
		at[r] = slices.Index(names, name)
		switch {
		case at[r] < 0:
			return at, fmt.Errorf("there is no column %q; there are %s", Short(name), Listed(names))
		case slices.Contains(names[at[r]+1:], name):
			return at, fmt.Errorf("there are two columns %q", Short(name))
		}
	}
	for _, name := range names {
		if err := s.alike(name); err != nil {
			return at, err
		}
	}
	return at, nil
}

// alike returns an error if the given name equals the name of a column with a role, except for
// upper and lower case. A program that ignores case could read a column with such a name instead of
// the verified one.
func (s *Spec) alike(name string) error {
	for _, n := range s.Names {
		if n != "" && n != name && strings.EqualFold(n, name) {
			return fmt.Errorf("the names of columns %+q and %+q differ in case alone: rename one", Short(n),
				Short(name))
		}
	}
	return nil
}

// Used returns the roles that have a column.
func (s *Spec) Used() []Role {
	var used []Role
	for r, name := range s.Names {
		if name != "" {
			used = append(used, Role(r))
		}
	}
	return used
}
