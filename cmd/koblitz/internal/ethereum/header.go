package ethereum

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
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

// headerNames lists each field's names in JSON-RPC, the engine API and the beacon API, and its size
// in bytes.
var headerNames = [...]struct {
	size  int
	names []string
}{
	parentHash:          {32, []string{"parentHash", "parent_hash"}},
	unclesHash:          {32, []string{"sha3Uncles"}},
	coinbase:            {20, []string{"miner", "feeRecipient", "fee_recipient"}},
	stateRoot:           {32, []string{"stateRoot", "state_root"}},
	transactionsRoot:    {32, []string{"transactionsRoot"}},
	receiptsRoot:        {32, []string{"receiptsRoot", "receipts_root"}},
	logsBloom:           {256, []string{"logsBloom", "logs_bloom"}},
	difficulty:          {longNumber, []string{"difficulty"}},
	number:              {aNumber, []string{"number", "blockNumber", "block_number"}},
	gasLimit:            {aNumber, []string{"gasLimit", "gas_limit"}},
	gasUsed:             {aNumber, []string{"gasUsed", "gas_used"}},
	timestamp:           {aNumber, []string{"timestamp"}},
	extraData:           {anyLength, []string{"extraData", "extra_data"}},
	mixHash:             {32, []string{"mixHash", "prevRandao", "prev_randao"}},
	nonce:               {8, []string{"nonce"}},
	baseFee:             {longNumber, []string{"baseFeePerGas", "base_fee_per_gas"}},
	withdrawalsRoot:     {32, []string{"withdrawalsRoot"}},
	blobGasUsed:         {aNumber, []string{"blobGasUsed", "blob_gas_used"}},
	excessBlobGas:       {aNumber, []string{"excessBlobGas", "excess_blob_gas"}},
	parentBeaconRoot:    {32, []string{"parentBeaconBlockRoot"}},
	requestsHash:        {32, []string{"requestsHash"}},
	blockAccessListHash: {32, []string{"blockAccessListHash", "balHash"}},
	slotNumber:          {aNumber, []string{"slotNumber"}},
	blockHash:           {32, []string{"hash", "blockHash", "block_hash"}},
}

// headerFieldOf returns the header field with the given name.
func headerFieldOf(name string) (headerField, bool) {
	for f := range headerNames {
		for _, n := range headerNames[f].names {
			if n == name {
				return headerField(f), true
			}
		}
	}
	return 0, false
}

// A header holds the header fields as JSON strings. Missing and null fields are empty.
type header [headerFields + 1]string

// set stores a field. It returns an error if the field already has a different value.
func (h *header) set(f headerField, text string) error {
	if len(text) > maxHeaderField {
		return fmt.Errorf("%q of the block has %d characters", headerNames[f].names[0], len(text))
	}
	if h[f] != "" && !same(f, h[f], text) {
		return fmt.Errorf("%q of the block comes a second time, and differs", headerNames[f].names[0])
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
			return nil, false, fmt.Errorf("%q of the block: %w", headerNames[f].names[0], err)
		}
		items = append(items, item)
	}
	return listOf(items...), len(items) == n, nil
}

// encodeField decodes the text of a field with the given size in bytes. It drops the leading zeros
// of a number. It also accepts decimal numbers, as the beacon API writes them.
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
	if !isHex {
		err = n.SetFromDecimal(digits)
	} else if trimmed := strings.TrimLeft(digits, "0"); trimmed != "" {
		err = n.SetFromHex("0x" + trimmed)
	} else if digits == "" {
		err = errors.New("no digits")
	}
	if err != nil || digits[0] == '+' {
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

// withdrawals returns the trie root of a block's withdrawals, given in JSON. The caller must have
// checked the field names in text against withdrawalTable.
func withdrawals(text []byte) (root [32]byte, err error) {
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

// requests returns the hash (EIP-7685) of a block's requests to the consensus layer. text lists
// them as the beacon API does. The encoding of each request is the concatenation of its fields
// (EIP-6110, EIP-7002, EIP-7251).
func requests(text []byte) (hash string, err error) {
	type object map[string]json.RawMessage
	var lists struct {
		Deposits       []object `json:"deposits"`
		Withdrawals    []object `json:"withdrawals"`
		Consolidations []object `json:"consolidations"`
	}
	if err := json.Unmarshal(text, &lists); err != nil {
		return "", errors.New("not lists of requests")
	}
	all := sha256.New()
	for kind, list := range [][]object{lists.Deposits, lists.Withdrawals, lists.Consolidations} {
		content := []byte{byte(kind)}
		for _, o := range list {
			for _, f := range requestFields[kind] {
				var text string
				if json.Unmarshal(o[f.name], &text) != nil {
					return "", fmt.Errorf("%q is wanted, a string", f.name)
				}
				b, err := encodeField(text, f.size)
				if err != nil {
					return "", fmt.Errorf("%q: %w", f.name, err)
				}
				if f.size == aNumber { // a number is encoded as 64 bits, little-endian
					slices.Reverse(b)
					b = append(b, make([]byte, 8)...)[:8]
				}
				content = append(content, b...)
			}
		}
		if len(content) > 1 {
			one := sha256.Sum256(content)
			all.Write(one[:])
		}
	}
	return "0x" + hex.EncodeToString(all.Sum(nil)), nil
}

// requestFields lists the fields of each kind of request, with their sizes in bytes.
var requestFields = [...][]struct {
	name string
	size int
}{
	{{"pubkey", 48}, {"withdrawal_credentials", 32}, {"amount", aNumber}, {"signature", 96},
		{"index", aNumber}},
	{{"source_address", 20}, {"validator_pubkey", 48}, {"amount", aNumber}},
	{{"source_address", 20}, {"source_pubkey", 48}, {"target_pubkey", 48}},
}

// requestTable returns the table of the field names of one kind of request.
func requestTable(kind int) *jsonfile.Table {
	t := jsonfile.NewTable()
	for _, f := range requestFields[kind] {
		t.With(f.name, nil)
	}
	return t
}

// A withdrawal is one withdrawal of a block in JSON (EIP-4895).
type withdrawal struct {
	Index           string `json:"index"`
	Validator       string `json:"validatorIndex"`
	BeaconValidator string `json:"validator_index"` // the same number in the beacon API
	Address         string `json:"address"`
	Amount          string `json:"amount"`
}

// encode returns the withdrawal in RLP.
func (w *withdrawal) encode() ([]byte, error) {
	if w.Validator != "" && w.BeaconValidator != "" {
		return nil, errors.New("\"validatorIndex\" and \"validator_index\" of a withdrawal")
	}
	var items [][]byte
	for _, x := range []struct {
		text string
		size int
	}{{w.Index, aNumber}, {w.Validator + w.BeaconValidator, aNumber}, {w.Address, 20},
		{w.Amount, aNumber}} {
		item, err := encodeField(x.text, x.size)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return listOf(items...), nil
}
