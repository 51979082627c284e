package bitcoin

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// copyOf returns copies of a transaction and of the outputs that it spends. It copies only the
// parts that the tests below modify.
func copyOf(tx *wire.MsgTx, spent []wireform.Output) (*wire.MsgTx, []wireform.Output) {
	s := make([]wireform.Output, len(spent))
	for i, o := range spent {
		s[i] = wireform.Output{Known: o.Known, Amount: o.Amount, Script: bytes.Clone(o.Script)}
	}
	return tx.Copy(), s
}

// A target is a transaction with its input 0 and the outputs that it spends.
type target struct {
	tx    *wire.MsgTx
	in    *wire.TxIn
	spent []wireform.Output
}

// A mutation changes a target.
type mutation func(x *target)

// mutations returns changes of each part of tx on which its input 0 depends. The changes that flip
// a bit choose it by k.
func mutations(tx *wire.MsgTx, k int) (all []mutation) {
	flip := func(b []byte) {
		if len(b) > 0 {
			b[k%len(b)] ^= 1 << (k % 8)
		}
	}
	for w := range tx.TxIn[0].Witness {
		all = append(all, func(x *target) { flip(x.in.Witness[w]) },
			func(x *target) { x.in.Witness = slices.Delete(x.in.Witness, w, w+1) },
			func(x *target) { x.in.Witness = slices.Insert(x.in.Witness, w, x.in.Witness[w]) })
	}
	return append(all,
		func(x *target) { flip(x.in.SignatureScript) },
		func(x *target) { flip(x.spent[0].Script) },
		func(x *target) { x.spent[0].Amount ^= 1 << 7 },
		func(x *target) { x.spent[1].Amount ^= 1 << 7 },
		func(x *target) { x.spent[1].Script[3] ^= 1 << 7 },
		func(x *target) { x.tx.TxOut[1].Value++ },
		func(x *target) { x.in.Sequence ^= 1 },
		func(x *target) { x.tx.TxIn[1].Sequence ^= 1 },
		func(x *target) { x.tx.LockTime = 99 },
		func(x *target) { x.tx.Version = 1 },
		func(x *target) { x.in.Witness = append(x.in.Witness, []byte{1}) },
		func(x *target) {
			x.in.SignatureScript = append([]byte{1, 1}, x.in.SignatureScript...) // one push more
		},
		func(x *target) { x.in.SignatureScript = append(x.in.SignatureScript, txscript.OP_NOP) },
		func(x *target) {
			x.in.SignatureScript = append(x.in.SignatureScript, 0x4d, 1) // a push that is cut off
		},
		func(x *target) { x.in.SignatureScript = nil })
}

// TestMutations checks that our verdict on changed inputs matches the script engine's.
func TestMutations(t *testing.T) {
	all := spends()
	for k, sp := range all {
		tx, spent := build([]spend{sp, all[0]}, 2)
		for n, mutate := range mutations(tx, k) {
			if (n+k)%oneIn(5) != 0 {
				continue
			}
			tx, spent := copyOf(tx, spent)
			mutate(&target{tx, tx.TxIn[0], spent})
			r := now
			if (n+k)%4 == 0 {
				r = stages[n%len(stages)]
			}
			agree(t, fmt.Sprintf("%s, mutation %d", sp.name, n), tx, spent, 0, r)
		}
	}
}

// TestReasons checks the verdicts on inputs that fail before a signature is verified, and their
// reasons.
func TestReasons(t *testing.T) {
	otherHash := func(x *target) { x.spent[0].Script[5] ^= 1 }
	notKnown := func(x *target) { x.spent[1].Known = false }
	nothing := func(*target) {}
	noWitness := func(x *target) { x.in.Witness = nil }
	ending := func(b ...byte) mutation {
		return func(x *target) {
			x.in.Witness[0] = append(x.in.Witness[0], b...)
		}
	}
	for _, c := range []struct {
		spend  string
		mutate mutation
		want   reading.Verdict
		kind   string
		reason string
	}{
		{"P2PKH, compressed", otherHash, reading.Invalid, "p2pkh",
			"the public key does not hash to the output's key hash"},
		{"P2WPKH, compressed", otherHash, reading.Invalid, "p2wpkh",
			"the public key does not hash to the output's key hash"},
		{"P2SH multisig 2 of 3", otherHash, reading.Invalid, "p2sh",
			"the redeem script does not hash to the output's script hash"},
		{"P2WSH multisig 2 of 3", otherHash, reading.Invalid, "p2wsh",
			"the witness script does not hash to the output's script hash"},
		{"P2PKH, empty signature", nothing, reading.Invalid, "p2pkh", "an empty signature"},
		{"P2TR, hash type 00", noWitness, reading.Invalid, "p2tr", "an empty witness"},
		{"P2TR, hash type 00", ending(1, 1), reading.Invalid, "p2tr key path",
			"a taproot signature of 66 bytes"},
		{"P2TR, hash type 00", ending(0), reading.Invalid, "p2tr key path",
			"a taproot signature of 65 bytes that ends in the hash type 0"},
		{"P2TR, hash type 00", ending(4), reading.Invalid, "p2tr key path",
			"the signature hash: a hash type that BIP 341 does not know"},
		{"P2TR, hash type 00", notKnown, reading.NotCheckable, "p2tr key path",
			"signs all spent outputs of its transaction, one of which is missing"},
		{"P2TR script path", notKnown, reading.NotCheckable, "p2tr script path",
			"may sign all spent outputs of its transaction, one of which is missing"},
		{"P2TR script path", func(x *target) { x.in.Witness[2][0] ^= 1 }, reading.Invalid,
			"p2tr script path", ""},
		{"P2WPKH, compressed", notKnown, reading.Valid, "p2wpkh", ""},
		{"P2TR, hash type 81", notKnown, reading.Valid, "p2tr key path", ""},
		{"nobody can spend", nothing, reading.Invalid, "script",
			"the script engine: script returned early"},
	} {
		tx, spent := copyOf(build(spendsOf(c.spend, "P2PK, compressed"), 2))
		c.mutate(&target{tx, tx.TxIn[0], spent})
		u := unitOf(tx, spent, 0, now)
		if v := judge(&u); v != c.want || u.Kind != c.kind || u.Reason != c.reason {
			t.Errorf("%s: verdict %d, %q, %q; want %d, %q, %q", c.spend, v, u.Kind, u.Reason, c.want, c.kind,
				c.reason)
		}
		if spent[1].Known {
			agree(t, c.spend, tx, spent, 0, now)
		}
	}
}

// TestUnsigned checks that an input that the script engine accepts gets the verdict EngineChecked
// only if the engine verified a signature, and otherwise Unsigned.
func TestUnsigned(t *testing.T) {
	const sighash = txscript.SigHashAll
	one := script(op1)
	zeroOfOne := script(op0, compressed(1), op1, checkMultisig)
	not := script(compressed(1), checkSig, txscript.OP_NOT)
	dropped := script(compressed(1), checkSig, txscript.OP_DROP, op1)
	hash := script(txscript.OP_SIZE, []byte{3}, txscript.OP_EQUALVERIFY, op1)
	// odd is a script with a key of a type that tapscript does not define.
	odd := script(append([]byte{9}, compressed(1)...), checkSig)
	oddOut, oddControl := tapLeaf(odd)
	another := func(code []byte) signing {
		return pushes(func(s *signer) []any { return []any{s.ecdsa(2, code, sighash)} })
	}
	for _, c := range []struct {
		name   string
		script []byte
		sign   signing
		want   reading.Verdict
		reason bool
	}{
		{"nothing", one, unsigned(nil), reading.Unsigned, false},
		{"data", hash, unsigned(script([]byte{1, 2, 3})), reading.Unsigned, true},
		{"P2SH of nothing", scriptHash(one), unsigned(script(one)), reading.Unsigned, true},
		{"P2WSH of nothing", witnessHash(one), unsigned(nil, one), reading.Unsigned, true},
		{"pay to anchor", script(op1, []byte{0x4e, 0x73}), unsigned(nil), reading.Unsigned, false},
		{"multisig 0 of 1", zeroOfOne, unsigned(script(op0)), reading.Unsigned, true},
		{"a bad signature that has to be one", not, another(not), reading.Unsigned, true},
		{"an unknown kind of key", oddOut, unsigned(nil, make([]byte, 64), odd, oddControl),
			reading.Unsigned, true},
		{"a good signature that does not matter", dropped, legacy(dropped, sighash),
			reading.EngineChecked, true},
		{"a bad signature that does not matter", dropped, another(dropped), reading.Unsigned, true},
	} {
		tx, spent := build([]spend{{name: c.name, script: c.script, sign: c.sign}}, 1)
		if u := unitOf(tx, spent, 0, now); u.Decided != c.want || (u.Reason != "") != c.reason {
			t.Errorf("%s: %v, %q", c.name, u.Decided, u.Reason)
		}
	}
}

// TestSignatureInScript checks a signature that the script contains as if it were a key. Its hash
// covers the script without it (FindAndDelete), in signatures before segwit.
func TestSignatureInScript(t *testing.T) {
	tx, spent := build([]spend{{script: script(op1), sign: unsigned(nil)}}, 1)
	digest := must(txscript.CalcSignatureHash(script(op1, compressed(1), op1+1, checkMultisig),
		txscript.SigHashAll, tx, 0))
	// The nonce 1/2 gives an r of 21 bytes, so that the signature can be as long as a key: 65 bytes,
	// with bytes after the DER, which BIP 66 has forbidden since.
	var half, z, s btcec.ModNScalar
	half.SetInt(2).InverseNonConst()
	var point btcec.JacobianPoint
	btcec.ScalarBaseMultNonConst(&half, &point)
	point.ToAffine()
	r := *point.X.Bytes()
	s.SetBytes(&r)
	z.SetByteSlice(digest)
	s.Mul(&key(1).Key).Add(&z).Add(new(btcec.ModNScalar).Set(&s))
	sig := derOf(r, s.Bytes())
	sig = append(append(sig, make([]byte, 64-len(sig))...), byte(txscript.SigHashAll))
	spent[0].Script = multisig(1, sig, compressed(1))
	tx.TxIn[0].SignatureScript = script(op0, sig)
	if !agree(t, "a signature in the script", tx, spent, 0, stages[0]) {
		t.Error("the signature is not valid")
	}
}

// FuzzInput checks that our verdict on arbitrary scripts and witnesses matches the script engine's.
func FuzzInput(f *testing.F) {
	for _, sp := range spends() {
		tx, spent := build([]spend{sp}, 1)
		w := tx.TxIn[0].Witness
		items := append(slices.Clone(w), nil, nil)
		f.Add(tx.TxIn[0].SignatureScript, items[0], items[max(1, len(w)-1)], spent[0].Script,
			byte(len(w)), byte(len(stages)-1))
	}
	f.Fuzz(func(t *testing.T, sigScript, item0, item1, script []byte, items, stage byte) {
		tx := &wire.MsgTx{Version: 2}
		in := &wire.TxIn{SignatureScript: sigScript, Sequence: 1}
		for i := range items % 4 {
			in.Witness = append(in.Witness, [][]byte{item0, item1, nil}[i%3])
		}
		tx.AddTxIn(in)
		tx.AddTxOut(wire.NewTxOut(1, nil))
		spent := []wireform.Output{{Known: true, Amount: 1000, Script: script}}
		r := stages[int(stage)%len(stages)]
		u := unitOf(tx, spent, 0, r)
		v := judge(&u)
		if v == reading.NotCheckable {
			return // the engine stopped without a verdict
		}
		if err := engineSays(tx, spent, 0, r); takes(v) != (err == nil) && !laxer(&u) {
			t.Errorf("verdict %d (%s, %s), engine: %v", v, u.Kind, u.Reason, err)
		}
	})
}
