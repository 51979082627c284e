package after

import (
	"context"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/lab/port/before"
)

// Kinds of outputs of a transaction.
const (
	witness     = iota // pay to witness public key hash
	taproot            // taproot's key path with the default hash type
	taprootType        // the same with an explicit hash type, left to the engine
	legacy             // pay to public key hash, left to the engine
	kinds
)

// A chainBlock is a block: some transactions, and the outputs that they spend.
type chainBlock struct {
	txs     []*wire.MsgTx
	outputs *txscript.MultiPrevOutFetcher
	kinds   []int // kinds of the inputs, in order
}

// must returns a function that returns v, or fails the test if err is not nil.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// script returns an output script of the given kind that the key can spend.
func script(t *testing.T, kind int, key *btcec.PublicKey) []byte {
	t.Helper()
	b := txscript.NewScriptBuilder()
	hash := address.Hash160(key.SerializeCompressed())
	switch kind {
	case witness:
		b.AddOp(txscript.OP_0).AddData(hash)
	case legacy:
		b.AddOp(txscript.OP_DUP).AddOp(txscript.OP_HASH160).AddData(hash).
			AddOp(txscript.OP_EQUALVERIFY).AddOp(txscript.OP_CHECKSIG)
	default:
		return must[[]byte](t)(txscript.PayToTaprootScript(txscript.ComputeTaprootKeyNoScript(key)))
	}
	return must[[]byte](t)(b.Script())
}

// block returns a block with inputs of all kinds, all of them valid.
func (s source) block(t *testing.T) chainBlock {
	t.Helper()
	b := chainBlock{outputs: txscript.NewMultiPrevOutFetcher(nil)}
	types := []txscript.SigHashType{
		txscript.SigHashAll, txscript.SigHashNone, txscript.SigHashSingle,
		txscript.SigHashAll | txscript.SigHashAnyOneCanPay,
	}
	for range 12 {
		tx := wire.NewMsgTx(2)
		var keys []*btcec.PrivateKey
		first := s.IntN(kinds)
		for i := range 1 + s.IntN(6) {
			key, pub := btcec.PrivKeyFromBytes(s.secret())
			keys = append(keys, key)
			kind := (first + i) % kinds
			b.kinds = append(b.kinds, kind)
			point := wire.OutPoint{Hash: chainhash.Hash(s.bytes(32)), Index: s.Uint32N(9)}
			b.outputs.AddPrevOut(point, wire.NewTxOut(int64(s.IntN(1e6)), script(t, kind, pub)))
			tx.AddTxIn(wire.NewTxIn(&point, nil, nil))
			tx.AddTxOut(wire.NewTxOut(int64(s.IntN(1e6)), s.bytes(22)))
		}
		hashes := txscript.NewTxSigHashes(tx, b.outputs)
		for i, in := range tx.TxIn {
			out := b.outputs.FetchPrevOutput(in.PreviousOutPoint)
			hashType := types[s.IntN(len(types))]
			switch b.kinds[len(b.kinds)-len(tx.TxIn)+i] {
			case witness:
				in.Witness = must[wire.TxWitness](t)(txscript.WitnessSignature(
					tx, hashes, i, out.Value, out.PkScript, hashType, keys[i], true))
			case taproot:
				in.Witness = must[wire.TxWitness](t)(txscript.TaprootWitnessSignature(
					tx, hashes, i, out.Value, out.PkScript, txscript.SigHashDefault, keys[i]))
			case taprootType:
				in.Witness = must[wire.TxWitness](t)(txscript.TaprootWitnessSignature(
					tx, hashes, i, out.Value, out.PkScript, txscript.SigHashAll, keys[i]))
			case legacy:
				in.SignatureScript = must[[]byte](t)(txscript.SignatureScript(
					tx, i, out.PkScript, hashType, keys[i], true))
			}
		}
		b.txs = append(b.txs, tx)
	}
	return b
}

// TestInputs checks that CheckInputs before the port and CheckInputs after it give the same verdict
// on blocks that are valid, or invalid in one place.
func TestInputs(t *testing.T) {
	s := newSource(12)
	ctx := context.Background()
	good, bad := 0, 0
	for i := range 140 {
		b := s.block(t)
		tx := b.txs[s.IntN(len(b.txs))]
		in := tx.TxIn[s.IntN(len(tx.TxIn))]
		switch i % 7 {
		case 0:
		case 1: // a bit of the signature, the key or a script
			if len(in.Witness) > 0 {
				j := s.IntN(len(in.Witness))
				in.Witness[j] = s.flip(in.Witness[j])
			} else {
				in.SignatureScript = s.flip(in.SignatureScript)
			}
		case 2: // the signed transaction
			tx.TxOut[0].Value++
		case 3: // the amount, which most kinds sign
			out := b.outputs.FetchPrevOutput(in.PreviousOutPoint)
			b.outputs.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(out.Value+1, out.PkScript))
		case 4: // an additional or a missing element
			if s.IntN(2) == 0 || len(in.Witness) == 0 {
				in.Witness = append(slices.Clip(in.Witness), s.bytes(s.IntN(3)))
			} else {
				in.Witness = in.Witness[:len(in.Witness)-1]
			}
		case 5: // an output of another key
			out := b.outputs.FetchPrevOutput(in.PreviousOutPoint)
			pk := slices.Clone(out.PkScript)
			pk[len(pk)-3] ^= 1
			b.outputs.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(out.Value, pk))
		case 6: // a missing signature
			if len(in.Witness) > 0 {
				in.Witness[0] = nil
			} else {
				in.SignatureScript = nil
			}
		}
		err1 := before.CheckInputs(ctx, b.txs, b.outputs, txscript.StandardVerifyFlags)
		err2 := CheckInputs(ctx, b.txs, b.outputs, txscript.StandardVerifyFlags)
		switch {
		case (err1 == nil) != (err2 == nil) || err1 != nil && err1.Error() != err2.Error():
			t.Errorf("block %d: %v, before %v", i, err2, err1)
		case err1 == nil:
			good++
		default:
			bad++
		}
	}
	if good < 20 || bad < 80 {
		t.Errorf("%d blocks were good, %d bad", good, bad)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	b := s.block(t)
	err := CheckInputs(ended, b.txs, b.outputs, txscript.StandardVerifyFlags)
	if err != context.Canceled {
		t.Errorf("a context that is done: %v", err)
	}
}

// TestCache checks that the cache entries are those that the engine looks up. It makes each batched
// signature wrong. If the cache has an entry for the wrong signature, the engine must accept the
// input, and otherwise it must refuse the input.
func TestCache(t *testing.T) {
	s := newSource(13)
	for range 10 {
		b := s.block(t)
		found := newSignatures(txscript.NewSigCache(100))
		want := 0
		for _, kind := range b.kinds {
			if kind == witness || kind == taproot {
				want++
			}
		}
		for _, tx := range b.txs {
			hashes := txscript.NewTxSigHashes(tx, b.outputs)
			for i, in := range tx.TxIn {
				switch w := in.Witness; {
				case len(w) == 2:
					w[0] = otherDER(w[0])
				case len(w) == 1 && len(w[0]) == 64:
					w[0][63] ^= 1
				}
				found.add(tx, i, hashes, b.outputs)
			}
		}
		verdicts := make([]batch.Verdict, found.ecdsa.Len())
		if n, err := found.ecdsa.Verify(context.Background(), verdicts); err != nil || n != 0 {
			t.Errorf("%d wrong signatures are valid: %v, %v", n, verdicts, err)
		}
		if got := len(found.witness) + len(found.taproot); got != want {
			t.Errorf("%d signatures were batched of %d", got, want)
		}
		valid := slices.Repeat([]batch.Verdict{batch.Valid}, want)
		for _, believed := range []bool{false, true} {
			if believed {
				found.keep(found.witness, valid)
				found.keep(found.taproot, valid)
			}
			kind := b.kinds
			for _, tx := range b.txs {
				hashes := txscript.NewTxSigHashes(tx, b.outputs)
				for i, in := range tx.TxIn {
					out := b.outputs.FetchPrevOutput(in.PreviousOutPoint)
					engine, err := txscript.NewEngine(out.PkScript, tx, i,
						txscript.StandardVerifyFlags, found.cache, hashes, out.Value, b.outputs)
					if err == nil {
						err = engine.Execute()
					}
					batched := kind[0] == witness || kind[0] == taproot
					if (err == nil) != (believed || !batched) {
						t.Errorf("kind %d, in the cache: %v: %v", kind[0], believed, err)
					}
					kind = kind[1:]
				}
			}
		}
	}
}

// TestVerified checks that after the method verify the cache holds all valid signatures and no
// others.
func TestVerified(t *testing.T) {
	b := newSource(14).block(t)
	found := newSignatures(txscript.NewSigCache(100))
	spoilt := make(map[int]bool)
	n := 0
	for _, tx := range b.txs {
		hashes := txscript.NewTxSigHashes(tx, b.outputs)
		for i, in := range tx.TxIn {
			if len(in.Witness) > 0 && n%3 == 0 && (len(in.Witness) == 2 || len(in.Witness[0]) == 64) {
				spoilt[len(found.witness)+len(found.taproot)] = true
				if len(in.Witness) == 2 {
					in.Witness[0] = otherDER(in.Witness[0])
				} else {
					in.Witness[0][63] ^= 1
				}
			}
			n++
			found.add(tx, i, hashes, b.outputs)
		}
	}
	if err := found.verify(context.Background()); err != nil {
		t.Fatal(err)
	}
	good, all := 0, slices.Concat(found.witness, found.taproot)
	for _, e := range all {
		if found.cache.Exists(e.hash, e.sig, e.key) {
			good++
		}
	}
	if good == 0 || len(spoilt) == 0 || good != len(all)-len(spoilt) {
		t.Errorf("%d in the cache of %d with %d bad ones", good, len(all), len(spoilt))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := found.verify(ended); err != context.Canceled {
		t.Errorf("a context that is done: %v", err)
	}
}

// otherDER returns sig, a signature in DER with its hash type, after changing one bit of s. The
// signature remains well formed with a low s.
func otherDER(sig []byte) []byte {
	sig = slices.Clone(sig)
	sig[len(sig)-2] ^= 1
	return sig
}
