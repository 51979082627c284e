package ethereum

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/koblitz-go/koblitz/ethereum/wire"
)

const (
	// maxHeaderField is the maximum length in characters of a header's field in JSON.
	maxHeaderField = 4096

	// hashText is the length in characters of a hash in JSON.
	hashText = len("0x") + 2*32
)

// headerFieldOf returns the header field with the given name in JSON.
func headerFieldOf(name string) (wire.HeaderField, bool) {
	for f := range wire.HeaderField(wire.HeaderFields) {
		if f.String() == name {
			return f, true
		}
	}
	return 0, false
}

// A header holds the fields of a block's header that are known. The others are nil.
type header struct {
	wire.Header
	hash []byte // 32 bytes, or nil if the block does not state it and lacks fields
	bad  bool   // a field is malformed
}

// set sets a field to its value in JSON.
func (h *header) set(f wire.HeaderField, text string) error {
	content, err := decodeField(text, f.IsNumber())
	if err == nil && f.Check(content) != nil {
		err = errLength
	}
	if err != nil {
		h.bad = true
		return err
	}
	h.Header[f] = content
	return nil
}

// computed returns the block's hash. ok is false if a field is missing or malformed.
func (h *header) computed() (hash [32]byte, ok bool) {
	if h.bad || !h.IsComplete() {
		return hash, false
	}
	return keccak256(h.Append(nil)), true
}

var (
	errNotHex = errors.New("not hexadecimal digits in the form 0x…")
	errLength = errors.New("too many or too few bytes")
)

// decodeField decodes the text of a field. It drops the leading zeros of a number.
func decodeField(text string, isNumber bool) ([]byte, error) {
	if isNumber {
		var q quantity
		if err := q.set([]byte(text)); err != nil {
			return nil, err
		}
		return q.bytes(), nil
	}
	digits, ok := strings.CutPrefix(text, "0x")
	b, err := hex.DecodeString(digits)
	if err != nil || !ok {
		return nil, errNotHex
	}
	return b, nil
}

// withdrawals returns the trie root of a block's withdrawals, given in JSON.
func withdrawals(text []byte) (root [32]byte, err error) {
	if err := withdrawalTable.CheckNames(text); err != nil {
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
func (w *withdrawal) encode() (item []byte, err error) {
	for _, text := range []*string{&w.Index, &w.Validator, &w.Address, &w.Amount} {
		isNumber := text != &w.Address
		content, err := decodeField(*text, isNumber)
		switch {
		case err != nil:
			return nil, err
		case isNumber && len(content) > 8 || !isNumber && len(content) != 20:
			return nil, errLength
		}
		item = wire.AppendString(item, content)
	}
	return wire.WrapList(item, 0), nil
}

// isWithdrawal reports whether item is a withdrawal in RLP: its index, the index of the validator,
// an address and an amount.
func isWithdrawal(item []byte) bool {
	list, _, err := wire.SplitList(item)
	for i := 0; err == nil && i < 4; i++ {
		if i != 2 {
			_, list, err = wire.SplitUint64(list)
			continue
		}
		var address []byte
		if address, list, err = wire.SplitString(list); len(address) != 20 {
			return false
		}
	}
	return err == nil && len(list) == 0
}

// areHeaders reports whether the list raw, a part of a block, is a list of headers (uncles).
func areHeaders(raw []byte) bool {
	list, _, err := wire.SplitList(raw)
	for err == nil && len(list) > 0 {
		one := list
		if _, _, list, err = wire.Split(list); err == nil {
			err = new(wire.Header).Decode(one[:len(one)-len(list)])
		}
	}
	return err == nil
}
