package ethereum

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
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
	ChainID *quantity `json:"chainId"`
	Address data      `json:"address"`
	Nonce   *quantity `json:"nonce"`
	YParity *quantity `json:"yParity"`
	V       *quantity `json:"v"`
	R       *quantity `json:"r"`
	S       *quantity `json:"s"`
}

// txJSON is a transaction in the form of a response to eth_getBlockByNumber.
type txJSON struct {
	Type       *quantity           `json:"type"`
	ChainID    *quantity           `json:"chainId"`
	Nonce      *quantity           `json:"nonce"`
	GasPrice   *quantity           `json:"gasPrice"`
	GasTipCap  *quantity           `json:"maxPriorityFeePerGas"`
	GasFeeCap  *quantity           `json:"maxFeePerGas"`
	Gas        *quantity           `json:"gas"`
	To         *data               `json:"to"`
	Value      *quantity           `json:"value"`
	Input      *data               `json:"input"`
	AccessList []accessJSON        `json:"accessList"`
	BlobFeeCap *quantity           `json:"maxFeePerBlobGas"`
	BlobHashes []data              `json:"blobVersionedHashes"`
	AuthList   []authorizationJSON `json:"authorizationList"`
	YParity    *quantity           `json:"yParity"`
	V          *quantity           `json:"v"`
	R          *quantity           `json:"r"`
	S          *quantity           `json:"s"`
	From       *data               `json:"from"`
	Hash       *data               `json:"hash"`

	// These fields repeat values of the transaction's block.
	Index       *quantity `json:"transactionIndex"`
	BlockHash   *data     `json:"blockHash"`
	BlockNumber *quantity `json:"blockNumber"`
	BlockTime   *quantity `json:"blockTimestamp"`
}

// decode sets j to the JSON object raw, which must be without white space. It returns an error if
// an object has two fields that json.Unmarshal would take for the same field of j: their names are
// equal, or differ only in the case of letters.
func (j *txJSON) decode(raw []byte) error {
	return txTable.Decode(raw, j)
}

// differs returns the name of a redundant field whose value differs from that of the encoded
// transaction tx, or "". A negative index means that the transaction's index is unknown.
func (j *txJSON) differs(tx *wire.Transaction, index int) string {
	if j.Index != nil && index >= 0 {
		if n, ok := j.Index.uint64(); !ok || n != uint64(index) {
			return fmt.Sprintf(`"transactionIndex" is not %d`, index)
		}
	}
	// In transactions with a type the chain's ID is signed, and part of the encoding.
	if j.ChainID != nil && tx.Type == wire.Legacy && tx.Protected {
		if id, ok := j.ChainID.uint64(); !ok || tx.LongChainID || id != tx.ChainID {
			return `"chainId" is not what "v" says`
		}
	}
	return ""
}

// object fills in the expander's reading.Unit from raw, a transaction in compact JSON (see
// reading.Value). It encodes the fields and then proceeds as for an encoded transaction.
func (x *expander) object(raw json.RawMessage, r *rules) {
	u := &x.unit
	j := &x.json
	defer func() { *j = txJSON{} }() // a long transaction takes much memory
	if err := j.decode(raw); err != nil {
		x.decide(reading.Malformed, "%s", reading.JSONReason(err))
		return
	}
	if j.Hash != nil {
		hash, err := j.Hash.fixed(32, "hash")
		if err != nil {
			x.decide(reading.Malformed, "%v", err)
			return
		}
		x.named = "0x" + hex.EncodeToString(hash)
		u.Where.Tx = x.named
	}
	kind := wire.Legacy
	if j.Type != nil {
		n, ok := j.Type.uint64()
		if !ok || n > uint64(wire.SetCode) {
			x.decide(reading.NotCheckable, "a transaction of type %d, which nothing here knows",
				new(big.Int).SetBytes(j.Type[:]))
			return
		}
		kind = wire.Type(n)
	}
	u.Kind = kinds[kind]
	encoded, err := x.encode(kind, len(raw)/2)
	if err != nil {
		x.decide(reading.Malformed, "%v", err)
		return
	}
	if j.From != nil {
		from, err := j.From.fixed(20, "from")
		if err != nil {
			x.decide(reading.Malformed, "%v", err)
			return
		}
		u.Sender = bytes.Clone(from)
	}
	if sums := x.sums; sums != nil {
		if j.BlockHash != nil {
			sums.hash = bytes.Clone(*j.BlockHash)
		}
		if j.BlockNumber != nil {
			sums.number = bytes.Clone(j.BlockNumber.bytes())
		}
		if j.BlockTime != nil {
			sums.time = bytes.Clone(j.BlockTime.bytes())
		}
	}
	x.encoded(encoded, r)
	if why := j.differs(&x.tx, u.Where.Index); why != "" {
		u.Signatures = u.Signatures[:0]
		x.decide(reading.Malformed, "%s", why)
	}
}

// An encoder appends fields in RLP. It keeps the first error.
type encoder struct {
	b   []byte
	err error
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

// number appends a number that the transaction must have.
func (e *encoder) number(q *quantity, name string) {
	if q == nil {
		e.fail("the transaction has no %q", name)
		return
	}
	e.b = wire.AppendString(e.b, q.bytes())
}

// uint64 appends a number of at most 64 bits that the transaction must have.
func (e *encoder) uint64(q *quantity, name string) {
	if e.number(q, name); q != nil {
		e.check64(q, name)
	}
}

// check64 checks that a number has at most 64 bits.
func (e *encoder) check64(q *quantity, name string) {
	if _, ok := q.uint64(); !ok {
		e.fail("%q has more than 64 bits", name)
	}
}

// fixed appends a string of n bytes.
func (e *encoder) fixed(d data, n int, name string) {
	b, err := d.fixed(n, name)
	if err != nil {
		e.fail("%v", err)
	}
	e.b = wire.AppendString(e.b, b)
}

func (e *encoder) hashes(list []data, name string) {
	start := len(e.b)
	for _, h := range list {
		e.fixed(h, 32, name)
	}
	e.b = wire.WrapList(e.b, start)
}

func (e *encoder) accessList(list []accessJSON) {
	start := len(e.b)
	for _, a := range list {
		one := len(e.b)
		e.fixed(a.Address, 20, "accessList address")
		e.hashes(a.StorageKeys, "accessList storageKeys")
		e.b = wire.WrapList(e.b, one)
	}
	e.b = wire.WrapList(e.b, start)
}

// parity appends the parity of y: the field yParity, or v, where older nodes write it.
func (e *encoder) parity(yParity, v *quantity) {
	switch {
	case yParity == nil:
		yParity = v
	case v != nil && *v != *yParity:
		e.fail(`"yParity" and "v" differ`)
	}
	e.number(yParity, "v")
}

func (e *encoder) authorizations(list []authorizationJSON) {
	start := len(e.b)
	for i := range list {
		a := &list[i]
		one := len(e.b)
		e.number(a.ChainID, "chainId")
		e.fixed(a.Address, 20, "authorizationList address")
		e.uint64(a.Nonce, "nonce")
		e.parity(a.YParity, a.V)
		e.number(a.R, "r")
		e.number(a.S, "s")
		e.b = wire.WrapList(e.b, one)
	}
	e.b = wire.WrapList(e.b, start)
}

// encode returns the EIP-2718 encoding of a transaction of type kind with the fields of x.json. It
// is a part of x.Copies, unless its length may exceed maxTogether. size is an upper bound on the
// length.
func (x *expander) encode(kind wire.Type, size int) (encoded []byte, err error) {
	j := &x.json
	e := encoder{b: x.Copies}
	if size > maxTogether {
		e.b = make([]byte, 0, size)
	}
	for i, q := range []*quantity{j.Index, j.BlockNumber, j.BlockTime} {
		if q != nil {
			e.check64(q, []string{"transactionIndex", "blockNumber", "blockTimestamp"}[i])
		}
	}
	begin := len(e.b)
	if kind != wire.Legacy {
		e.b = append(e.b, byte(kind))
	}
	start := len(e.b)
	if kind != wire.Legacy {
		e.number(j.ChainID, "chainId")
	}
	e.uint64(j.Nonce, "nonce")
	if kind <= wire.AccessList {
		e.number(j.GasPrice, "gasPrice")
	} else {
		e.number(j.GasTipCap, "maxPriorityFeePerGas")
		e.number(j.GasFeeCap, "maxFeePerGas")
	}
	e.uint64(j.Gas, "gas")
	switch {
	case j.To != nil:
		e.fixed(*j.To, 20, "to")
	case kind >= wire.Blob:
		return nil, errors.New(`the transaction has no "to", which its type must have`)
	default:
		e.b = wire.AppendString(e.b, nil)
	}
	e.number(j.Value, "value")
	if j.Input == nil {
		return nil, errors.New(`the transaction has no "input"`)
	}
	e.b = wire.AppendString(e.b, *j.Input)
	before := len(e.b)
	e.accessList(j.AccessList)
	if kind == wire.Legacy { // a legacy transaction has none, and its JSON may have one
		e.b = e.b[:before]
	}
	switch {
	case kind == wire.Blob && j.BlobHashes == nil:
		return nil, errors.New(`the transaction has no "blobVersionedHashes"`)
	case kind == wire.Blob:
		e.number(j.BlobFeeCap, "maxFeePerBlobGas")
		e.hashes(j.BlobHashes, "blobVersionedHashes")
	case kind == wire.SetCode && j.AuthList == nil:
		return nil, errors.New(`the transaction has no "authorizationList"`)
	case kind == wire.SetCode:
		e.authorizations(j.AuthList)
	}
	if kind == wire.Legacy {
		e.number(j.V, "v")
	} else {
		e.parity(j.YParity, j.V)
	}
	e.number(j.R, "r")
	e.number(j.S, "s")
	if e.err != nil {
		return nil, e.err
	}
	e.b = wire.WrapList(e.b, start)
	if n := len(e.b) - begin; n > maxTransaction {
		return nil, tooLong(uint64(n))
	}
	if size <= maxTogether {
		x.Copies = e.b
	}
	return e.b[begin:len(e.b):len(e.b)], nil
}
