package wire

import "fmt"

// A HeaderField is the position of a field in the list that is a block's header (Yellow Paper,
// section 4.4; the EIPs named below).
type HeaderField int

// The first 15 fields are in every header.
const (
	//layers:allow the position in the list
	ParentHash          HeaderField = iota
	UnclesHash                      // Keccak-256 of the list of uncles
	Coinbase                        // address that received the fees
	StateRoot                       // root of the trie of accounts after the block
	TransactionsRoot                // root of the trie of the block's transactions
	ReceiptsRoot                    // root of the trie of the transactions' receipts
	LogsBloom                       // Bloom filter of the transactions' logs
	Difficulty                      // 0 since EIP-3675 (the merge)
	Number                          // number of ancestors
	GasLimit                        // greatest gas that the block may use
	GasUsed                         // gas that its transactions used
	Timestamp                       // seconds since 1970
	ExtraData                       // bytes of any length
	MixHash                         // since EIP-4399 the beacon chain's randomness
	Nonce                           // 8 bytes, part of the proof of work
	BaseFee                         // EIP-1559 (London)
	WithdrawalsRoot                 // EIP-4895 (Shanghai)
	BlobGasUsed                     // EIP-4844 (Cancun)
	ExcessBlobGas                   // EIP-4844 (Cancun)
	ParentBeaconRoot                // EIP-4788 (Cancun)
	RequestsHash                    // EIP-7685 (Prague)
	BlockAccessListHash             // EIP-7928 (Amsterdam)
	SlotNumber                      // EIP-7843 (Amsterdam)

	// HeaderFields is the largest number of fields of a header.
	HeaderFields = int(SlotNumber) + 1

	requiredFields = int(Nonce) + 1
)

// headerFields has the name of each field in JSON-RPC and its form.
var headerFields = [HeaderFields]field{
	ParentHash:          {"parentHash", hash},
	UnclesHash:          {"sha3Uncles", hash},
	Coinbase:            {"miner", address},
	StateRoot:           {"stateRoot", hash},
	TransactionsRoot:    {"transactionsRoot", hash},
	ReceiptsRoot:        {"receiptsRoot", hash},
	LogsBloom:           {"logsBloom", bloom},
	Difficulty:          {"difficulty", number256},
	Number:              {"number", number64},
	GasLimit:            {"gasLimit", number64},
	GasUsed:             {"gasUsed", number64},
	Timestamp:           {"timestamp", number64},
	ExtraData:           {"extraData", data},
	MixHash:             {"mixHash", hash},
	Nonce:               {"nonce", eightBytes},
	BaseFee:             {"baseFeePerGas", number256},
	WithdrawalsRoot:     {"withdrawalsRoot", hash},
	BlobGasUsed:         {"blobGasUsed", number64},
	ExcessBlobGas:       {"excessBlobGas", number64},
	ParentBeaconRoot:    {"parentBeaconBlockRoot", hash},
	RequestsHash:        {"requestsHash", hash},
	BlockAccessListHash: {"blockAccessListHash", hash},
	SlotNumber:          {"slotNumber", number64},
}

// String returns the name of the field in JSON-RPC.
func (f HeaderField) String() string {
	if f < 0 || int(f) >= HeaderFields {
		return fmt.Sprintf("HeaderField(%d)", int(f))
	}
	return headerFields[f].name
}

// IsNumber reports whether the field is a number, encoded without leading zero bytes.
func (f HeaderField) IsNumber() bool {
	form := headerFields[f].form
	return form == number64 || form == number256
}

// Check returns an error if content does not have the form of the field: [ErrLength] for a wrong
// length, and [ErrCanonInt] for a number with leading zero bytes. Numbers have at most 8 bytes,
// Difficulty and BaseFee 32.
func (f HeaderField) Check(content []byte) error { return headerFields[f].form.check(content) }

// A Header holds the contents of a block's header, by HeaderField. A field that the header lacks is
// nil, and the number zero is empty.
type Header [HeaderFields][]byte

// Decode sets h to the header that raw encodes. The contents are parts of raw. The errors:
//
//   - [ErrTooFew], [ErrTooLarge], [ErrCanonSize], [ErrExpectedList] and [ErrExpectedString] if raw
//     is not a list of at least 15 strings; the fields from the first wrong item on are nil then;
//   - a [FieldError] for the first field that fails its Check; all fields are set then;
//   - [ErrTooMany] for more than HeaderFields items, or bytes after the list; all fields are set
//     then, unless they have one of the errors above.
func (h *Header) Decode(raw []byte) error {
	*h = Header{}
	items, after, err := SplitList(raw)
	if err != nil {
		return err
	}
	for f := range h {
		if f >= requiredFields && len(items) == 0 {
			break
		}
		if h[f], items, err = SplitString(items); err != nil {
			return err
		}
	}
	for f, content := range h {
		if content == nil {
			break
		}
		if err := HeaderField(f).Check(content); err != nil {
			return &FieldError{HeaderField(f).String(), err}
		}
	}
	if len(items) > 0 || len(after) > 0 {
		return ErrTooMany
	}
	return nil
}

// IsComplete reports whether h has the 15 fields of every header, and lacks no later field that is
// followed by another one.
func (h *Header) IsComplete() bool {
	n := 0
	for n < HeaderFields && h[n] != nil {
		n++
	}
	for _, content := range h[n:] {
		if content != nil {
			return false
		}
	}
	return n >= requiredFields
}

// Append appends the encoding of h, which should be complete: fields that are nil are left out.
func (h *Header) Append(dst []byte) []byte {
	start := len(dst)
	for _, content := range h {
		if content != nil {
			dst = AppendString(dst, content)
		}
	}
	return WrapList(dst, start)
}

// Uint64 returns the value of a number of at most 64 bits, or 0 if h lacks the field.
func (h *Header) Uint64(f HeaderField) uint64 { return number(h[f]) }
