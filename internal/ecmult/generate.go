//go:build ignore

// Generate writes base_table.bin, the table of odd multiples of the generator for the fixed base;
// base.go describes its contents. It computes them with the tests' oracle, which shares no code
// with the functions that read the table.
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
	out := flag.String("o", "base_table.bin", "file to write")
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
	if err := os.WriteFile(*out, table, 0o644); err != nil {
		log.Fatal(err)
	}
}
