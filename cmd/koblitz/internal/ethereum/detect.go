package ethereum

import (
	"bytes"
	"encoding/hex"
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// A Format is an input format of this package.
type Format string

const (
	FormatJSON         Format = "ethereum-json" // the format that the function JSON reads
	FormatRLP          Format = "ethereum-rlp"  // the format that the function RLP reads
	FormatTransactions Format = "ethereum-tx"   // the format that the function Transactions reads
)

// blockFields lists fields that only the JSON of a block has. The last four are of the beacon
// chain's APIs: the reader says which blocks it reads in place of theirs.
var blockFields = []string{"parentHash", "stateRoot", "receiptsRoot", "logsBloom", "gasLimit",
	"parent_hash", "proposer_index", "execution_payload", "executionPayload"}

// Detect returns the format of a file that starts with head. A longer head makes detection more
// reliable. It returns false if the file is in none of the formats. JSON-RPC responses without a
// block or a transaction have FormatJSON, so that the reader can say why.
func Detect(head []byte) (f Format, ok bool) {
	if isBlock(head) {
		return FormatRLP, true
	}
	for o := range reading.Outline(head, "result", "params", "data", "message") {
		if slices.ContainsFunc(blockFields, func(name string) bool { return o.Has(name) }) {
			return FormatJSON, true
		}
	}
	for o := range reading.Outline(head, "result") {
		switch { // go-ethereum prints "nonce" after "input", which may be longer than head
		case o.Has("hash", "from", "gas") && (o.Has("nonce") || o.Cut) || isRawTransaction(o.Text("")):
			f = FormatTransactions
		case f == "" && isRefusal(o):
			f = FormatJSON
		}
	}
	return f, f != ""
}

// isRefusal reports whether o is a JSON-RPC response without a result.
func isRefusal(o *reading.Object) bool {
	for _, f := range o.Fields {
		if !slices.Contains(answerFields, f.Name) {
			return false
		}
	}
	return bytes.HasPrefix(o.Text("result"), []byte("null")) ||
		bytes.HasPrefix(o.Text("error"), []byte("{"))
}

// isRawTransaction reports whether text, a JSON string or a list of strings, begins with the
// hexadecimal digits of a transaction: a type if it has one (EIP-2718), and a list of numbers. In
// the lists of a block, a header or a receipt, one of the first three items is a list or longer.
func isRawTransaction(text []byte) bool {
	digits, ok := bytes.CutPrefix(bytes.TrimLeft(text, "[ \t\r\n"), []byte(`"0x`))
	if !ok {
		return false
	}
	b := make([]byte, 128)
	n, _ := hex.Decode(b, digits[:min(len(digits), 2*len(b))])
	longest := 8 // of the nonce
	if b = b[:n]; len(b) > 0 && b[0] > 0 && b[0] < 0x80 {
		b, longest = b[1:], 32
	}
	b, ok = listContent(b)
	for range 3 {
		item, rest, err := wire.SplitString(b)
		if !ok || err != nil || len(item) > longest {
			return false
		}
		b, longest = rest, 32
	}
	return true
}

// isBlock reports whether head begins an RLP block: a list that starts with a list, the header,
// which starts with two hashes, an address and three more hashes.
func isBlock(head []byte) bool {
	header, ok := listContent(head)
	if !ok {
		return false
	}
	b, ok := listContent(header)
	if !ok {
		return false
	}
	for _, size := range [...]int{32, 32, 20, 32, 32, 32} {
		if len(b) < 1+size || b[0] != 0x80+byte(size) {
			return false
		}
		b = b[1+size:]
	}
	return true
}

// listContent returns the part of an RLP list's content that head contains. It returns false if
// head does not start with a list.
func listContent(head []byte) ([]byte, bool) {
	if len(head) < 9 || head[0] < 0xf8 {
		return nil, false
	}
	h, err := wire.ParseHead(head)
	if err != nil {
		return nil, false
	}
	return head[h.Width:], true
}
