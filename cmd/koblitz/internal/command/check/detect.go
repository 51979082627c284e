package check

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/nostr"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
)

// detectFormat returns the format of the input called name, which begins with head. If want is
// flags.Bitcoin or flags.Ethereum, it considers only the formats of that chain. Otherwise want must
// be flags.Auto.
func detectFormat(name string, head []byte, want flags.Format) (flags.Format, error) {
	if len(head) == 0 {
		return "", errors.New("the file is empty")
	}
	if state.IsState(head) {
		return "", errors.New("this is where a run with --state has saved how far it is, and no input")
	}
	if f, ok := bitcoin.Detect(head); ok && want != flags.Ethereum {
		return flags.Format(f), nil
	}
	if f, ok := ethereum.Detect(head); ok && want != flags.Bitcoin {
		return flags.Format(f), nil
	}
	switch want {
	case flags.Bitcoin:
		return "", fmt.Errorf("neither a block, a file of blocks nor a transaction: this looks like %s",
			appearance(head))
	case flags.Ethereum:
		return "", fmt.Errorf("neither a block in JSON or in RLP nor a transaction in JSON: this looks "+
			"like %s", appearance(head))
	}
	if err := unnamed(head); err != nil {
		return "", err
	}
	switch {
	case nostr.Detect(head):
		return flags.Nostr, nil
	case bitcoin.IsNodeFile(name):
		return "", fmt.Errorf("a node's file, which is read together with others: name the folder, %s",
			filepath.Dir(name))
	}
	return "", fmt.Errorf("the format is not recognized: this looks like %s; name it with --format "+
		"(packed rows always need that), or the columns of a table with --columns", appearance(head))
}

// appearance describes an input that begins with head and is in none of the formats.
func appearance(head []byte) string {
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		return "text after a byte order mark (three bytes, which JSON begins without)"
	}
	for o := range reading.Outline(head) {
		switch {
		case o.Cut && len(o.Fields) == 0:
			continue
		case o.Has(""):
			return "JSON, but no object or list of objects"
		case o.Has("method"):
			return "a call of JSON-RPC, not an answer"
		case o.Has("jsonrpc") || o.Has("result"):
			return "an answer of JSON-RPC, but to none of 'getblock HASH 3', 'getrawtransaction TXID 2', " +
				"eth_getBlockByNumber and eth_getTransactionByHash"
		}
		var names []string
		for _, f := range o.Fields {
			names = append(names, f.Name)
		}
		return "JSON of another kind, with " + cmp.Or(columns.Listed(names), "no field")
	}
	text := strings.ToValidUTF8(string(head), "")
	isControl := func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return "text in UTF-16"
	case len(text) < len(head)-utf8.UTFMax || strings.ContainsFunc(text, isControl):
		return "binary data"
	case isHex(bytes.TrimPrefix(head, []byte("0x"))):
		return "hexadecimal digits"
	}
	return "text"
}
