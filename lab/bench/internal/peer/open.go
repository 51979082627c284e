package peer

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// Names lists the peers that a user can select. It does not contain koblitz, which is always
// opened.
var Names = []string{
	"libsecp256k1", "dcrec", "btcec", "gnark", "k256", "ark",
}

// Config says which peers Open opens.
type Config struct {
	Only    []string // names of the peers to open; if empty, all are opened
	Require []string // names of the peers whose absence is an error
	Rust    string   // folder of the Rust program

	// Absent is called for each peer that cannot be opened.
	Absent func(name string, reason error)
}

// Open opens the peers that c selects. The first is koblitz with the best implementation for the
// CPU. Then come koblitz with each slower implementation, and the other peers.
func Open(in *Inputs, c Config) ([]*Peer, error) {
	for _, name := range slices.Concat(c.Only, c.Require) {
		if name != Koblitz && !slices.Contains(Names, name) {
			return nil, fmt.Errorf("no peer %q; known: %s %s", name, Koblitz, strings.Join(Names, " "))
		}
	}
	peers := Levels(in)
	var rust map[string]*Peer // peers in the Rust program, once the program has started
	var rustErr error
	for _, name := range Names {
		if len(c.Only) > 0 && !slices.Contains(slices.Concat(c.Only, c.Require), name) {
			continue
		}
		var p *Peer
		var err error
		panicked := (&Peer{Name: name}).Try(func() {
			switch name {
			case "libsecp256k1":
				p, err = NewLibsecp(in, c.Rust)
			case "dcrec":
				p = NewDcrec(in)
			case "btcec":
				p = NewBtcec(in)
			case "gnark":
				p = NewGnark(in)
			default:
				if rust == nil && rustErr == nil {
					rust, rustErr = NewRust(in, c.Rust)
				}
				p, err = rust[name], rustErr
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
