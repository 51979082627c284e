package ethereum

import (
	"encoding/json"
	"errors"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

var (
	errLength     = errors.New("too many or too few bytes")
	errWithdrawal = errors.New("a withdrawal is not a list of two numbers, an address and an amount")
)

// A withdrawal is one withdrawal of a block in JSON (EIP-4895).
type withdrawal struct {
	Index     quantity `json:"index"`
	Validator quantity `json:"validatorIndex"`
	Address   data     `json:"address"`
	Amount    quantity `json:"amount"`
}

var withdrawalTable = reading.TableOf[withdrawal]()

// withdrawals returns a block's withdrawals in RLP, given in JSON.
func withdrawals(text []byte) ([][]byte, error) {
	if err := withdrawalTable.CheckNames(text); err != nil {
		return nil, err
	}
	var list []withdrawal
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, errors.New(reading.JSONReason(err))
	}
	all := [][]byte{}
	for _, w := range list {
		var item []byte
		for _, content := range [][]byte{w.Index, w.Validator, w.Address, w.Amount} {
			if content == nil {
				return nil, errWithdrawal
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
