package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Names lists the peers that can be asked for, apart from koblitz, which is always opened.
var Names = []string{
	"libsecp256k1", "dcrec", "btcec", "gnark", "geth", "p256",
	"rust-secp256k1", "k256", "p256k1", "ark",
}

// Config says which peers to open.
type Config struct {
	Only    []string          // names of the peers to open; all if empty
	Require []string          // names of the peers whose absence is an error
	Library string            // path of libsecp256k1; if empty, it is built or found
	Others  map[string]string // paths of further libsecp256k1 libraries, by name
	Skip    map[string]string // reasons for which peers are not opened, by name

	Rust   fs.FS                           `json:"-"` // sources of the Rust program
	Absent func(name string, reason error) `json:"-"`
	Opened func(p *Peer)                   `json:"-"` // called for each opened peer; may be nil
	// Called with a peer's name before it is opened; may be nil.
	Doing func(name string, operation string) `json:"-"`
}

// known returns the names of all peers but koblitz. It returns an error if c asks for a name that
// is not among them.
func (c Config) known() ([]string, error) {
	others := slices.Sorted(maps.Keys(c.Others))
	for _, name := range others {
		if slices.Contains(Names, name) || name == Koblitz || strings.HasPrefix(name, Koblitz+"/") {
			return nil, fmt.Errorf("a library cannot be called %s: that is another peer", name)
		}
	}
	known := slices.Concat(Names, others)
	for _, name := range slices.Concat(c.Only, c.Require) {
		if name != Koblitz && !slices.Contains(known, name) {
			return nil, fmt.Errorf("no peer %q; known: %s %s", name, Koblitz, strings.Join(known, " "))
		}
	}
	return known, nil
}

// wants reports whether c asks for the peer. A library given by its path is always wanted.
func (c Config) wants(name string) bool {
	return len(c.Only) == 0 || slices.Contains(c.Only, name) ||
		slices.Contains(c.Require, name) || c.Others[name] != ""
}

// Open opens the peers that c asks for. The first is koblitz as the CPU selects it, followed by
// koblitz with each slower implementation forced, then by the other peers.
func Open(in *Inputs, c Config) ([]*Peer, error) {
	names, err := c.known()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !c.wants(name) })
	peers := Levels(in)
	var program []*Peer // peers in the Rust program, once it has started
	var programErr error
	for _, name := range names {
		var p *Peer
		var err error
		if c.Doing != nil {
			c.Doing(name, "")
		}
		switch {
		case c.Skip[name] != "":
			err = errors.New(c.Skip[name])
		case isRust(name):
			if program == nil && programErr == nil {
				others := func(name string) bool { return !isRust(name) || c.Skip[name] != "" }
				wanted := slices.DeleteFunc(slices.Clone(names), others)
				program, programErr = NewRust(in, c.Rust, wanted)
			}
			if err = programErr; err == nil {
				p = program[slices.IndexFunc(program, func(p *Peer) bool { return p.Name == name })]
			}
		case c.Others[name] != "":
			p, err = OpenLibrary(in, name, c.Others[name])
		default:
			p, err = open(in, c, name)
		}
		switch {
		case err == nil:
			if c.Opened != nil {
				c.Opened(p)
			}
			peers = append(peers, p)
		case slices.Contains(c.Require, name):
			return nil, fmt.Errorf("%s is required: %w", name, err)
		default:
			if c.Skip[name] == "" { // the caller knows the peers in c.Skip
				c.Absent(name, err)
			}
		}
	}
	if c.Doing != nil {
		c.Doing("", "")
	}
	return peers, nil
}

// open opens one of the peers that are not in the Rust program.
func open(in *Inputs, c Config, name string) (*Peer, error) {
	switch name {
	case "libsecp256k1":
		return NewLibsecp(in, c.Library, c.Rust)
	case "dcrec":
		return NewDcrec(in), nil
	case "btcec":
		return NewBtcec(in), nil
	case "gnark":
		return NewGnark(in), nil
	case "geth":
		return NewGeth(in)
	case "p256":
		return NewP256(in), nil
	}
	return nil, fmt.Errorf("no peer %q", name)
}
