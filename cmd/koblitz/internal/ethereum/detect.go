package ethereum

import (
	"bytes"
	"regexp"

	"github.com/ethereum/go-ethereum/rlp"
)

// A Format is an input format of this package.
type Format string

const (
	FormatJSON         Format = "ethereum-json" // the format that the function JSON reads
	FormatRLP          Format = "ethereum-rlp"  // the format that the function RLP reads
	FormatTransactions Format = "ethereum-tx"   // the format that the function Transactions reads
)

// blockField matches a field name that occurs near the start of a JSON block and in no other input
// of the check command.
var blockField = regexp.MustCompile(`"(parentHash|stateRoot|receiptsRoot|logsBloom|gasLimit|` +
	`proposer_index|parent_root|state_root|receipts_root|randao_reveal|execution_payload)"\s*:`)

// noBlock matches a node's response that contains no block. Detect accepts it as JSON, so that the
// reader can return a helpful error.
var noBlock = regexp.MustCompile(`^\[?\s*\{(\s*"(jsonrpc|id)"\s*:\s*("[^"]*"|\d+|null)\s*,` +
	`)*\s*"(result"\s*:\s*null|error"\s*:\s*\{)`)

// Detect returns the format of a file that starts with head. A longer head makes detection more
// reliable. It returns false if the file is in none of the formats.
func Detect(head []byte) (Format, bool) {
	if isBlock(head) {
		return FormatRLP, true
	}
	text := bytes.TrimLeft(head, " \t\r\n")
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') && (blockField.Match(text) ||
		noBlock.Match(text)) {
		return FormatJSON, true
	}
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') && isTransaction(text) {
		return FormatTransactions, true
	}
	return "", false
}

// A transaction in JSON has two fields that match transactionFields. Objects with a field that
// matches transactionList are not transactions.
var (
	transactionFields = [2]*regexp.Regexp{regexp.MustCompile(`"from"\s*:\s*"0x`),
		regexp.MustCompile(`"gas"\s*:\s*"0x`)}
	transactionList = regexp.MustCompile(`"transactions"\s*:`)
)

func isTransaction(text []byte) bool {
	return transactionFields[0].Match(text) && transactionFields[1].Match(text) &&
		!transactionList.Match(text)
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
	s := rlp.NewStream(bytes.NewReader(head[:9]), 1<<62)
	if size, err := s.List(); err != nil || size == 0 {
		return nil, false
	}
	return head[1+head[0]-0xf7:], true
}
