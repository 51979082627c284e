// Package sample embeds a real block and its spent outputs, so that koblitz check --sample works
// without any file: block 277647 of Bitcoin's main chain, 213 transactions with 732 ECDSA
// signatures, 366 of them with a high s.
//
// SOURCES documents the origin of the files.
package sample

import "embed"

//go:generate go run ./generate

// Files holds the block and its spent outputs, compressed with gzip.
//
//go:embed 277647.block.gz 277647.block.spent.gz
var Files embed.FS

// These are the names of the files in Files.
const (
	Block = "277647.block.gz"
	Spent = "277647.block.spent.gz"
)
