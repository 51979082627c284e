package ethereum

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A quantity is a number as JSON-RPC writes it, 0x and digits, of at most 256
// bits. Zeros in front, which the specification forbids and some nodes write,
// are accepted: the hash of the transaction shows whether the number was meant.
type quantity struct{ n uint256.Int }

func (q *quantity) UnmarshalJSON(b []byte) error {
	if q.usual(b) {
		return nil
	}
	digits, ok := strings.CutPrefix(strings.Trim(string(b), `"`), "0x")
	if !ok || len(b) < 2 || b[0] != '"' || digits == "" {
		return fmt.Errorf("%s is not a number in the form 0x…", printable.Quote(b))
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		digits = "0"
	}
	if err := q.n.SetFromHex("0x" + digits); err != nil {
		return fmt.Errorf("%s is not a number of at most 256 bits in the form 0x…", printable.Quote(b))
	}
	return nil
}

// usual reads a number of at most 64 lowercase digits, as nodes write all of them, without
// allocating anything; it returns false for other text, which may be a number too.
func (q *quantity) usual(b []byte) bool {
	n := len(b)
	if n < len(`"0x0"`) || n > len(`"0x"`)+64 || string(b[:3]) != `"0x` || b[n-1] != '"' {
		return false
	}
	q.n.Clear()
	digits := b[3 : n-1]
	for i, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		default:
			return false
		}
		at := len(digits) - 1 - i // from the right
		q.n[at/16] |= uint64(c) << (at % 16 * 4)
	}
	return true
}

// data is bytes in the form 0x… .
type data []byte

func (d *data) UnmarshalJSON(b []byte) error {
	bad := func() error {
		return fmt.Errorf("%s is not hexadecimal digits in the form 0x…",
			printable.Quote(b))
	}
	if len(b) < 4 || b[0] != '"' || b[1] != '0' || b[2] != 'x' || len(b)%2 != 0 {
		return bad()
	}
	*d = make([]byte, len(b)/2-2)
	if _, err := hex.Decode(*d, b[3:len(b)-1]); err != nil {
		return bad()
	}
	return nil
}

// fixed is data of n bytes, of which name says whose they are.
func (d data) fixed(n int, name string) ([]byte, error) {
	if len(d) != n {
		return nil, fmt.Errorf("%q has %d bytes instead of %d", name, len(d), n)
	}
	return d, nil
}

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

// txJSON is a transaction in the answer to eth_getBlockByNumber.
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

	// What is said a second time.
	Data        *data     `json:"data"`
	Raw         *data     `json:"raw"`
	Index       *quantity `json:"transactionIndex"`
	BlockHash   *string   `json:"blockHash"`
	BlockNumber *string   `json:"blockNumber"`
	BlockTime   *string   `json:"blockTimestamp"`
}

// txNames are the fields of a transaction that are looked at. Others (the price
// that was paid, what some nodes add) are not.
var txNames = jsonfile.NewNames("type", "chainId", "nonce", "gasPrice", "maxPriorityFeePerGas",
	"maxFeePerGas", "gas", "to", "value", "input",
	"accessList", "address", "storageKeys", "maxFeePerBlobGas", "blobVersionedHashes",
	"authorizationList", "yParity", "v", "r", "s", "from", "hash",
	"data", "raw", "transactionIndex", "blockHash", "blockNumber", "blockTimestamp")

// differs says which field differs from the encoded transaction, of those that
// say the same once more. An index below 0 is not known.
func (j *txJSON) differs(kind txType, encoded []byte, index int) string {
	chain := func() *big.Int {
		if kind != legacy || j.V.n.LtUint64(35) {
			return nil // compared already, or in no field that is signed
		}
		v := j.V.n.ToBig()
		return v.Rsh(v.Sub(v, big.NewInt(35)), 1)
	}
	switch c := chain(); {
	case j.Data != nil && !bytes.Equal(*j.Data, *j.Input):
		return `"data" and "input" differ`
	case j.Raw != nil && !bytes.Equal(*j.Raw, encoded):
		return `"raw" is not the encoded transaction`
	case j.Index != nil && index >= 0 && !j.Index.n.Eq(uint256.NewInt(uint64(index))):
		return fmt.Sprintf(`"transactionIndex" is not %d`, index)
	case j.ChainID != nil && c != nil && j.ChainID.n.ToBig().Cmp(c) != 0:
		return `"chainId" is not what "v" says`
	}
	return ""
}

// object fills in the unit from a transaction in JSON: its fields are encoded,
// and from there on it goes the way of an encoded one.
func (x *expander) object(raw json.RawMessage, r *rules) {
	u := &x.unit
	var j txJSON
	if err := j.decode(raw); err != nil {
		x.decide(rows.Malformed, "%s", jsonfile.Reason(err))
		return
	}
	if j.Hash != nil {
		hash, err := j.Hash.fixed(32, "hash")
		if err != nil {
			x.decide(rows.Malformed, "%v", err)
			return
		}
		x.named = "0x" + hex.EncodeToString(hash)
		u.Where.Tx = x.named
	}
	kind := legacy
	if j.Type != nil {
		if !j.Type.n.IsUint64() || j.Type.n.Uint64() > uint64(setCode) {
			x.decide(rows.NotCheckable, "a transaction of type %s, which nothing here knows", j.Type.n.Dec())
			return
		}
		kind = txType(j.Type.n.Uint64())
	}
	u.Kind = kinds[kind]
	body, err := j.body(kind)
	var encoded []byte
	if err == nil {
		encoded, err = encodeBody(kind, body, len(*j.Input))
	}
	if err != nil {
		x.decide(rows.Malformed, "%v", err)
		return
	}
	if j.From != nil {
		if u.Sender, err = j.From.fixed(20, "from"); err != nil {
			x.decide(rows.Malformed, "%v", err)
			return
		}
	}
	if x.sums != nil {
		for _, c := range []struct {
			says *string
			to   *string
		}{{j.BlockHash, &x.sums.hash}, {j.BlockNumber, &x.sums.number}, {j.BlockTime, &x.sums.time}} {
			if c.says != nil {
				*c.to = strings.Clone((*c.says)[:min(len(*c.says), 67)])
			}
		}
	}
	x.hashed(encoded)
	list := encoded
	if kind != legacy {
		list = encoded[1:]
	}
	x.signed(encoded, list, kind, body, r)
	if why := j.differs(kind, encoded, u.Where.Index); why != "" {
		u.Signatures = u.Signatures[:0]
		x.decide(rows.Malformed, "%s", why)
	}
}

// A fieldReader takes fields from JSON and keeps the first error.
type fieldReader struct{ err error }

func (f *fieldReader) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

func (f *fieldReader) number(q *quantity, name string) *uint256.Int {
	if q == nil {
		f.fail("the transaction has no %q", name)
		return new(uint256.Int)
	}
	return &q.n
}

func (f *fieldReader) big(q *quantity, name string) *big.Int { return f.number(q, name).ToBig() }

func (f *fieldReader) uint64(q *quantity, name string) uint64 {
	n := f.number(q, name)
	if !n.IsUint64() {
		f.fail("%q has more than 64 bits", name)
	}
	return n.Uint64()
}

func (f *fieldReader) address(d data, name string) (a common.Address) {
	b, err := d.fixed(20, name)
	if err != nil {
		f.fail("%v", err)
	}
	copy(a[:], b)
	return a
}

func (f *fieldReader) hash(d data, name string) (h common.Hash) {
	b, err := d.fixed(32, name)
	if err != nil {
		f.fail("%v", err)
	}
	copy(h[:], b)
	return h
}

func (f *fieldReader) accessList(list []accessJSON) (out []accessTuple) {
	for _, a := range list {
		t := accessTuple{Address: f.address(a.Address, "accessList address")}
		for _, k := range a.StorageKeys {
			t.StorageKeys = append(t.StorageKeys, f.hash(k, "accessList storageKeys"))
		}
		out = append(out, t)
	}
	return out
}

// parity is the parity of y, which older nodes write in v.
func (f *fieldReader) parity(yParity, v *quantity) *uint256.Int {
	switch {
	case yParity == nil:
		return f.number(v, "v")
	case v != nil && v.n != yParity.n:
		f.fail(`"yParity" and "v" differ`)
	}
	return &yParity.n
}

// body is the fields of the transaction.
func (j *txJSON) body(kind txType) (txBody, error) {
	var f fieldReader
	var to *common.Address
	if j.To != nil {
		a := f.address(*j.To, "to")
		to = &a
	}
	if j.Input == nil {
		f.fail(`the transaction has no "input"`)
		j.Input = new(data)
	}
	nonce, gas, value := f.uint64(j.Nonce, "nonce"), f.uint64(j.Gas, "gas"), f.number(j.Value, "value")
	r, s := f.number(j.R, "r"), f.number(j.S, "s")
	access := f.accessList(j.AccessList)

	var body txBody
	switch kind {
	case legacy:
		body = &legacyTx{nonce, f.big(j.GasPrice, "gasPrice"), gas, to, value.ToBig(), *j.Input,
			f.big(j.V, "v"), r.ToBig(), s.ToBig()}
	case accessList:
		body = &accessListTx{f.big(j.ChainID, "chainId"), nonce, f.big(j.GasPrice, "gasPrice"), gas, to,
			value.ToBig(), *j.Input, access,
			f.parity(j.YParity, j.V).ToBig(), r.ToBig(), s.ToBig()}
	case dynamicFee:
		body = &dynamicFeeTx{f.big(j.ChainID, "chainId"), nonce,
			f.big(j.GasTipCap, "maxPriorityFeePerGas"), f.big(j.GasFeeCap, "maxFeePerGas"), gas, to,
			value.ToBig(), *j.Input, access, f.parity(j.YParity, j.V).ToBig(), r.ToBig(), s.ToBig()}
	default:
		if to == nil {
			return nil, errors.New(`the transaction has no "to", which its type must have`)
		}
		chain, tip, fee := f.number(j.ChainID, "chainId"), f.number(j.GasTipCap, "maxPriorityFeePerGas"),
			f.number(j.GasFeeCap, "maxFeePerGas")
		v := f.parity(j.YParity, j.V)
		if kind == blob {
			t := &blobTx{chain, nonce, tip, fee, gas, *to, value, *j.Input, access, f.number(j.BlobFeeCap,
				"maxFeePerBlobGas"), nil, v, r, s}
			for _, h := range j.BlobHashes {
				t.BlobHashes = append(t.BlobHashes, f.hash(h, "blobVersionedHashes"))
			}
			body = t
			break
		}
		t := &setCodeTx{chain, nonce, tip, fee, gas, *to, value, *j.Input, access, nil, v, r, s}
		for i := range j.AuthList {
			a := &j.AuthList[i]
			parity := f.parity(a.YParity, a.V)
			if !parity.IsUint64() || parity.Uint64() > 255 {
				f.fail(`"yParity" of an authorization has more than 8 bits`)
			}
			t.AuthList = append(t.AuthList, authorization{*f.number(a.ChainID, "chainId"),
				f.address(a.Address, "authorizationList address"),
				f.uint64(a.Nonce, "nonce"), uint8(parity.Uint64()), *f.number(a.R, "r"), *f.number(a.S, "s")})
		}
		body = t
	}
	if f.err != nil {
		return nil, f.err
	}
	return body, nil
}

// encodeBody is a transaction as EIP-2718 encodes it. data is how many bytes its data has.
func encodeBody(kind txType, body txBody, data int) ([]byte, error) {
	var encoded bytes.Buffer
	encoded.Grow(data + 1<<10)
	if kind != legacy {
		encoded.WriteByte(byte(kind))
	}
	if err := rlp.Encode(&encoded, body); err != nil {
		return nil, err
	}
	if encoded.Len() > maxTransaction {
		return nil, tooLong(uint64(encoded.Len()))
	}
	return encoded.Bytes(), nil
}
