package ethereum

import (
	"bytes"
	"encoding/json"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// drain reads all reading.Units of r. It fails the test if r returns an error that does not name
// the file, or if a reading.Unit lacks a field.
func drain(t *testing.T, r reading.Reader) {
	got := run(r)
	if e, ok := got.err.(*reading.Error); got.err != nil && (!ok || e.File == "" || e.Err == nil ||
		e.Offset < 0) {
		t.Fatalf("error %#v", got.err)
	}
	for i := range got.units {
		fit(t, &got.units[i])
	}
}

func fit(t *testing.T, u *reading.Unit) {
	switch u.Decided {
	case reading.Unchecked:
		if len(u.Signatures) != 1 || len(u.Signatures[0].Sig) != 65 || u.Signatures[0].Sig[64] > 1 ||
			u.Sender != nil && len(u.Sender) != 20 {
			t.Fatalf("unit %+v", u)
		}
	case reading.Invalid, reading.Malformed, reading.NotCheckable:
		if u.Reason == "" {
			t.Fatalf("unit %+v", u)
		}
	case reading.PassedOver:
	default:
		t.Fatalf("unit %+v", u)
	}
}

// FuzzEncoded checks that this package and go-ethereum read an encoded transaction alike.
func FuzzEncoded(f *testing.F) {
	for _, tx := range samples(1) {
		f.Add(envelope(tx), true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, late bool) {
		r, signer := Mainnet.rulesAt(0, 0), types.Signer(types.FrontierSigner{})
		if late {
			r, signer = Mainnet.rulesAt(latest, latest), types.NewPragueSigner(big.NewInt(1))
		}
		u := unitOf(raw, r)
		fit(t, &u)
		agree(t, "fuzzed", raw, r, signer)
	})
}

// FuzzJSON reads arbitrary text as blocks in JSON and checks the reading.Units and the error with
// the function drain.
func FuzzJSON(f *testing.F) {
	p := small()
	p.txs, p.raw = p.txs[:2], p.raw[:2]
	f.Add(p.rpc())
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"result":{"number":null,"transactions":["0x01",{}]}},{` +
		`"error":{}}]`))
	f.Add([]byte(`{"data":{"message":{"body":{"execution_payload":{"block_number":"1"}}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		Detect(text)
		drain(t, JSON(source("f", text), onMainnet))
	})
}

// FuzzRLP reads arbitrary bytes as blocks in RLP and checks the reading.Units and the error with
// the function drain.
func FuzzRLP(f *testing.F) {
	p := small()
	f.Add(p.rlp())
	p.txs = p.txs[3:4]
	f.Add(append(p.rlp(), p.rlp()...))
	f.Fuzz(func(t *testing.T, b []byte) {
		Detect(b)
		drain(t, RLP(source("f", b), onMainnet))
	})
}

// FuzzObject reads arbitrary text as a transaction in JSON. If the transaction is accepted,
// go-ethereum must find the same hash and sender in the transaction's encoding.
func FuzzObject(f *testing.F) {
	for _, tx := range samples(1) {
		text := must(tx.MarshalJSON())
		f.Add(text)
		f.Add(bytes.ReplaceAll(text, []byte(","), []byte("\t,\n")))
	}
	r := Mainnet.rulesAt(latest, latest)
	f.Fuzz(func(t *testing.T, text []byte) {
		var j txJSON
		var compact bytes.Buffer // without white space, as JSON passes it on
		if json.Unmarshal(text, &j) != nil || json.Compact(&compact, text) != nil ||
			compact.Bytes()[0] != '{' {
			return
		}
		text = compact.Bytes()
		x := parse(text, r)
		fit(t, &x.unit)
		if x.unit.Decided != reading.Unchecked {
			return
		}
		var tx types.Transaction
		if err := tx.UnmarshalBinary(x.raw); err != nil || tx.Hash().Hex() != x.unit.Where.Tx {
			t.Fatalf("%v, %s: %s", err, tx.Hash().Hex(), text)
		}
		agree(t, "fuzzed", x.raw, r, types.NewPragueSigner(big.NewInt(1)))
	})
}
