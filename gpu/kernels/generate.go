//go:build ignore

// Generate writes ptx.h.
package main

import (
	"log"
	"os"

	"github.com/koblitz-go/koblitz/gpu/kernels/internal/blocks"
)

func main() {
	log.SetFlags(0)
	if err := os.WriteFile("ptx.h", []byte(blocks.Header()), 0o644); err != nil {
		log.Fatal(err)
	}
}
