//go:build ignore

// Gen writes g.bin and split.bin, tables for verification: the odd multiples of G,
// 2^stride·G, 2^(2·stride)·G and so on. It computes them with the big-integer
// reference.
package main

import (
	"flag"
	"log"
	"math/big"
	"os"

	"github.com/koblitz-go/koblitz/internal/reference"
)

func main() {
	window := flag.Uint("window", 15, "width of the digits; 2^(window-2) entries a block")
	stride := flag.Uint("stride", 129, "doublings from block to block, until 129 are covered")
	out := flag.String("o", "g.bin", "output file")
	flag.Parse()

	c := reference.Secp256k1()
	var data []byte
	for position := uint(0); position < 129; position += *stride {
		base := c.ScalarMult(new(big.Int).Lsh(big.NewInt(1), position), c.G)
		data = c.AppendPacked(data, base, 1<<(*window-2))
	}
	if err := os.WriteFile(*out, data, 0o644); err != nil {
		log.Fatal(err)
	}
}
