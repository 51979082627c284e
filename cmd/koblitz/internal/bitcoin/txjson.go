package bitcoin

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A txText is a transaction in JSON, still to be read.
type txText struct {
	raw   json.RawMessage
	rules rules
	where rows.Where
}

// inputs is a guess: an input takes a kilobyte or so.
func (t *txText) inputs() int { return 1 + len(t.raw)>>10 }

// hexBytes is a JSON string of hex digits; nil if there was none.
type hexBytes []byte

func (h *hexBytes) UnmarshalJSON(b []byte) error {
	if len(b) < 2 || b[0] != '"' {
		return errors.New("a string of hex digits is wanted")
	}
	d := make([]byte, len(b)/2-1)
	if _, err := hex.Decode(d, b[1:len(b)-1]); err != nil {
		return err
	}
	*h = d
	return nil
}

type scriptJSON struct {
	Hex hexBytes `json:"hex"`
}

type txJSON struct {
	TxID     string   `json:"txid"`
	Hex      hexBytes `json:"hex"`
	Version  *int64   `json:"version"`
	LockTime *uint32  `json:"locktime"`
	Vin      []struct {
		Coinbase  *string     `json:"coinbase"`
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
		ScriptPubKey *scriptJSON `json:"scriptPubKey"`
	} `json:"vout"`
}

// expand reads the transaction and judges its inputs.
func (t *txText) expand(x *expander) {
	malformed := func(id, format string, args ...any) {
		where := t.where
		where.Tx = id
		x.unit = rows.Unit{Where: where, Kind: "transaction", Decided: rows.Malformed, Reason: fmt.Sprintf(format, args...)}
		x.emit(&x.unit)
	}
	var j txJSON
	if err := json.Unmarshal(t.raw, &j); err != nil {
		malformed(j.TxID, "%s", strings.TrimPrefix(err.Error(), "json: "))
		return
	}
	if len(j.Vin) == 1 && j.Vin[0].Coinbase != nil {
		return
	}
	tx, flaws, err := j.fields()
	if err == nil && j.Hex != nil {
		tx, err = j.fromHex(tx, flaws)
	}
	if err != nil {
		malformed(j.TxID, "%v", err)
		return
	}
	tr := &transaction{tx: tx, id: tx.TxHash(), rules: t.rules, where: t.where, flaws: flaws,
		missing: "not told: the input has no \"prevout\"; getblock has to be asked for verbosity 3"}
	if got := tr.id.String(); got != j.TxID {
		// Its inputs are judged all the same: that may show where the fault is.
		malformed(j.TxID, "the transaction hashes to %s", got)
		if id, err := chainhash.NewHashFromStr(j.TxID); err == nil {
			tr.id = *id
		}
	}
	tr.spent = make([]output, len(j.Vin))
	for i := range j.Vin {
		p := j.Vin[i].PrevOut
		if p == nil {
			continue
		}
		amount, err := satoshi(string(p.Value))
		switch {
		case err != nil:
			flaws[i] = "prevout: " + err.Error()
		case p.ScriptPubKey == nil || p.ScriptPubKey.Hex == nil:
			flaws[i] = "prevout: no script"
		default:
			tr.spent[i] = output{true, amount, p.ScriptPubKey.Hex}
		}
	}
	x.transaction(tr, 0, len(tx.TxIn))
}

// fields builds the transaction from its fields. flaws has room for what is
// wrong with each input.
func (j *txJSON) fields() (tx *wire.MsgTx, flaws []string, err error) {
	if j.Version == nil || j.LockTime == nil || len(j.Vin) == 0 || len(j.Vout) == 0 {
		return nil, nil, errors.New("a transaction without \"version\", \"locktime\", \"vin\" or \"vout\"")
	}
	if v := *j.Version; v < -1<<31 || v >= 1<<32 {
		return nil, nil, fmt.Errorf("version %d", v)
	}
	tx = &wire.MsgTx{Version: int32(uint32(*j.Version)), LockTime: *j.LockTime}
	for i := range j.Vin {
		in := &j.Vin[i]
		id, err := chainhash.NewHashFromStr(in.TxID)
		if err != nil || len(in.TxID) != 64 || in.Vout == nil || in.ScriptSig == nil || in.ScriptSig.Hex == nil || in.Sequence == nil {
			return nil, nil, fmt.Errorf("input %d: \"txid\", \"vout\", \"scriptSig\" and \"sequence\" are wanted", i)
		}
		w := wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: *id, Index: *in.Vout}, SignatureScript: in.ScriptSig.Hex, Sequence: *in.Sequence}
		for _, item := range in.Witness {
			w.Witness = append(w.Witness, item)
		}
		tx.TxIn = append(tx.TxIn, &w)
	}
	for i := range j.Vout {
		amount, err := satoshi(string(j.Vout[i].Value))
		if err != nil {
			return nil, nil, fmt.Errorf("output %d: %w", i, err)
		}
		if s := j.Vout[i].ScriptPubKey; s == nil || s.Hex == nil {
			return nil, nil, fmt.Errorf("output %d: no script", i)
		}
		tx.TxOut = append(tx.TxOut, &wire.TxOut{Value: amount, PkScript: j.Vout[i].ScriptPubKey.Hex})
	}
	return tx, make([]string, len(j.Vin)), nil
}

// fromHex reads the transaction from its hex and compares it with the one that
// was built from its fields.
func (j *txJSON) fromHex(fields *wire.MsgTx, flaws []string) (*wire.MsgTx, error) {
	if len(j.Hex) > maxBlockSize {
		return nil, fmt.Errorf("a transaction of %d bytes", len(j.Hex))
	}
	c := cursor{b: j.Hex}
	tx, _ := parseTx(&c)
	if c.err == nil && c.i < len(c.b) {
		c.fail("%d bytes after it", len(c.b)-c.i)
	}
	if c.err != nil {
		return nil, fmt.Errorf("the transaction's hex, byte %d: %w", c.err.at, c.err)
	}
	if tx.Version != fields.Version || tx.LockTime != fields.LockTime || len(tx.TxIn) != len(fields.TxIn) || len(tx.TxOut) != len(fields.TxOut) {
		return nil, errors.New("the transaction's hex and its fields differ")
	}
	for i, a := range tx.TxOut {
		if b := fields.TxOut[i]; a.Value != b.Value || !bytes.Equal(a.PkScript, b.PkScript) {
			return nil, fmt.Errorf("the transaction's hex and its fields differ in output %d", i)
		}
	}
	for i, a := range tx.TxIn {
		b := fields.TxIn[i]
		same := a.PreviousOutPoint == b.PreviousOutPoint && a.Sequence == b.Sequence &&
			bytes.Equal(a.SignatureScript, b.SignatureScript) && len(a.Witness) == len(b.Witness)
		for k := 0; same && k < len(a.Witness); k++ {
			same = bytes.Equal(a.Witness[k], b.Witness[k])
		}
		if !same {
			flaws[i] = "the transaction's hex and its fields differ in this input"
		}
	}
	return tx, nil
}

// satoshi reads an amount in bitcoin exactly.
func satoshi(s string) (int64, error) {
	bad := fmt.Errorf("%.40q is not an amount", s)
	digits, exp, _ := strings.Cut(strings.ToLower(s), "e")
	shift := 8
	if exp != "" {
		var e int
		if _, err := fmt.Sscanf(exp, "%d", &e); err != nil || e < -30 || e > 30 {
			return 0, bad
		}
		shift += e
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	v := int64(0)
	for i, all := 0, whole+fraction; i < len(all); i++ {
		if all[i] < '0' || all[i] > '9' {
			return 0, bad
		}
		if v = v*10 + int64(all[i]-'0'); v > 21e15 {
			return 0, bad
		}
	}
	if whole == "" {
		return 0, bad
	}
	for shift -= len(fraction); shift > 0 && v > 0; shift-- {
		if v *= 10; v > 21e14 {
			return 0, bad
		}
	}
	for ; shift < 0; shift++ {
		if v%10 != 0 {
			return 0, bad
		}
		v /= 10
	}
	if v > 21e14 {
		return 0, bad
	}
	return v, nil
}
