//go:build ignore

// Generate writes base_table.bin and rounds_table.bin, the tables of odd multiples of the generator
// for the fixed base; base.go and base_lanes.go describe their contents. It computes them with the
// tests' oracle, which shares no code with the functions that read the tables.
package main

import (
	"flag"
	"log"
	"os"

	"github.com/koblitz-go/koblitz/internal/reference"
)

func main() {
	log.SetFlags(0)
	w := flag.Int("window", 6, "bits of a block; baseWindow of base.go")
	out := flag.String("o", "base_table.bin", "file to write the comb's table to")
	rounds := flag.String("rounds", "rounds_table.bin", "file to write the table of the rounds to")
	flag.Parse()

	c := reference.Secp256k1()
	var table []byte
	base := c.G
	left := 255 // number of bits of the recoded scalar that no block covers yet
	for ; left > *w; left -= *w {
		table = c.AppendPacked(table, base, 1<<(*w-1))
		for range *w {
			base = c.Double(base)
		}
	}
	// The digits of the top block are only positive, so it has two entries where a lower block with
	// as many bits has one.
	table = c.AppendPacked(table, base, 1<<left)
	for name, contents := range map[string][]byte{
		*out: table, *rounds: roundsTable(c, 6, 6, 6, 5, 5, 5),
	} {
		if err := os.WriteFile(name, contents, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// roundsTable returns the table for windows of the given lengths, one for each round.
func roundsTable(c *reference.Curve, windows ...int) (table []byte) {
	first := 0 // first bit of the windows of a round in their parts
	bits := 0  // bits of a part
	for _, w := range windows {
		bits += w
	}
	for _, w := range windows {
		var parts [4][]byte
		base := c.G
		for i := range first + 3*bits + 1 {
			if i >= first && (i-first)%bits == 0 {
				parts[(i-first)/bits] = c.AppendPacked(nil, base, 1<<(w-1))
			}
			base = c.Double(base)
		}
		for at := 0; at < len(parts[0]); at += 8 {
			for _, p := range parts {
				table = append(table, p[at:at+8]...)
			}
		}
		first += w
	}
	return table
}
