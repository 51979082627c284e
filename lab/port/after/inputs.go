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

// CheckInputs runs the scripts of a block's inputs, except the coinbase's. It verifies the
// signatures that it finds without running scripts in two batches, and adds valid ones to the
// engine's cache. The engine applies all rules, and verifies signatures that are not in the cache.
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

// signatures are those of pay-to-witness-public-key-hash and of taproot's key path.
type signatures struct {
	cache   *txscript.SigCache
	ecdsa   *batch.ECDSA
	schnorr *batch.Schnorr
	// The entries of the cache that each signature is to have, as the engine looks them up.
	witness, taproot []entry
}

type entry struct {
	hash     chainhash.Hash
	sig, key []byte
}

// newSignatures returns an empty set. A high s is valid here: where the flags forbid one, the
// engine refuses it before it looks into the cache.
func newSignatures(cache *txscript.SigCache) *signatures {
	return &signatures{
		cache: cache, ecdsa: batch.NewECDSA(0, batch.AnyS, nil), schnorr: batch.NewSchnorr(0, nil),
	}
}

// add adds an input's signature, if it is one of these. The engine will say what is wrong with an
// input that is passed over here.
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

// verify puts the valid signatures in the cache.
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
