// Package sample holds a real block and its spent outputs, for the command to
// show what it does without any file: block 277647 of Bitcoin's main chain,
// 213 transactions with 732 ECDSA signatures, of which 366 have a high s.
//
// SOURCES says where the files come from.
package sample

import "embed"

//go:generate go run ./generate

// Files holds the block and its spent outputs, packed with gzip.
//
//go:embed 277647.block.gz 277647.block.spent.gz
var Files embed.FS

// The names in Files.
const (
	Block = "277647.block.gz"
	Spent = "277647.block.spent.gz"
)
