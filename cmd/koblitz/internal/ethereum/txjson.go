package ethereum

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

type accessJSON struct {
	Address     data   `json:"address"`
	StorageKeys []data `json:"storageKeys"`
}

type authorizationJSON struct {
	ChainID quantity `json:"chainId"`
	Address data     `json:"address"`
	Nonce   quantity `json:"nonce"`
	YParity quantity `json:"yParity"`
	V       quantity `json:"v"`
	R       quantity `json:"r"`
	S       quantity `json:"s"`
}

// txJSON is a transaction in the form of a response to eth_getBlockByNumber.
type txJSON struct {
	Type       quantity            `json:"type"`
	ChainID    quantity            `json:"chainId"`
	Nonce      quantity            `json:"nonce"`
	GasPrice   quantity            `json:"gasPrice"`
	GasTipCap  quantity            `json:"maxPriorityFeePerGas"`
	GasFeeCap  quantity            `json:"maxFeePerGas"`
	Gas        quantity            `json:"gas"`
	To         data                `json:"to"`
	Value      quantity            `json:"value"`
	Input      data                `json:"input"`
	AccessList []accessJSON        `json:"accessList"`
	BlobFeeCap quantity            `json:"maxFeePerBlobGas"`
	BlobHashes []data              `json:"blobVersionedHashes"`
	AuthList   []authorizationJSON `json:"authorizationList"`
	YParity    quantity            `json:"yParity"`
	V          quantity            `json:"v"`
	R          quantity            `json:"r"`
	S          quantity            `json:"s"`
	From       data                `json:"from"`
	Hash       data                `json:"hash"`

	// These fields repeat values of the transaction's block.
	Index       quantity `json:"transactionIndex"`
	BlockHash   data     `json:"blockHash"`
	BlockNumber quantity `json:"blockNumber"`
	BlockTime   quantity `json:"blockTimestamp"`
}

var txTable = reading.TableOf[txJSON]()

// object fills in the item from raw, a transaction in compact JSON (see reading.Value). It encodes
// the fields and then proceeds as for an encoded transaction.
func (x *expander) object(raw json.RawMessage) {
	u := &x.unit
	j := &x.json
	*j = txJSON{}
	if err := txTable.Decode(raw, j); err != nil {
		x.decide(reading.Malformed, "%s", reading.JSONReason(err))
		return
	}
	if j.Hash != nil {
		if len(j.Hash) != 32 {
			x.decide(reading.Malformed, `"hash" has %d bytes instead of 32`, len(j.Hash))
			return
		}
		x.named = "0x" + hex.EncodeToString(j.Hash)
		u.Where.Tx = x.named
	}
	kind := wire.Legacy
	if j.Type != nil {
		n, ok := j.Type.uint64()
		if !ok || n > uint64(wire.SetCode) {
			x.decide(reading.NotCheckable, "a transaction of type %d, which nothing here knows",
				new(big.Int).SetBytes(j.Type))
			return
		}
		kind = wire.Type(n)
	}
	u.Kind = kinds[kind]
	encoded, err := j.encode(kind, make([]byte, 0, len(raw)/2))
	if err != nil {
		x.decide(reading.Malformed, "%v", err)
		return
	}
	if j.From != nil {
		if u.Sender = j.From; len(u.Sender) != 20 {
			x.decide(reading.Malformed, `"from" has %d bytes instead of 20`, len(u.Sender))
			return
		}
	}
	x.encoded(encoded)
	if why := x.differs(); why != "" {
		x.decide(reading.Malformed, "%s", why)
	}
	if !x.lone {
		x.inBlock()
	}
}

// differs returns a reason why a redundant field differs from the encoded transaction, or is no
// number of its kind, or "".
func (x *expander) differs() string {
	j, index := &x.json, x.unit.Where.Index
	numbers := []quantity{j.Index, j.BlockNumber, j.BlockTime}
	for i, name := range []string{"transactionIndex", "blockNumber", "blockTimestamp"} {
		if q := numbers[i]; q != nil {
			n, ok := q.uint64()
			if !ok {
				return fmt.Sprintf("%q has more than 64 bits", name)
			}
			if i == 0 && index >= 0 && n != uint64(index) {
				return fmt.Sprintf("%q is not %d", name, index)
			}
		}
	}
	// In transactions with a type the chain's ID is signed, and part of the encoding.
	if tx := &x.tx; j.ChainID != nil && tx.Type == wire.Legacy && tx.Protected {
		if id, ok := j.ChainID.uint64(); !ok || tx.LongChainID || id != tx.ChainID {
			return `"chainId" is not what "v" says`
		}
	}
	return ""
}

// inBlock compares the fields that repeat values of the transaction's block with these.
func (x *expander) inBlock() {
	j, h := &x.json, &x.header
	differ := func(name string, says, is []byte) {
		if says != nil && is != nil && !bytes.Equal(says, is) {
			x.flaw("%q of transaction %d is another block's", name, x.unit.Where.Index)
		}
	}
	differ("blockHash", j.BlockHash, x.hash)
	differ("blockNumber", j.BlockNumber, h[wire.Number])
	differ("blockTimestamp", j.BlockTime, h[wire.Timestamp])
}

// An encoder appends fields in RLP. It keeps the first error. The lengths of numbers and strings
// are checked when the encoding is decoded.
type encoder struct {
	b   []byte
	err error
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

// need records an error if the transaction lacks a field that it must have.
func (e *encoder) need(has bool, name string) {
	if !has {
		e.fail("the transaction has no %q", name)
	}
}

// field appends a number or a string that the transaction must have.
func (e *encoder) field(value []byte, name string) {
	e.need(value != nil, name)
	e.b = wire.AppendString(e.b, value)
}

// signature appends the parity of y, r and s. The parity is the field yParity, or v, where older
// nodes write it.
func (e *encoder) signature(yParity, v, r, s quantity) {
	switch {
	case yParity == nil:
		yParity = v
	case v != nil && !bytes.Equal(v, yParity):
		e.fail(`"yParity" and "v" differ`)
	}
	e.field(yParity, "v")
	e.field(r, "r")
	e.field(s, "s")
}

// list appends the list of what items appends.
func (e *encoder) list(items func()) {
	start := len(e.b)
	items()
	e.b = wire.WrapList(e.b, start)
}

// strings appends a list of strings.
func (e *encoder) strings(list []data) {
	e.list(func() {
		for _, s := range list {
			e.b = wire.AppendString(e.b, s)
		}
	})
}

func (e *encoder) accessList(list []accessJSON) {
	e.list(func() {
		for _, a := range list {
			e.list(func() {
				e.b = wire.AppendString(e.b, a.Address)
				e.strings(a.StorageKeys)
			})
		}
	})
}

func (e *encoder) authorizations(list []authorizationJSON) {
	e.list(func() {
		for _, a := range list {
			e.list(func() {
				e.field(a.ChainID, "chainId")
				e.b = wire.AppendString(e.b, a.Address)
				e.field(a.Nonce, "nonce")
				e.signature(a.YParity, a.V, a.R, a.S)
			})
		}
	})
}

// encode appends the EIP-2718 encoding of a transaction of type kind with the fields of j to buf,
// which is empty.
func (j *txJSON) encode(kind wire.Type, buf []byte) (encoded []byte, err error) {
	e := encoder{b: buf}
	if kind != wire.Legacy {
		e.b = append(e.b, byte(kind))
	}
	e.list(func() { e.fields(kind, j) })
	return e.b, e.err
}

// fields appends the fields of a transaction of type kind.
func (e *encoder) fields(kind wire.Type, j *txJSON) {
	if kind != wire.Legacy {
		e.field(j.ChainID, "chainId")
	}
	e.field(j.Nonce, "nonce")
	if kind <= wire.AccessList {
		e.field(j.GasPrice, "gasPrice")
	} else {
		e.field(j.GasTipCap, "maxPriorityFeePerGas")
		e.field(j.GasFeeCap, "maxFeePerGas")
	}
	e.field(j.Gas, "gas")
	if j.To != nil && len(j.To) == 0 {
		e.fail(`"to" is empty`) // null stands for the creation of a contract
	}
	e.b = wire.AppendString(e.b, j.To)
	e.field(j.Value, "value")
	e.field(j.Input, "input")
	if kind == wire.Legacy { // it has no access list, and its JSON may have one
		e.signature(nil, j.V, j.R, j.S)
		return
	}
	e.accessList(j.AccessList)
	switch kind {
	case wire.Blob:
		e.need(j.BlobHashes != nil, "blobVersionedHashes")
		e.field(j.BlobFeeCap, "maxFeePerBlobGas")
		e.strings(j.BlobHashes)
	case wire.SetCode:
		e.need(j.AuthList != nil, "authorizationList")
		e.authorizations(j.AuthList)
	}
	e.signature(j.YParity, j.V, j.R, j.S)
}
