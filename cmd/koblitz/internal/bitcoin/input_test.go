package bitcoin

import (
	"bytes"
	"fmt"
	"testing"

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

// TestMutations flips bits in each part of a transaction on which an input depends, and checks that
// our verdict matches the script engine's.
func TestMutations(t *testing.T) {
	all := spends()
	for k, sp := range all {
		tx, spent := build([]spend{sp, all[0]}, 2)
		step := 8 // flipping every bit would take a minute
		if !deep() {
			// A long input has many signatures that are treated alike, so it needs fewer flipped
			// bits.
			step = max(100, (tx.TxIn[0].SerializeSize()+tx.TxIn[0].Witness.SerializeSize())/3)
		}
		n := 0
		try := func(what string, mutate func(tx *wire.MsgTx, spent []wireform.Output)) {
			if n++; (n+k)%step != 0 {
				return
			}
			tx, spent := copyOf(tx, spent)
			mutate(tx, spent)
			r := stages[len(stages)-1]
			if n/step%4 == 0 {
				r = stages[n/step%len(stages)]
			}
			agree(t, fmt.Sprintf("%s, %s", sp.name, what), tx, spent, 0, r)
		}
		for i := range tx.TxIn[0].SignatureScript {
			try(fmt.Sprintf("signature script byte %d", i),
				func(tx *wire.MsgTx,
					_ []wireform.Output) {
					tx.TxIn[0].SignatureScript[i] ^= 1 << ((i + k) % 8)
				})
		}
		for w, item := range tx.TxIn[0].Witness {
			for i := range item {
				try(fmt.Sprintf("witness item %d byte %d", w, i),
					func(tx *wire.MsgTx, _ []wireform.Output) { tx.TxIn[0].Witness[w][i] ^= 1 << ((i + k) % 8) })
			}
			try(fmt.Sprintf("without witness item %d", w), func(tx *wire.MsgTx, _ []wireform.Output) {
				in := tx.TxIn[0]
				in.Witness = append(in.Witness[:w:w], in.Witness[w+1:]...)
			})
			try(fmt.Sprintf("witness item %d twice", w), func(tx *wire.MsgTx, _ []wireform.Output) {
				in := tx.TxIn[0]
				in.Witness = append(in.Witness[:w+1:w+1], in.Witness[w:]...)
			})
		}
		for i := range spent[0].Script {
			try(fmt.Sprintf("output script byte %d", i),
				func(_ *wire.MsgTx, spent []wireform.Output) { spent[0].Script[i] ^= 1 << ((i + k) % 8) })
		}
		try("the amount", func(_ *wire.MsgTx, spent []wireform.Output) { spent[0].Amount ^= 1 << 7 })
		try("the other amount", func(_ *wire.MsgTx,
			spent []wireform.Output) {
			spent[1].Amount ^= 1 << 7
		})
		try("the other script", func(_ *wire.MsgTx,
			spent []wireform.Output) {
			spent[1].Script[3] ^= 1 << 7
		})
		try("an output", func(tx *wire.MsgTx, _ []wireform.Output) { tx.TxOut[1].Value++ })
		try("the sequence", func(tx *wire.MsgTx, _ []wireform.Output) { tx.TxIn[0].Sequence ^= 1 })
		try("the other sequence", func(tx *wire.MsgTx, _ []wireform.Output) { tx.TxIn[1].Sequence ^= 1 })
		try("the lock time", func(tx *wire.MsgTx, _ []wireform.Output) { tx.LockTime = 99 })
		try("the version", func(tx *wire.MsgTx, _ []wireform.Output) { tx.Version = 1 })
		try("a witness where there is none",
			func(tx *wire.MsgTx, _ []wireform.Output) {
				tx.TxIn[0].Witness = append(tx.TxIn[0].Witness,
					[]byte{1})
			})
		try("one push more", func(tx *wire.MsgTx, _ []wireform.Output) {
			tx.TxIn[0].SignatureScript = append([]byte{1, 1}, tx.TxIn[0].SignatureScript...)
		})
		try("a NOP", func(tx *wire.MsgTx, _ []wireform.Output) {
			tx.TxIn[0].SignatureScript = append(tx.TxIn[0].SignatureScript, txscript.OP_NOP)
		})
		try("a push cut off", func(tx *wire.MsgTx, _ []wireform.Output) {
			tx.TxIn[0].SignatureScript = append(tx.TxIn[0].SignatureScript, 0x4d, 1)
		})
		try("no signature script", func(tx *wire.MsgTx,
			_ []wireform.Output) {
			tx.TxIn[0].SignatureScript = nil
		})
	}
}

// TestReasons checks the reason of the verdict on inputs that fail before a signature is verified.
// Each input must give exactly one verdict, Invalid or NotCheckable.
func TestReasons(t *testing.T) {
	byName := make(map[string]spend)
	for _, sp := range spends() {
		byName[sp.name] = sp
	}
	now := stages[len(stages)-1]
	for _, c := range []struct {
		spend  string
		mutate func(tx *wire.MsgTx, spent []wireform.Output)
		want   reading.Verdict
		kind   string
		reason string
	}{
		{"P2PKH, compressed", func(_ *wire.MsgTx, s []wireform.Output) { s[0].Script[5] ^= 1 },
			reading.Invalid,
			"p2pkh", "the public key does not hash to the output's key hash"},
		{"P2WPKH, compressed", func(_ *wire.MsgTx, s []wireform.Output) { s[0].Script[5] ^= 1 },
			reading.Invalid,
			"p2wpkh", "the public key does not hash to the output's key hash"},
		{"P2SH multisig 2 of 3", func(_ *wire.MsgTx, s []wireform.Output) { s[0].Script[5] ^= 1 },
			reading.Invalid,
			"p2sh", "the redeem script does not hash to the output's script hash"},
		{"P2WSH multisig 2 of 3", func(_ *wire.MsgTx, s []wireform.Output) { s[0].Script[5] ^= 1 },
			reading.Invalid,
			"p2wsh", "the witness script does not hash to the output's script hash"},
		{"P2PKH, empty signature", nil, reading.Invalid, "p2pkh", "an empty signature"},
		{"P2TR, hash type 00", func(tx *wire.MsgTx, _ []wireform.Output) { tx.TxIn[0].Witness = nil },
			reading.Invalid, "p2tr", "an empty witness"},
		{"P2TR, hash type 00",
			func(tx *wire.MsgTx, _ []wireform.Output) { tx.TxIn[0].Witness[0] = tx.TxIn[0].Witness[0][:63] },
			reading.Invalid, "p2tr key path", "a taproot signature of 63 bytes"},
		{"P2TR, hash type 00", func(tx *wire.MsgTx, _ []wireform.Output) {
			tx.TxIn[0].Witness[0] = append(
				tx.TxIn[0].Witness[0], 0)
		}, reading.Invalid, "p2tr key path", "a taproot signature of 65 bytes that ends in the hash " +
			"type 0"},
		{"P2TR, hash type 00", func(tx *wire.MsgTx, _ []wireform.Output) {
			tx.TxIn[0].Witness[0] = append(
				tx.TxIn[0].Witness[0], 4)
		}, reading.Invalid, "p2tr key path", "the signature hash: a hash type that BIP 341 does not " +
			"know"},
		{"P2TR, hash type 00", func(_ *wire.MsgTx, s []wireform.Output) { s[1].Known = false },
			reading.NotCheckable,
			"p2tr key path", "signs all spent outputs of its transaction, one of which is missing"},
		{"P2TR script path", func(_ *wire.MsgTx, s []wireform.Output) { s[1].Known = false },
			reading.NotCheckable,
			"p2tr script path", "may sign all spent outputs of its transaction, one of which is missing"},
		{"P2WPKH, compressed", func(_ *wire.MsgTx, s []wireform.Output) { s[1].Known = false },
			reading.Valid,
			"p2wpkh", ""},
		{"P2TR, hash type 81", func(_ *wire.MsgTx, s []wireform.Output) { s[1].Known = false },
			reading.Valid,
			"p2tr key path", ""},
		{"nobody can spend", nil, reading.Invalid, "script", "the script engine: script returned early"},
	} {
		tx, spent := build([]spend{byName[c.spend], byName["P2PK, compressed"]}, 2)
		if tx, spent = copyOf(tx, spent); c.mutate != nil {
			c.mutate(tx, spent)
		}
		u := unitOf(tx, spent, 0, now)
		if v, _ := judge(&u); v != c.want || u.Kind != c.kind || u.Reason != c.reason {
			t.Errorf("%s: verdict %d, %q, %q; want %d, %q, %q", c.spend, v, u.Kind, u.Reason, c.want, c.kind,
				c.reason)
		}
	}
}

// TestUnsigned checks that an input that the script engine accepts gets the verdict EngineChecked
// only if the engine verified a signature, and otherwise Unsigned.
func TestUnsigned(t *testing.T) {
	now := stages[len(stages)-1]
	free := wire.TxWitness(nil)
	zeroOfOne := script(op0, compressed(1), op1, checkMultisig)
	not := script(compressed(1), checkSig, txscript.OP_NOT)
	dropped := script(compressed(1), checkSig, txscript.OP_DROP, op1)
	hash := script(txscript.OP_SIZE, []byte{3}, txscript.OP_EQUALVERIFY, op1)
	// odd is a script with a key of a type that tapscript does not define.
	odd := script(append([]byte{9}, compressed(1)...), checkSig)
	oddOut, oddControl := tapLeaf(odd)
	for _, c := range []struct {
		name   string
		script []byte
		sign   func(s *signer) ([]byte, wire.TxWitness)
		want   reading.Verdict
		reason bool
	}{
		{"nothing", script(op1), func(*signer) ([]byte, wire.TxWitness) { return nil, free },
			reading.Unsigned, false},
		{"data", hash, func(*signer) ([]byte, wire.TxWitness) { return script([]byte{1, 2, 3}), free },
			reading.Unsigned, true},
		{"P2SH of nothing", scriptHash(script(op1)), func(*signer) ([]byte,
			wire.TxWitness) {
			return script(script(op1)), free
		}, reading.Unsigned, true},
		{"P2WSH of nothing", witnessHash(script(op1)), func(*signer) ([]byte,
			wire.TxWitness) {
			return nil, wire.TxWitness{script(op1)}
		}, reading.Unsigned, true},
		{"pay to anchor", script(op1, []byte{0x4e, 0x73}), func(*signer) ([]byte,
			wire.TxWitness) {
			return nil, free
		}, reading.Unsigned, false},
		{"multisig 0 of 1", zeroOfOne, func(*signer) ([]byte, wire.TxWitness) {
			return script(op0),
				free
		}, reading.Unsigned, true},
		{"a bad signature that has to be one", not, func(s *signer) ([]byte, wire.TxWitness) {
			return script(s.ecdsa(2, not, txscript.SigHashAll)), free
		}, reading.Unsigned, true},
		{"an unknown kind of key", oddOut, func(*signer) ([]byte, wire.TxWitness) {
			return nil,
				wire.TxWitness{make([]byte, 64), odd, oddControl}
		}, reading.Unsigned, true},
		{"a good signature that does not matter", dropped, func(s *signer) ([]byte, wire.TxWitness) {
			return script(s.ecdsa(1, dropped, txscript.SigHashAll)), free
		}, reading.EngineChecked, true},
		{"a bad signature that does not matter", dropped, func(s *signer) ([]byte, wire.TxWitness) {
			return script(s.ecdsa(2, dropped, txscript.SigHashAll)), free
		}, reading.Unsigned, true},
	} {
		tx, spent := build([]spend{{name: c.name, script: c.script, sign: c.sign}}, 1)
		if u := unitOf(tx, spent, 0, now); u.Decided != c.want || (u.Reason != "") != c.reason {
			t.Errorf("%s: %v, %q", c.name, u.Decided, u.Reason)
		}
	}
}

// TestFindAndDelete checks that an input is valid if its multisig script contains one of the
// input's signatures in place of a key, as the script engine says. Signature hashing before segwit
// removes the signature from the script (FindAndDelete).
func TestFindAndDelete(t *testing.T) {
	// The signature does not cover itself, so it can be computed before the complete script, which
	// contains the signature.
	without := script(op1, compressed(1), op1+1, checkMultisig)
	sp := spend{name: "a signature in the script", script: without, sign: func(s *signer) ([]byte,
		wire.TxWitness) {
		return script(op0, s.ecdsa(1, without, txscript.SigHashAll)), nil
	}}
	tx, spent := build([]spend{sp}, 1)
	items, _ := txscript.PushedData(tx.TxIn[0].SignatureScript)
	spent[0].Script = script(op1, items[1], compressed(1), op1+1, checkMultisig)
	if !agree(t, sp.name, tx, spent, 0, stages[0]) {
		t.Error("the engine refuses a signature that was cut out of the script")
	}
}

// FuzzInput checks that our verdict on arbitrary scripts and witnesses matches the script engine's.
func FuzzInput(f *testing.F) {
	for _, sp := range spends() {
		tx, spent := build([]spend{sp}, 1)
		var item0, item1 []byte
		w := tx.TxIn[0].Witness
		if len(w) > 0 {
			item0 = w[0]
		}
		if len(w) > 1 {
			item1 = w[len(w)-1]
		}
		f.Add(tx.TxIn[0].SignatureScript, item0, item1, spent[0].Script, byte(len(w)),
			byte(len(stages)-1))
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
		v, _ := judge(&u)
		if v == reading.NotCheckable {
			return // the engine stopped without a verdict
		}
		if err := engineSays(tx, spent, 0, r); (v == reading.Valid || v == reading.EngineChecked ||
			v == reading.Unsigned) != (err == nil) && !laxer(&u) {
			t.Errorf("verdict %d (%s, %s), engine: %v", v, u.Kind, u.Reason, err)
		}
	})
}
