package wire

import (
	"errors"
	"fmt"
	"math/big"
)

// A Type is the type of a transaction (EIP-2718).
type Type byte

const (
	//layers:allow the first byte of an encoded transaction
	Legacy     Type = iota // a list without a type; with or without a chain ID (EIP-155)
	AccessList             // EIP-2930
	DynamicFee             // EIP-1559
	Blob                   // EIP-4844
	SetCode                // EIP-7702
)

// ErrType is the error for a transaction of another type.
var ErrType = errors.New("ethereum: unknown transaction type")

// A Transaction holds the parts of an encoded transaction that its signature depends on. They are
// parts of the encoding.
type Transaction struct {
	Type Type

	// Unsigned is the encoding of the fields before the signature, without the list's head.
	Unsigned []byte

	// V, R and S are the last three fields: big-endian numbers of at most 32 bytes, without leading
	// zeros.
	V, R, S []byte

	// YParity is the parity of y: 0 or 1. Any other value means that V states none.
	YParity byte

	// Protected means that the signature is for one chain: the transaction has a type, or V is at
	// least 35 (EIP-155). ChainID is the ID of the chain. If the ID has more than 64 bits, ChainID
	// is 0 and LongChainID is set.
	Protected   bool
	LongChainID bool
	ChainID     uint64
}

// NoParity is the value of YParity if V states no parity.
const NoParity = 2

// A form is the kind of an RLP item.
type form uint8

const (
	number64   form = iota + 1 // number of at most 64 bits
	number256                  // number of at most 256 bits
	anyNumber                  // number of any length
	oneByte                    // number of at most 8 bits
	address                    // 20 bytes
	optional                   // 20 bytes, or none
	hash                       // 32 bytes
	bloom                      // 256 bytes
	eightBytes                 // 8 bytes
	data                       // bytes of any length
	hashes                     // list of hashes
	accessList                 // list of addresses with hashes (EIP-2930)
	authList                   // list of authorizations (EIP-7702)
)

// A field is a field of a list: its name in JSON-RPC and its form.
type field struct {
	name string
	form form
}

// layouts lists the fields of each type of transaction.
var layouts = [...][]field{
	Legacy: {
		{"nonce", number64}, {"gasPrice", anyNumber}, {"gas", number64}, {"to", optional},
		{"value", anyNumber}, {"input", data},
		{"v", number256}, {"r", number256}, {"s", number256},
	},
	AccessList: {
		{"chainId", number256}, {"nonce", number64}, {"gasPrice", anyNumber}, {"gas", number64},
		{"to", optional}, {"value", anyNumber}, {"input", data}, {"accessList", accessList},
		{"yParity", number256}, {"r", number256}, {"s", number256},
	},
	DynamicFee: {
		{"chainId", number256}, {"nonce", number64}, {"maxPriorityFeePerGas", anyNumber},
		{"maxFeePerGas", anyNumber}, {"gas", number64}, {"to", optional}, {"value", anyNumber},
		{"input", data}, {"accessList", accessList},
		{"yParity", number256}, {"r", number256}, {"s", number256},
	},
	Blob: {
		{"chainId", number256}, {"nonce", number64}, {"maxPriorityFeePerGas", number256},
		{"maxFeePerGas", number256}, {"gas", number64}, {"to", address}, {"value", number256},
		{"input", data}, {"accessList", accessList}, {"maxFeePerBlobGas", number256},
		{"blobVersionedHashes", hashes},
		{"yParity", number256}, {"r", number256}, {"s", number256},
	},
	SetCode: {
		{"chainId", number256}, {"nonce", number64}, {"maxPriorityFeePerGas", number256},
		{"maxFeePerGas", number256}, {"gas", number64}, {"to", address}, {"value", number256},
		{"input", data}, {"accessList", accessList}, {"authorizationList", authList},
		{"yParity", number256}, {"r", number256}, {"s", number256},
	},
}

var (
	accessFields = []field{{".address", address}, {".storageKeys", hashes}}
	authFields   = []field{{".chainId", number256}, {".address", address}, {".nonce", number64},
		{".yParity", oneByte}, {".r", number256}, {".s", number256}}
)

// Decode sets t to the transaction that raw encodes (EIP-2718): a list, or the type's byte and a
// list. It checks the form of every field, but no rule of a fork. A blob transaction must be
// without its blobs, as it is in blocks. After an error only t.Type is meaningful. The errors:
//
//   - [ErrType] if the first byte is another type, which is below 0x80;
//   - a [FieldError] if a field has not the form of the type's EIP;
//   - an error of [SplitList] if raw is not a list, [ErrTooFew] if the list lacks fields, and
//     [ErrTooMany] if it has further items or raw further bytes.
func (t *Transaction) Decode(raw []byte) error {
	*t = Transaction{}
	list := raw
	if len(raw) > 0 && raw[0] < 0x80 {
		if t.Type = Type(raw[0]); t.Type == Legacy || t.Type > SetCode {
			return ErrType
		}
		list = raw[1:]
	}
	items, after, err := SplitList(list)
	if err != nil {
		return err
	}
	fields := layouts[t.Type]
	var first []byte
	rest := items
	for i, f := range fields {
		if len(fields)-i == 3 {
			n := len(items) - len(rest)
			t.Unsigned = items[:n:n]
		}
		var content []byte
		if content, rest, err = f.split(rest); err != nil {
			return err
		}
		switch len(fields) - i {
		case len(fields):
			first = content
		case 3:
			t.V = content
		case 2:
			t.R = content
		case 1:
			t.S = content
		}
	}
	if len(rest) > 0 || len(after) > 0 {
		return ErrTooMany
	}
	if t.Type == Legacy {
		t.splitV()
		return nil
	}
	t.Protected = true
	t.setChainID(first)
	if t.YParity = NoParity; len(t.V) == 0 || len(t.V) == 1 && t.V[0] == 1 {
		t.YParity = byte(len(t.V))
	}
	return nil
}

// splitV sets the parity and the chain ID of a legacy transaction: V is 27 or 28, or at least 35
// (EIP-155).
func (t *Transaction) splitV() {
	v := number(t.V)
	switch {
	case len(t.V) > 8:
		t.Protected, t.YParity = true, byte(new(big.Int).SetBytes(t.V).Bit(0))^1
		t.setChainID(t.longChainID())
	case v >= 35:
		t.Protected, t.YParity, t.ChainID = true, byte((v-35)%2), (v-35)/2
	case v == 27 || v == 28:
		t.YParity = byte(v - 27)
	default:
		t.YParity = NoParity
	}
}

// longChainID returns the chain ID that V states, big-endian. V must be at least 35.
func (t *Transaction) longChainID() []byte {
	v := new(big.Int).SetBytes(t.V)
	v.Sub(v, big.NewInt(35))
	return v.Rsh(v, 1).Bytes()
}

// setChainID sets the chain ID to a big-endian number without leading zeros.
func (t *Transaction) setChainID(id []byte) {
	if t.LongChainID = len(id) > 8; !t.LongChainID {
		t.ChainID = number(id)
	}
}

// AppendSigningPayload appends the message whose Keccak-256 is signed: the byte of the type, if
// there is one, and the list of the fields before the signature. In a protected legacy transaction
// the chain ID and two zeros follow them (EIP-155).
func (t *Transaction) AppendSigningPayload(dst []byte) []byte {
	var buf [16]byte
	tail := buf[:0]
	switch {
	case t.Type != Legacy:
		dst = append(dst, byte(t.Type))
	case t.LongChainID:
		tail = append(AppendString(tail, t.longChainID()), 0x80, 0x80)
	case t.Protected:
		tail = append(AppendUint64(tail, t.ChainID), 0x80, 0x80)
	}
	dst = AppendHead(dst, true, len(t.Unsigned)+len(tail))
	return append(append(dst, t.Unsigned...), tail...)
}

// split returns the content of the first item of b, which must have the form of f, and the bytes
// after the item. The error is [ErrTooFew] if b is empty, and otherwise a [FieldError].
func (f field) split(b []byte) (content, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, ErrTooFew
	}
	switch f.form {
	case hashes, accessList, authList:
		content, rest, err = SplitList(b)
	default:
		content, rest, err = SplitString(b)
	}
	if err == nil {
		err = f.form.check(content)
	}
	if err != nil {
		return nil, nil, f.wrap(err)
	}
	return content, rest, nil
}

// wrap returns err as an error in field f.
func (f field) wrap(err error) error {
	if inner, ok := err.(*FieldError); ok { // an element of a list
		return &FieldError{f.name + inner.Field, inner.Err}
	}
	return &FieldError{f.name, err}
}

// check returns an error if content is not that of an item of form f. In an error in the element of
// a list, the name of the field begins with the index.
func (f form) check(content []byte) error {
	size := len(content)
	switch f {
	case number64:
		return checkNumber(content, 8)
	case number256:
		return checkNumber(content, 32)
	case oneByte:
		return checkNumber(content, 1)
	case anyNumber:
		return checkNumber(content, size)
	case address:
		size = 20
	case optional:
		if size > 0 {
			size = 20
		}
	case hash:
		size = 32
	case bloom:
		size = 256
	case eightBytes:
		size = 8
	case hashes:
		return eachItem(content, func(b []byte) ([]byte, error) {
			_, rest, err := field{form: hash}.split(b)
			return rest, err
		})
	case accessList:
		return eachItem(content, func(b []byte) ([]byte, error) { return splitFields(b, accessFields) })
	case authList:
		return eachItem(content, func(b []byte) ([]byte, error) { return splitFields(b, authFields) })
	}
	if len(content) != size {
		return ErrLength
	}
	return nil
}

// eachItem calls split for each item of a list. split gets the item and the bytes after it, and
// returns the latter.
func eachItem(list []byte, split func(b []byte) (rest []byte, err error)) error {
	for i := 0; len(list) > 0; i++ {
		var err error
		if list, err = split(list); err != nil {
			return field{name: fmt.Sprintf("[%d]", i)}.wrap(err)
		}
	}
	return nil
}

// splitFields returns the bytes after the first item of b, which must be a list of the given
// fields.
func splitFields(b []byte, fields []field) (rest []byte, err error) {
	items, rest, err := SplitList(b)
	for i := 0; err == nil && i < len(fields); i++ {
		_, items, err = fields[i].split(items)
	}
	if err == nil && len(items) > 0 {
		err = ErrTooMany
	}
	return rest, err
}
