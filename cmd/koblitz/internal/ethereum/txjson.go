package ethereum

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A quantity is a number of at most 256 bits in JSON-RPC form: 0x and hexadecimal digits. Leading
// zeros are accepted. The specification forbids them, but some nodes write them, and the hash of
// the transaction confirms the number.
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

// usual parses a number of at most 64 lowercase hexadecimal digits, the form that nodes write,
// without allocating. It returns false for any other text, which may still be a valid number.
func (q *quantity) usual(b []byte) bool {
	n := len(b)
	if n < len(`"0x0"`) || n > len(`"0x"`)+64 || string(b[:3]) != `"0x` || b[n-1] != '"' {
		return false
	}
	digits := b[3 : n-1]
	if len(digits) == 64 {
		var all [32]byte
		n := jsonfile.DecodeHex(all[:], digits)
		q.n.SetBytes32(all[:])
		return n == len(all)
	}
	q.n.Clear()
	for i, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		default:
			return false
		}
		at := len(digits) - 1 - i // index of the digit, counted from the right
		q.n[at/16] |= uint64(c) << (at % 16 * 4)
	}
	return true
}

// A data is a byte string that JSON holds as 0x and hexadecimal digits.
type data []byte

func (d *data) UnmarshalJSON(b []byte) (err error) {
	*d, err = appendData(make([]byte, 0, len(b)/2), b)
	return err
}

// appendData appends the bytes that text, a JSON string, encodes.
func appendData(to, text []byte) ([]byte, error) {
	if len(text) >= 4 && text[0] == '"' && text[1] == '0' && text[2] == 'x' && len(text)%2 == 0 {
		if to, err := jsonfile.AppendHex(to, text[3:len(text)-1]); err == nil {
			return to, nil
		}
	}
	return to, fmt.Errorf("%s is not hexadecimal digits in the form 0x…", printable.Quote(text))
}

// fixed returns d if it has n bytes. Otherwise it returns an error with the field's name.
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
	BlockHash   *string   `json:"blockHash"`
	BlockNumber *quantity `json:"blockNumber"`
	BlockTime   *quantity `json:"blockTimestamp"`

	memory txMemory
}

// A txMemory holds the values that a txJSON's fields point to.
type txMemory struct {
	numbers     [16]quantity
	data        [4]data
	usedNumbers int
	usedData    int
	bytes       []byte // the bytes of all values of type data
}

// differs returns the name of a redundant field whose value differs from that of the encoded
// transaction, or "". A negative index means that the transaction's index is unknown.
func (j *txJSON) differs(kind txType, index int) string {
	chain := func() *big.Int {
		if kind != legacy || j.V.n.LtUint64(35) {
			return nil // the field has been compared already, or is not signed
		}
		v := j.V.n.ToBig()
		return v.Rsh(v.Sub(v, big.NewInt(35)), 1)
	}
	switch c := chain(); {
	case j.Index != nil && index >= 0 && !j.Index.n.Eq(uint256.NewInt(uint64(index))):
		return fmt.Sprintf(`"transactionIndex" is not %d`, index)
	case j.ChainID != nil && c != nil && j.ChainID.n.ToBig().Cmp(c) != 0:
		return `"chainId" is not what "v" says`
	}
	return ""
}

// object fills in the expander's rows.Unit from raw, a transaction in compact JSON (see
// jsonfile.Value). It encodes the fields and then proceeds as for an encoded transaction.
func (x *expander) object(raw json.RawMessage, r *rules) {
	u := &x.unit
	j := &x.json
	*j = txJSON{memory: txMemory{bytes: j.memory.bytes[:0]}}
	defer j.forget()
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
	encoded, unsigned, err := x.encode(kind)
	if err != nil {
		x.decide(rows.Malformed, "%v", err)
		return
	}
	if j.From != nil {
		from, err := j.From.fixed(20, "from")
		if err != nil {
			x.decide(rows.Malformed, "%v", err)
			return
		}
		u.Sender = bytes.Clone(from)
	}
	if sums := x.sums; sums != nil {
		if j.BlockHash != nil {
			sums.hash = strings.Clone((*j.BlockHash)[:min(len(*j.BlockHash), 67)])
		}
		if j.BlockNumber != nil {
			sums.number = j.BlockNumber.n.Hex()
		}
		if j.BlockTime != nil {
			sums.time = j.BlockTime.n.Hex()
		}
	}
	x.hashed(encoded)
	var prefix []byte
	if kind != legacy {
		prefix = encoded[:1]
	}
	x.signed(prefix, unsigned, kind, r)
	if why := j.differs(kind, u.Where.Index); why != "" {
		u.Signatures = u.Signatures[:0]
		x.decide(rows.Malformed, "%s", why)
	}
}

// forget drops the memory of a long transaction, which later ones rarely need.
func (j *txJSON) forget() {
	if cap(j.memory.bytes) > maxTogether {
		*j = txJSON{}
	}
}

// A fieldReader converts JSON fields to values. It keeps the first error.
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

func (f *fieldReader) uint64(q *quantity, name string) uint64 {
	n := f.number(q, name)
	if !n.IsUint64() {
		f.fail("%q has more than 64 bits", name)
	}
	return n.Uint64()
}

func (f *fieldReader) fixed(d data, n int, name string) []byte {
	b, err := d.fixed(n, name)
	if err != nil {
		f.fail("%v", err)
	}
	return b
}

func (f *fieldReader) writeAccessList(w rlp.EncoderBuffer, list []accessJSON) {
	all := w.List()
	for _, a := range list {
		one := w.List()
		w.WriteBytes(f.fixed(a.Address, 20, "accessList address"))
		f.writeHashes(w, a.StorageKeys, "accessList storageKeys")
		w.ListEnd(one)
	}
	w.ListEnd(all)
}

// checkAccessList checks that the access list of a transaction type without one is well formed. The
// content of the list is ignored.
func (f *fieldReader) checkAccessList(list []accessJSON) {
	for _, a := range list {
		f.fixed(a.Address, 20, "accessList address")
		for _, k := range a.StorageKeys {
			f.fixed(k, 32, "accessList storageKeys")
		}
	}
}

func (f *fieldReader) writeHashes(w rlp.EncoderBuffer, list []data, name string) {
	all := w.List()
	for _, h := range list {
		w.WriteBytes(f.fixed(h, 32, name))
	}
	w.ListEnd(all)
}

// parity returns the parity of y from the field yParity, or from v, where older nodes write it.
func (f *fieldReader) parity(yParity, v *quantity) *uint256.Int {
	switch {
	case yParity == nil:
		return f.number(v, "v")
	case v != nil && v.n != yParity.n:
		f.fail(`"yParity" and "v" differ`)
	}
	return &yParity.n
}

// encode returns the EIP-2718 encoding of a transaction of type kind, with the fields of x.json and
// the signature of x.sig. unsigned is the part of the encoding before the signature.
func (x *expander) encode(kind txType) (encoded, unsigned []byte, err error) {
	var f fieldReader
	j := &x.json
	var to []byte
	if j.To != nil {
		to = f.fixed(*j.To, 20, "to")
	}
	if j.Input == nil {
		f.fail(`the transaction has no "input"`)
		j.Input = new(data)
	}
	if kind >= blob && j.To == nil {
		return nil, nil, errors.New(`the transaction has no "to", which its type must have`)
	}
	nonce, gas, value := f.uint64(j.Nonce, "nonce"), f.uint64(j.Gas, "gas"), f.number(j.Value, "value")
	r, s := f.number(j.R, "r"), f.number(j.S, "s")
	for i, q := range []*quantity{j.Index, j.BlockNumber, j.BlockTime} {
		if q != nil {
			f.uint64(q, []string{"transactionIndex", "blockNumber", "blockTimestamp"}[i])
		}
	}

	w := rlp.NewEncoderBuffer(nil)
	defer w.Flush()
	if kind == legacy {
		w.WriteUint64(nonce)
		w.WriteUint256(f.number(j.GasPrice, "gasPrice"))
	} else {
		w.WriteUint256(f.number(j.ChainID, "chainId"))
		w.WriteUint64(nonce)
		if kind == accessList {
			w.WriteUint256(f.number(j.GasPrice, "gasPrice"))
		} else {
			w.WriteUint256(f.number(j.GasTipCap, "maxPriorityFeePerGas"))
			w.WriteUint256(f.number(j.GasFeeCap, "maxFeePerGas"))
		}
	}
	w.WriteUint64(gas)
	w.WriteBytes(to)
	w.WriteUint256(value)
	w.WriteBytes(*j.Input)
	if kind != legacy {
		f.writeAccessList(w, j.AccessList)
	} else {
		f.checkAccessList(j.AccessList)
	}
	switch kind {
	case blob:
		w.WriteUint256(f.number(j.BlobFeeCap, "maxFeePerBlobGas"))
		f.writeHashes(w, j.BlobHashes, "blobVersionedHashes")
	case setCode:
		f.writeAuthorizations(w, j.AuthList)
	}
	size := w.Size()
	var v *uint256.Int
	if kind == legacy {
		v = f.number(j.V, "v")
		x.sig.setLegacy(v, r, s)
	} else {
		v = f.parity(j.YParity, j.V)
		x.sig.setTyped(f.number(j.ChainID, "chainId"), v, r, s)
	}
	w.WriteUint256(v)
	w.WriteUint256(r)
	w.WriteUint256(s)
	if f.err != nil {
		return nil, nil, f.err
	}
	var prefix [10]byte
	before := prefix[:0]
	if kind != legacy {
		before = append(before, byte(kind))
	}
	before = appendHead(before, 0xc0, w.Size())
	switch all := len(before) + w.Size(); {
	case all > maxTransaction:
		return nil, nil, tooLong(uint64(all))
	case all > maxTogether:
		encoded = w.AppendToBytes(append(make([]byte, 0, all), before...))
	default:
		begin := len(x.Copies)
		x.Copies = w.AppendToBytes(append(x.Copies, before...))
		encoded = x.Copies[begin:len(x.Copies):len(x.Copies)]
	}
	return encoded, encoded[len(before):][:size], nil
}

func (f *fieldReader) writeAuthorizations(w rlp.EncoderBuffer, list []authorizationJSON) {
	all := w.List()
	for i := range list {
		a := &list[i]
		parity := f.parity(a.YParity, a.V)
		if !parity.IsUint64() || parity.Uint64() > 255 {
			f.fail(`"yParity" of an authorization has more than 8 bits`)
		}
		one := w.List()
		w.WriteUint256(f.number(a.ChainID, "chainId"))
		w.WriteBytes(f.fixed(a.Address, 20, "authorizationList address"))
		w.WriteUint64(f.uint64(a.Nonce, "nonce"))
		w.WriteUint256(parity)
		w.WriteUint256(f.number(a.R, "r"))
		w.WriteUint256(f.number(a.S, "s"))
		w.ListEnd(one)
	}
	w.ListEnd(all)
}
