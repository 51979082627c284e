package nodejson

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/scripts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A txText is a transaction in JSON that is not parsed yet.
type txText struct {
	raw          json.RawMessage
	items, inner int // numbers of elements of its lists, as in reading.Limits
	where        reading.Where
	of           *blockSum // sums of the block that contains the transaction
	alone        bool      // the transaction is read without its block
	index        int       // index of the transaction in the block
	sum          *txSum    // set by Expand
}

// Rows returns an estimate of the number of inputs: one for each 512 bytes of text.
func (t *txText) Rows() int { return 1 + len(t.raw)>>9 }

// Size returns an upper bound on the memory in bytes. It counts each element of the transaction's
// lists as an input, which becomes a row. It counts each element of a list nested deeper as a
// witness item, which is held three times: in the JSON, in a field and in the hex.
func (t *txText) Size() int64 {
	const element = 3*units.PerInput + units.PerInputScratch + reading.RowSize
	const innerElement = 5*units.PerItem + units.PerItemScratch
	return 3*int64(cap(t.raw)) + element*int64(1+t.items) + innerElement*int64(t.inner)
}

// hexBytes holds the bytes of a JSON string of hex digits. It is nil if the field is absent.
type hexBytes []byte

func (h *hexBytes) UnmarshalJSON(b []byte) error {
	if len(b) < 2 || b[0] != '"' {
		return errors.New("a string of hex digits is wanted")
	}
	d, err := hex.AppendDecode(make([]byte, 0, len(b)/2-1), b[1:len(b)-1])
	if err == nil {
		*h = d
	}
	return err
}

type scriptJSON struct {
	Hex     hexBytes `json:"hex"`
	Address *string  `json:"address"`
}

type txJSON struct {
	TxID     string      `json:"txid"`
	Hash     *string     `json:"hash"` // the hash that covers the witness
	Hex      hexBytes    `json:"hex"`
	Version  *int64      `json:"version"`
	Size     *int        `json:"size"`
	VSize    *int        `json:"vsize"`
	Weight   *int        `json:"weight"`
	LockTime *uint32     `json:"locktime"`
	Fee      json.Number `json:"fee"`
	Vin      []struct {
		Coinbase  *hexBytes   `json:"coinbase"`
		TxID      string      `json:"txid"`
		Vout      *uint32     `json:"vout"`
		ScriptSig *scriptJSON `json:"scriptSig"`
		Sequence  *uint32     `json:"sequence"`
		Witness   []hexBytes  `json:"txinwitness"`
		PrevOut   *struct {
			Value        json.Number `json:"value"`
			ScriptPubKey *scriptJSON `json:"scriptPubKey"`
		} `json:"prevout"`
	} `json:"vin"`
	Vout []struct {
		Value        json.Number `json:"value"`
		N            *int        `json:"n"`
		ScriptPubKey *scriptJSON `json:"scriptPubKey"`
	} `json:"vout"`
}

// txTable has the names of a transaction's fields.
var txTable = reading.TableOf[txJSON]()

// Expand parses the transaction and emits a reading.Unit for each of its inputs.
func (t *txText) Expand(x *units.Expander) {
	switch tr := t.read(x); {
	case tr == nil:
	case !wireform.IsCoinbase(tr.Tx) && tr.SpentScripts() > wireform.MaxSpentScripts:
		tr.OverSpent().Expand(x)
	case !wireform.IsCoinbase(tr.Tx):
		x.Transaction(tr, 0, len(tr.Tx.TxIn))
	case t.alone:
		x.Unit = reading.Unit{Where: t.where, Kind: "coinbase", Decided: reading.PassedOver}
		x.Emit(&x.Unit)
	}
}

// read parses the transaction. It emits the verdict Malformed if that fails, in which case it
// returns nil, and for fields that disagree.
func (t *txText) read(x *units.Expander) *units.Transaction {
	defer t.of.read.Done()
	var j txJSON
	tr, err := t.parse(&j)
	if err != nil {
		t.malformed(x, j.TxID, err.Error())
		return nil
	}
	t.sum.set(t.of, tr, t.index == 0)
	if weight := 3*t.sum.stripped + t.sum.size; weight > wireform.MaxBlockWeight {
		t.malformed(x, j.TxID, fmt.Sprintf("a transaction that weighs %d, more than a block can", weight))
		return nil
	}
	if got := tr.ID.String(); got != j.TxID {
		// Check the inputs even though the id is wrong, since their verdicts may show the cause.
		t.malformed(x, j.TxID, "the transaction hashes to "+got)
		if id, err := chainhash.NewHashFromStr(j.TxID); err == nil {
			tr.ID = *id
		}
	}
	if why := j.differs(t.of.network, t.sum, tr); why != "" {
		t.malformed(x, j.TxID, why)
	}
	return tr
}

// malformed emits the verdict Malformed on the transaction with the given id, with the given
// reason.
func (t *txText) malformed(x *units.Expander, id, reason string) {
	where := t.where
	if _, err := chainhash.NewHashFromStr(id); err == nil && len(id) == 2*chainhash.HashSize {
		where.Tx = id
	} else if id != "" {
		reason += fmt.Sprintf(`; and its "txid" is %s`, reading.Quote(id))
	}
	x.Unit = reading.Unit{Where: where, Kind: "transaction", Decided: reading.Malformed,
		Reason: reason}
	x.Emit(&x.Unit)
}

// parse parses the transaction, and the outputs that it spends, into j, and returns the
// transaction.
func (t *txText) parse(j *txJSON) (*units.Transaction, error) {
	if err := txTable.Decode(t.raw, j); err != nil {
		return nil, errors.New(reading.JSONReason(err))
	}
	first := t.index == 0
	if t.alone {
		first = len(j.Vin) == 1 && j.Vin[0].Coinbase != nil
	}
	tx, err := j.fields(first)
	if err == nil && j.Hex != nil {
		var b bytes.Buffer // writing to it cannot fail
		if tx.Serialize(&b); !bytes.Equal(b.Bytes(), j.Hex) {
			err = errors.New("the transaction's hex and its other fields differ")
		}
	}
	switch {
	case err != nil:
		return nil, err
	case wireform.IsCoinbase(tx) && !first:
		return nil, errors.New("a coinbase that is not the block's first transaction")
	case !wireform.IsCoinbase(tx) && first:
		return nil, errors.New("the block's first transaction, and no coinbase")
	}
	ask := "getblock has to be asked for verbosity 3"
	if t.alone {
		ask = "getrawtransaction has to be asked for verbosity 2"
	}
	tr := &units.Transaction{Transaction: bitcoin.Transaction{Tx: tx, Rules: t.of.rules,
		Spent:   make([]wireform.Output, len(j.Vin)),
		Missing: "not told: the input has no \"prevout\"; " + ask},
		ID: tx.TxHash(), Where: t.where}
	for i := range j.Vin {
		p := j.Vin[i].PrevOut
		if p == nil {
			continue
		}
		amount, err := satoshi(string(p.Value))
		if err == nil && (p.ScriptPubKey == nil || p.ScriptPubKey.Hex == nil) {
			err = errors.New("no script")
		}
		if err != nil {
			return nil, fmt.Errorf("input %d, prevout: %w", i, err)
		}
		tr.Spent[i] = wireform.Output{Known: true, Amount: amount, Script: p.ScriptPubKey.Hex}
	}
	return tr, nil
}

// differs describes the first redundant field, such as the size, that differs from the transaction.
// It returns "" if all agree.
func (j *txJSON) differs(n consensus.Network, sum *txSum, tr *units.Transaction) string {
	weight := 3*sum.stripped + sum.size
	if why := cmp.Or(differs("size", j.Size, sum.size), differs("weight", j.Weight, weight),
		differs("vsize", j.VSize, (weight+3)/4)); why != "" {
		return why
	}
	if wid := sum.WID.String(); j.Hash != nil && *j.Hash != wid {
		return fmt.Sprintf("\"hash\" is not %s, the hash with the witness", wid)
	}
	fee := int64(0)
	for i := range j.Vin {
		fee += tr.Spent[i].Amount
		if p := j.Vin[i].PrevOut; p != nil && p.ScriptPubKey != nil {
			if why := p.ScriptPubKey.differs(n); why != "" {
				return fmt.Sprintf("input %d, prevout: %s", i, why)
			}
		}
	}
	for i := range j.Vout {
		out := &j.Vout[i]
		fee -= tr.Tx.TxOut[i].Value
		if out.N != nil && *out.N != i {
			return fmt.Sprintf("output %d has another number in \"n\"", i)
		}
		if why := out.ScriptPubKey.differs(n); why != "" {
			return fmt.Sprintf("output %d: %s", i, why)
		}
	}
	if j.Fee != "" && tr.Complete() {
		if named, err := satoshi(string(j.Fee)); err != nil || named != fee {
			return fmt.Sprintf("\"fee\" is not %d satoshi, what its outputs leave of what it spends", fee)
		}
	}
	return ""
}

// fields builds the transaction from its fields in JSON. first is true for the first transaction of
// a block.
func (j *txJSON) fields(first bool) (*wire.MsgTx, error) {
	if j.Version == nil || j.LockTime == nil || len(j.Vin) == 0 || len(j.Vout) == 0 {
		return nil, errors.New("a transaction without \"version\", \"locktime\", \"vin\" or \"vout\"")
	}
	version, err := version32(*j.Version)
	if err != nil {
		return nil, err
	}
	tx := &wire.MsgTx{Version: version, LockTime: *j.LockTime}
	for i := range j.Vin {
		in := &j.Vin[i]
		if in.Coinbase != nil {
			if !first || in.TxID != "" || in.Vout != nil || in.ScriptSig != nil || in.PrevOut != nil ||
				in.Sequence == nil {
				return nil, fmt.Errorf("input %d: a \"coinbase\" beside other fields than "+
					"\"sequence\", or not of the block's first transaction", i)
			}
			tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Index: math.MaxUint32},
				SignatureScript: *in.Coinbase, Witness: witnessOf(in.Witness), Sequence: *in.Sequence})
			continue
		}
		id, err := chainhash.NewHashFromStr(in.TxID)
		if err != nil || len(in.TxID) != 64 || in.Vout == nil || in.ScriptSig == nil ||
			in.ScriptSig.Hex == nil || in.Sequence == nil {
			return nil, fmt.Errorf("input %d: \"txid\", \"vout\", \"scriptSig\" and \"sequence\" "+
				"are wanted", i)
		}
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: *id, Index: *in.Vout},
			SignatureScript: in.ScriptSig.Hex, Witness: witnessOf(in.Witness), Sequence: *in.Sequence})
	}
	for i := range j.Vout {
		amount, err := satoshi(string(j.Vout[i].Value))
		if err != nil {
			return nil, fmt.Errorf("output %d: %w", i, err)
		}
		if s := j.Vout[i].ScriptPubKey; s == nil || s.Hex == nil {
			return nil, fmt.Errorf("output %d: no script", i)
		}
		tx.TxOut = append(tx.TxOut, &wire.TxOut{Value: amount, PkScript: j.Vout[i].ScriptPubKey.Hex})
	}
	return tx, nil
}

func witnessOf(items []hexBytes) wire.TxWitness {
	w := make(wire.TxWitness, len(items))
	for i, item := range items {
		w[i] = item
	}
	return w
}

// satoshi converts s, a JSON number of bitcoin, to satoshis. It does not round: an amount below 21
// million with 8 decimal places has at most 51 bits, and thus a float64 of its own. So has a number
// of 15 digits with an exponent, unless it is so small that its float64 is 0.
func satoshi(s string) (int64, error) {
	digits, _, scaled := strings.Cut(strings.ToLower(s), "e")
	_, decimals, _ := strings.Cut(digits, ".")
	exact := len(decimals) <= 8 && (!scaled || len(digits) <= 15)
	f, err := strconv.ParseFloat(s, 64)
	if f == 0 && strings.ContainsAny(digits, "123456789") {
		exact = false
	}
	if err == nil && f >= 0 && f <= 21e6 && exact {
		if v := math.Round(f * 1e8); v/1e8 == f {
			return int64(v), nil
		}
	}
	return 0, fmt.Errorf("%s is not an amount", reading.Quote(s))
}

// maxText is the maximum size in bytes of a transaction in JSON, without white space. A transaction
// that fills a block takes at most 18 million bytes: its hex digits, those of its scripts and
// witnesses twice more, and about 600 bytes for each input.
const maxText = 20 << 20

// textLimits limits a transaction in JSON. The elements of its lists are inputs and outputs, and
// those of lists nested deeper are witness items.
var textLimits = reading.Limits{Bytes: maxText, Items: wireform.MaxInputs + wireform.MaxOutputs,
	Inner: wireform.MaxWitnessItems}

// differs returns an error text if the address stated in the JSON does not belong to the script on
// network n. Otherwise it returns "".
func (s *scriptJSON) differs(n consensus.Network) string {
	if s.Address == nil {
		return ""
	}
	is := scripts.Address(n, s.Hex)
	if is == *s.Address {
		return ""
	}
	if is == "" {
		return "an \"address\" of a script that has none"
	}
	return fmt.Sprintf("the \"address\" of the script is not %s, its address on %v (--network)", is, n)
}
