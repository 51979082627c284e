package ethereum

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

var (
	errNotHex     = errors.New("not hexadecimal digits in the form 0x…")
	errLength     = errors.New("too many or too few bytes")
	errWithdrawal = errors.New("a withdrawal is not a list of two numbers, an address and an amount")
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

// A withdrawal is one withdrawal of a block in JSON (EIP-4895).
type withdrawal struct {
	Index     string `json:"index"`
	Validator string `json:"validatorIndex"`
	Address   string `json:"address"`
	Amount    string `json:"amount"`
}

var withdrawalTable = reading.TableOf[withdrawal]()

// withdrawals returns a block's withdrawals in RLP, given in JSON.
func withdrawals(text []byte) ([][]byte, error) {
	if err := withdrawalTable.CheckNames(text); err != nil {
		return nil, err
	}
	var list []withdrawal
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, errors.New("not a list of withdrawals")
	}
	all := [][]byte{}
	for _, w := range list {
		var item []byte
		for i, text := range []string{w.Index, w.Validator, w.Address, w.Amount} {
			content, err := decodeField(text, i != 2)
			if err != nil {
				return nil, err
			}
			item = wire.AppendString(item, content)
		}
		if item = wire.WrapList(item, 0); !isWithdrawal(item) {
			return nil, errWithdrawal
		}
		all = append(all, item)
	}
	return all, nil
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
