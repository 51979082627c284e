//go:build ignore

// Gen writes g.bin, the odd multiples of G and of 2^128·G that verification
// reads, from the big-integer reference.
package main

import (
	"flag"
	"log"
	"math/big"
	"os"

	"github.com/koblitz-go/koblitz/internal/reference"
)

func main() {
	window := flag.Uint("window", 15, "width of the digits; 2^(window-2) entries a half")
	out := flag.String("o", "g.bin", "output file")
	flag.Parse()

	c := reference.Secp256k1()
	high := c.ScalarMult(new(big.Int).Lsh(big.NewInt(1), 128), c.G)
	var data []byte
	for _, base := range []reference.Point{c.G, high} {
		twice := c.Double(base)
		p := base
		for range 1 << (*window - 2) {
			data = appendLittleEndian(data, p.X)
			data = appendLittleEndian(data, p.Y)
			p = c.Add(p, twice)
		}
	}
	if err := os.WriteFile(*out, data, 0o644); err != nil {
		log.Fatal(err)
	}
}

func appendLittleEndian(data []byte, x *big.Int) []byte {
	var b [32]byte
	x.FillBytes(b[:])
	for i := range b {
		data = append(data, b[31-i])
	}
	return data
}
