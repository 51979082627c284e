package main

import (
	"bytes"
	"errors"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
)

// A format is what --format names.
type format string

const (
	formatAuto         format = "auto"
	formatBitcoin      format = "bitcoin"
	formatBlockJSON    format = "bitcoin-json"
	formatBlockRaw     format = "bitcoin-block"
	formatBlk          format = "bitcoin-blk"
	formatNostr        format = "nostr"
	formatPackedBIP340 format = "packed-bip340"
	formatPackedECDSA  format = "packed-ecdsa"
)

// formats in the order of the help text.
var formats = []struct {
	name format
	what string
}{
	{formatAuto, "found by content (never packed rows)"},
	{formatBitcoin, "one of the next three, by content"},
	{formatBlockJSON, "blocks as 'bitcoin-cli getblock HASH 3' prints them, spent outputs included"},
	{formatBlockRaw, "a serialized block, binary or hex, with FILE.spent or --spent"},
	{formatBlk, "blk*.dat of a node, in order from blk00000.dat on"},
	{formatNostr, `events one a line, bare or as ["EVENT", …]`},
	{formatPackedBIP340, "rows of 32 message, 32 key, 64 signature"},
	{formatPackedECDSA, "rows of 32 hash, 33 key, 64 signature r‖s"},
}

func parseFormat(s string) (format, error) {
	names := make([]string, 0, len(formats))
	for _, f := range formats {
		if s == string(f.name) {
			return f.name, nil
		}
		names = append(names, string(f.name))
	}
	return "", usagef("unknown format %q; known are %s", s, strings.Join(names, ", "))
}

var errUnknownFormat = errors.New("the format is not recognized; name it with --format (packed rows always need that)")

// detectFormat looks at the beginning of an input. want is formatAuto, or
// formatBitcoin to look for nothing else.
func detectFormat(head []byte, want format) (format, error) {
	if len(head) == 0 {
		return "", errors.New("the file is empty")
	}
	if f, ok := bitcoin.Detect(head); ok {
		switch f {
		case bitcoin.FormatGetBlock:
			return formatBlockJSON, nil
		case bitcoin.FormatRawBlock, bitcoin.FormatRawBlockHex:
			return formatBlockRaw, nil
		case bitcoin.FormatBlkFile:
			return formatBlk, nil
		case bitcoin.FormatSpent:
			return "", errors.New("these are the spent outputs of a block; name the block, and this file with --spent")
		}
	}
	switch {
	case want == formatBitcoin:
		return "", errors.New("neither a block nor a file of blocks")
	case hasJSONLine(head):
		return formatNostr, nil
	}
	return "", errUnknownFormat
}

// hasJSONLine finds events also where the first lines are broken ones.
func hasJSONLine(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for line := range bytes.Lines(head) {
		line = bytes.TrimLeft(line, " \t")
		if bytes.HasPrefix(line, []byte("{")) || bytes.HasPrefix(line, []byte("[")) {
			return true
		}
	}
	return false
}
