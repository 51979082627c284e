package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"
)

// Names lists the peers that a user can select. It does not contain koblitz, which is always
// opened.
var Names = []string{
	"libsecp256k1", "dcrec", "btcec", "gnark", "geth", "k256", "ark",
}

// Config says which peers Open opens.
type Config struct {
	Only    []string // names of the peers to open; if empty, all are opened
	Require []string // names of the peers whose absence is an error
	Rust    fs.FS    // sources of the Rust program

	// Absent is called for each peer that cannot be opened, and Opened for each other peer; Opened
	// may be nil.
	Absent func(name string, reason error)
	Opened func(p *Peer)
}

// Open opens the peers that c selects. The first is koblitz with the best implementation for the
// CPU. Then come koblitz with each slower implementation, and the other peers.
func Open(in *Inputs, c Config) ([]*Peer, error) {
	for _, name := range slices.Concat(c.Only, c.Require) {
		if !slices.Contains(Names, name) {
			return nil, fmt.Errorf("no peer %q; known: %s", name, strings.Join(Names, " "))
		}
	}
	names := slices.DeleteFunc(slices.Clone(Names), func(name string) bool {
		return len(c.Only) > 0 && !slices.Contains(slices.Concat(c.Only, c.Require), name)
	})
	peers := Levels(in)
	var program []*Peer // peers in the Rust program, once the program has started
	var programErr error
	for _, name := range names {
		var p *Peer
		var err error
		panicked := (&Peer{Name: name}).Try(func() {
			switch {
			case slices.Contains(rustPeers, name):
				if program == nil && programErr == nil {
					others := func(name string) bool { return !slices.Contains(rustPeers, name) }
					wanted := slices.DeleteFunc(slices.Clone(names), others)
					program, programErr = NewRust(in, c.Rust, wanted)
				}
				if err = programErr; err == nil {
					p = program[slices.IndexFunc(program, func(p *Peer) bool { return p.Name == name })]
				}
			default:
				p, err = open(in, c, name)
			}
			if err == nil && c.Opened != nil {
				c.Opened(p)
			}
		})
		switch err = errors.Join(err, panicked); {
		case err == nil:
			peers = append(peers, p)
		case slices.Contains(c.Require, name):
			return nil, fmt.Errorf("%s is required: %w", name, err)
		default:
			c.Absent(name, err)
		}
	}
	return peers, nil
}

// open opens the peer with the given name. The peer must not be one of the Rust program's.
func open(in *Inputs, c Config, name string) (*Peer, error) {
	switch name {
	case "libsecp256k1":
		return NewLibsecp(in, c.Rust)
	case "dcrec":
		return NewDcrec(in), nil
	case "btcec":
		return NewBtcec(in), nil
	case "gnark":
		return NewGnark(in), nil
	case "geth":
		return NewGeth(in)
	}
	return nil, fmt.Errorf("no peer %q", name)
}

// moduleVersion returns the version of the module with the given path that is linked into this
// program.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return "unknown"
}
