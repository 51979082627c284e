package after

import (
	"context"
	"fmt"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// CheckInputs runs the scripts of a block's inputs, except the coinbase's. Before it runs a script,
// it finds those signatures whose hash depends on no script, verifies them in two batches, and adds
// the valid ones to the script engine's cache. The engine applies all rules, and verifies
// signatures that are not in the cache.
func CheckInputs(
	ctx context.Context, txs []*wire.MsgTx, outputs txscript.PrevOutputFetcher,
	flags txscript.ScriptFlags,
) error {
	inputs := 0
	for _, tx := range txs {
		inputs += len(tx.TxIn)
	}
	found := newSignatures(txscript.NewSigCache(uint(10_000 + inputs)))
	hashes := make([]*txscript.TxSigHashes, len(txs))
	for i, tx := range txs {
		hashes[i] = txscript.NewTxSigHashes(tx, outputs)
		for j := range tx.TxIn {
			found.add(tx, j, hashes[i], outputs)
		}
	}
	if err := found.verify(ctx); err != nil {
		return err
	}
	for i, tx := range txs {
		for j, in := range tx.TxIn {
			out := outputs.FetchPrevOutput(in.PreviousOutPoint)
			engine, err := txscript.NewEngine(
				out.PkScript, tx, j, flags, found.cache, hashes[i], out.Value, outputs)
			if err == nil {
				err = engine.Execute()
			}
			if err != nil {
				return fmt.Errorf("input %d of %v: %w", j, tx.TxHash(), err)
			}
		}
	}
	return nil
}

// signatures collects the signatures of pay-to-witness-public-key-hash inputs and of taproot's key
// path, in order to verify them in batches.
type signatures struct {
	cache   *txscript.SigCache
	ecdsa   *batch.ECDSA
	schnorr *batch.Schnorr
	// The entry to add to the cache for each signature, if it is valid: with it the script engine
	// finds the signature.
	witness, taproot []entry
}

type entry struct {
	hash     chainhash.Hash
	sig, key []byte
}

// newSignatures returns an empty set. The batches accept a high s: if the flags forbid it, the
// script engine refuses it before it looks into the cache.
func newSignatures(cache *txscript.SigCache) *signatures {
	return &signatures{
		cache: cache, ecdsa: batch.NewECDSA(0, batch.AnyS, nil), schnorr: batch.NewSchnorr(0, nil),
	}
}

// add adds the signature of input i, if the input is of one of the two handled kinds. It skips a
// malformed input, because the script engine will refuse it with a reason.
func (f *signatures) add(
	tx *wire.MsgTx, i int, hashes *txscript.TxSigHashes, outputs txscript.PrevOutputFetcher,
) {
	in := tx.TxIn[i]
	out := outputs.FetchPrevOutput(in.PreviousOutPoint)
	w := in.Witness
	switch {
	case txscript.IsPayToWitnessPubKeyHash(out.PkScript) && len(w) == 2 && len(w[0]) > 0:
		last := len(w[0]) - 1
		sig, err := ecdsa.ParseDER(w[0][:last])
		if err != nil {
			return
		}
		hash, err := txscript.CalcWitnessSigHash(
			out.PkScript, hashes, txscript.SigHashType(w[0][last]), tx, i, out.Value)
		if err != nil {
			return
		}
		f.ecdsa.AddBytes(w[1], hash, sig.Bytes())
		f.witness = append(f.witness, entry{chainhash.Hash(hash), w[0][:last], w[1]})
	case txscript.IsPayToTaproot(out.PkScript) && len(w) == 1 && len(w[0]) == 64:
		hash, err := txscript.CalcTaprootSignatureHash(
			hashes, txscript.SigHashDefault, tx, i, outputs)
		if err != nil {
			return
		}
		key := out.PkScript[2:]
		f.schnorr.AddBytes(key, hash, w[0])
		f.taproot = append(f.taproot, entry{chainhash.Hash(hash), w[0], key})
	}
}

// verify verifies the collected signatures and adds the valid ones to the cache.
func (f *signatures) verify(ctx context.Context) error {
	verdicts := make([]batch.Verdict, f.ecdsa.Len())
	if _, err := f.ecdsa.Verify(ctx, verdicts); err != nil {
		return err
	}
	f.keep(f.witness, verdicts)
	verdicts = make([]batch.Verdict, f.schnorr.Len())
	if _, err := f.schnorr.Verify(ctx, verdicts); err != nil {
		return err
	}
	f.keep(f.taproot, verdicts)
	return nil
}

func (f *signatures) keep(entries []entry, verdicts []batch.Verdict) {
	for i, e := range entries {
		if verdicts[i] == batch.Valid {
			f.cache.Add(e.hash, e.sig, e.key)
		}
	}
}
