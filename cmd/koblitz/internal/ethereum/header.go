package ethereum

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/holiman/uint256"
)

// A headerField is the index of a field in a block's RLP header.
type headerField int

const (
	//layers:allow the position in the list that is hashed
	parentHash headerField = iota
	unclesHash
	coinbase
	stateRoot
	transactionsRoot
	receiptsRoot
	logsBloom
	difficulty
	number
	gasLimit
	gasUsed
	timestamp
	extraData
	mixHash
	nonce
	baseFee             // since the London fork
	withdrawalsRoot     // since the Shanghai fork
	blobGasUsed         // since the Cancun fork
	excessBlobGas       // since the Cancun fork
	parentBeaconRoot    // since the Cancun fork
	requestsHash        // since the Prague fork
	blockAccessListHash // since the Amsterdam fork
	slotNumber          // since the Amsterdam fork
	blockHash           // hash of the fields above; not an item of the header's list
)

const (
	headerFields = int(blockHash)
	required     = int(baseFee) // the fields before baseFee are in every header

	// These constants are used in place of a field's size in bytes: aNumber for a number of at most
	// 64 bits, longNumber for one of at most 256 bits, anyLength for bytes of any length.
	aNumber    = 0
	anyLength  = -1
	longNumber = -2

	// maxHeaderField is the maximum length of a field in characters.
	maxHeaderField = 4096

	// emptyUncles is the Keccak-256 of an empty list.
	emptyUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
)

// headerNames lists each field's name in JSON-RPC and its size in bytes.
var headerNames = [...]struct {
	size int
	name string
}{
	parentHash:          {32, "parentHash"},
	unclesHash:          {32, "sha3Uncles"},
	coinbase:            {20, "miner"},
	stateRoot:           {32, "stateRoot"},
	transactionsRoot:    {32, "transactionsRoot"},
	receiptsRoot:        {32, "receiptsRoot"},
	logsBloom:           {256, "logsBloom"},
	difficulty:          {longNumber, "difficulty"},
	number:              {aNumber, "number"},
	gasLimit:            {aNumber, "gasLimit"},
	gasUsed:             {aNumber, "gasUsed"},
	timestamp:           {aNumber, "timestamp"},
	extraData:           {anyLength, "extraData"},
	mixHash:             {32, "mixHash"},
	nonce:               {8, "nonce"},
	baseFee:             {longNumber, "baseFeePerGas"},
	withdrawalsRoot:     {32, "withdrawalsRoot"},
	blobGasUsed:         {aNumber, "blobGasUsed"},
	excessBlobGas:       {aNumber, "excessBlobGas"},
	parentBeaconRoot:    {32, "parentBeaconBlockRoot"},
	requestsHash:        {32, "requestsHash"},
	blockAccessListHash: {32, "blockAccessListHash"},
	slotNumber:          {aNumber, "slotNumber"},
	blockHash:           {32, "hash"},
}

// headerFieldOf returns the header field with the given name.
func headerFieldOf(name string) (headerField, bool) {
	if name == "balHash" { // go-ethereum's name
		return blockAccessListHash, true
	}
	for f := range headerNames {
		if headerNames[f].name == name {
			return headerField(f), true
		}
	}
	return 0, false
}

// A header holds the header fields as JSON strings. Missing and null fields are empty.
type header [headerFields + 1]string

// set stores a field. It returns an error if the field already has a different value.
func (h *header) set(f headerField, text string) error {
	if len(text) > maxHeaderField {
		return fmt.Errorf("%q of the block has %d characters", headerNames[f].name, len(text))
	}
	if h[f] != "" && !same(f, h[f], text) {
		return fmt.Errorf("%q of the block comes a second time, and differs", headerNames[f].name)
	}
	h[f] = text
	return nil
}

// encode returns the header in RLP. ok is false if a field is missing, and err is not nil if a
// field is malformed.
func (h *header) encode() (encoded []byte, ok bool, err error) {
	n := headerFields
	for n > required && h[n-1] == "" {
		n--
	}
	var items [][]byte
	for f := range n {
		if h[f] == "" {
			continue
		}
		item, err := encodeField(h[f], headerNames[f].size)
		if err != nil {
			return nil, false, fmt.Errorf("%q of the block: %w", headerNames[f].name, err)
		}
		items = append(items, item)
	}
	return listOf(items...), len(items) == n, nil
}

// encodeField decodes the text of a field with the given size in bytes. It drops the leading zeros
// of a number.
func encodeField(text string, size int) ([]byte, error) {
	digits, isHex := strings.CutPrefix(text, "0x")
	if size > 0 || size == anyLength {
		b, err := hex.DecodeString(digits)
		if err != nil || !isHex {
			return nil, errors.New("not hexadecimal digits in the form 0x…")
		}
		if size != anyLength && len(b) != size {
			return nil, fmt.Errorf("%d bytes instead of %d", len(b), size)
		}
		return b, nil
	}
	var n uint256.Int
	var err error
	if trimmed := strings.TrimLeft(digits, "0"); trimmed != "" {
		err = n.SetFromHex("0x" + trimmed)
	}
	if err != nil || !isHex || digits == "" {
		return nil, errors.New("not a number")
	}
	if b := n.Bytes(); fits(size, b) {
		return b, nil
	}
	return nil, errors.New("a number of more than 64 bits")
}

// fits reports whether content is a well-formed value of a field with the given size.
func fits(size int, content []byte) bool {
	switch size {
	case anyLength:
		return true
	case aNumber:
		size = 8
	case longNumber:
		size = 32
	default:
		return len(content) == size
	}
	return len(content) <= size && (len(content) == 0 || content[0] != 0)
}

// withdrawals returns the trie root of a block's withdrawals, given in JSON.
func withdrawals(text []byte) (root [32]byte, err error) {
	if err := checkNames(withdrawalTable, text); err != nil {
		return root, err
	}
	var list []withdrawal
	if err := json.Unmarshal(text, &list); err != nil {
		return root, errors.New("not a list of withdrawals")
	}
	x := newExpander(nil)
	defer x.Release()
	var leaves []*leaf
	for i := range list {
		item, err := list[i].encode()
		if err != nil {
			return root, err
		}
		leaves = append(leaves, x.newLeaf(i, item))
	}
	root, _ = x.root(leaves)
	return root, nil
}

// A withdrawal is one withdrawal of a block in JSON (EIP-4895).
type withdrawal struct {
	Index     string `json:"index"`
	Validator string `json:"validatorIndex"`
	Address   string `json:"address"`
	Amount    string `json:"amount"`
}

// encode returns the withdrawal in RLP.
func (w *withdrawal) encode() ([]byte, error) {
	var items [][]byte
	for _, x := range []struct {
		text string
		size int
	}{{w.Index, aNumber}, {w.Validator, aNumber}, {w.Address, 20}, {w.Amount, aNumber}} {
		item, err := encodeField(x.text, x.size)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return listOf(items...), nil
}
