//go:build ignore

// Generate writes base_table.bin, the odd multiples of the generator that the
// fixed base reads; see base.go for what is in it. It computes with the oracle
// of the tests, which shares nothing with the code that will read the table.
package main

import (
	"encoding/binary"
	"flag"
	"log"
	"math/big"
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
	left := 255 // bits of the recoded scalar not yet covered
	for ; left > *w; left -= *w {
		table = appendOddMultiples(table, c, base, 1<<(*w-1))
		for range *w {
			base = c.Double(base)
		}
	}
	// The top block has positive digits only, and so twice the entries.
	table = appendOddMultiples(table, c, base, 1<<left)
	if err := os.WriteFile(*out, table, 0o644); err != nil {
		log.Fatal(err)
	}
}

// appendOddMultiples appends a, 3a, …, (2·count−1)·a.
func appendOddMultiples(table []byte, c *reference.Curve, a reference.Point, count int) []byte {
	step := c.Double(a)
	for range count {
		table = appendInt(appendInt(table, a.X), a.Y)
		a = c.Add(a, step)
	}
	return table
}

// appendInt appends the four limbs of x, least significant first.
func appendInt(table []byte, x *big.Int) []byte {
	var be [32]byte
	x.FillBytes(be[:])
	for i := 24; i >= 0; i -= 8 {
		table = binary.LittleEndian.AppendUint64(table, binary.BigEndian.Uint64(be[i:]))
	}
	return table
}
