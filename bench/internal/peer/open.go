package peer

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Names are the peers that can be asked for, koblitz apart.
var Names = []string{"libsecp256k1", "dcrec", "btcec", "gnark", "geth", "p256", "rust"}

// Config says which peers to open.
type Config struct {
	Only    []string          // names; all if empty
	Require []string          // names whose absence is an error
	Library string            // path of libsecp256k1; empty: build or find it
	Others  map[string]string // further libraries, name to path
	Rust    fs.FS             // the Rust program's sources
	Absent  func(name string, reason error)
}

// Open opens the peers. The first is koblitz, then koblitz with implementations
// forced.
func Open(in *Inputs, c Config) ([]*Peer, error) {
	known := slices.Clone(Names)
	for name := range c.Others {
		known = append(known, name)
	}
	for _, name := range slices.Concat(c.Only, c.Require) {
		if name != Koblitz && !slices.Contains(known, name) {
			return nil, fmt.Errorf("no peer %q; known: %s %s", name, Koblitz, strings.Join(known, " "))
		}
	}
	peers := Levels(in)
	for _, name := range known {
		if len(c.Only) > 0 && !slices.Contains(c.Only, name) && !slices.Contains(c.Require, name) {
			continue
		}
		var opened []*Peer
		var err error
		one := func(p *Peer, e error) { opened, err = []*Peer{p}, e }
		switch name {
		case "libsecp256k1":
			one(NewLibsecp(in, c.Library, c.Rust))
		case "dcrec":
			one(NewDcrec(in), nil)
		case "btcec":
			one(NewBtcec(in), nil)
		case "gnark":
			one(NewGnark(in), nil)
		case "geth":
			one(NewGeth(in))
		case "p256":
			one(NewP256(in), nil)
		case "rust":
			opened, err = NewRust(in, c.Rust, c.Absent)
		default:
			one(OpenLibrary(in, name, c.Others[name]))
		}
		switch {
		case err == nil:
			peers = append(peers, opened...)
		case slices.Contains(c.Require, name):
			return nil, fmt.Errorf("%s is required: %w", name, err)
		default:
			c.Absent(name, err)
		}
	}
	return peers, nil
}
