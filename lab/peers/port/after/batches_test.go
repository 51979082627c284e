package after

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/nbd-wtf/go-nostr"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/peers/port/before"
)

// ended returns a context that is cancelled.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// TestSenders compares Senders with the function of package before, on blocks with good signatures
// and on blocks with a bad one. The module ethereum tests all kinds of transactions and faults.
func TestSenders(t *testing.T) {
	c, ctx := newComparison(t), t.Context()
	signer := types.LatestSignerForChainID(big.NewInt(1337))
	for _, bad := range []bool{false, true} {
		for n := range 20 {
			txs := types.Transactions{}
			for range n {
				key := reference.Must(crypto.ToECDSA(c.secret()))
				to := common.BytesToAddress(c.bytes(20))
				var data types.TxData = &types.LegacyTx{Nonce: c.Uint64(), To: &to}
				if c.IntN(2) == 0 {
					data = &types.DynamicFeeTx{ChainID: signer.ChainID(), To: &to}
				}
				txs = append(txs, types.MustSignNewTx(key, signer, data))
			}
			if bad && n > 0 {
				v, s := new(big.Int), big.NewInt(1)
				txs[c.IntN(n)] = types.NewTx(&types.LegacyTx{V: v, R: s, S: s})
			}
			c.same("Senders", outcome(before.Senders(ctx, signer, txs)),
				outcome(Senders(ctx, signer, txs)))
			if _, err := Senders(ended(), signer, txs); n > 0 && err != context.Canceled {
				t.Errorf("a context that is done: %v", err)
			}
		}
	}
	if c.seen["Senders: error"] < 10 || c.seen["Senders: result"] < 19 {
		t.Error(c.seen)
	}
}

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
	batched int // number of inputs whose signatures are verified in batches
}

// script returns an output script of the given kind that the key can spend.
func script(kind int, key *btcec.PublicKey) []byte {
	b := txscript.NewScriptBuilder()
	hash := address.Hash160(key.SerializeCompressed())
	switch kind {
	case witness:
		b.AddOp(txscript.OP_0).AddData(hash)
	case legacy:
		b.AddOp(txscript.OP_DUP).AddOp(txscript.OP_HASH160).AddData(hash).
			AddOp(txscript.OP_EQUALVERIFY).AddOp(txscript.OP_CHECKSIG)
	default:
		return reference.Must(txscript.PayToTaprootScript(txscript.ComputeTaprootKeyNoScript(key)))
	}
	return reference.Must(b.Script())
}

// block returns a block with inputs of all kinds, all of them valid.
func (c *comparison) block() chainBlock {
	b := chainBlock{outputs: txscript.NewMultiPrevOutFetcher(nil)}
	hashTypes := []txscript.SigHashType{txscript.SigHashAll, txscript.SigHashNone,
		txscript.SigHashSingle, txscript.SigHashAll | txscript.SigHashAnyOneCanPay}
	for range 12 {
		tx, first := wire.NewMsgTx(2), c.IntN(kinds)
		var keys []*btcec.PrivateKey
		for i := range 1 + c.IntN(6) {
			key, pub := btcec.PrivKeyFromBytes(c.secret())
			keys = append(keys, key)
			point := wire.OutPoint{Hash: chainhash.Hash(c.bytes(32)), Index: c.Uint32N(9)}
			out := wire.NewTxOut(int64(c.IntN(1e6)), script((first+i)%kinds, pub))
			b.outputs.AddPrevOut(point, out)
			tx.AddTxIn(wire.NewTxIn(&point, nil, nil))
			tx.AddTxOut(wire.NewTxOut(int64(c.IntN(1e6)), c.bytes(22)))
		}
		hashes := txscript.NewTxSigHashes(tx, b.outputs)
		for i, in := range tx.TxIn {
			out := b.outputs.FetchPrevOutput(in.PreviousOutPoint)
			kind, hashType := (first+i)%kinds, hashTypes[c.IntN(len(hashTypes))]
			if kind == witness || kind == taproot {
				b.batched++
			}
			switch kind {
			case witness:
				in.Witness = reference.Must(txscript.WitnessSignature(
					tx, hashes, i, out.Value, out.PkScript, hashType, keys[i], true))
			case legacy:
				in.SignatureScript = reference.Must(txscript.SignatureScript(
					tx, i, out.PkScript, hashType, keys[i], true))
			default:
				if hashType = txscript.SigHashAll; kind == taproot {
					hashType = txscript.SigHashDefault
				}
				in.Witness = reference.Must(txscript.TaprootWitnessSignature(
					tx, hashes, i, out.Value, out.PkScript, hashType, keys[i]))
			}
		}
		b.txs = append(b.txs, tx)
	}
	return b
}

// TestInputs compares the errors of CheckInputs with those of the function of package before, on
// blocks that are valid or invalid in one place.
func TestInputs(t *testing.T) {
	c, ctx := newComparison(t), t.Context()
	good, bad := 0, 0
	for i := range 140 {
		b := c.block()
		tx := b.txs[c.IntN(len(b.txs))]
		in := tx.TxIn[c.IntN(len(tx.TxIn))]
		out := b.outputs.FetchPrevOutput(in.PreviousOutPoint)
		segwit := len(in.Witness) > 0
		switch i % 7 {
		case 0:
		case 1: // a bit of the signature, the key or a script
			if segwit {
				j := c.IntN(len(in.Witness))
				in.Witness[j] = c.flip(in.Witness[j])
			} else {
				in.SignatureScript = c.flip(in.SignatureScript)
			}
		case 2: // the signed transaction
			tx.TxOut[0].Value++
		case 3: // the amount, which most kinds sign
			b.outputs.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(out.Value+1, out.PkScript))
		case 4: // an additional or a missing element
			if c.IntN(2) == 0 || !segwit {
				in.Witness = append(slices.Clip(in.Witness), c.bytes(c.IntN(3)))
			} else {
				in.Witness = in.Witness[:len(in.Witness)-1]
			}
		case 5: // an output of another key
			pk := slices.Clone(out.PkScript)
			pk[len(pk)-3] ^= 1
			b.outputs.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(out.Value, pk))
		case 6: // a missing signature
			if segwit {
				in.Witness[0] = nil
			}
			in.SignatureScript = nil
		}
		err1 := before.CheckInputs(ctx, b.txs, b.outputs, txscript.StandardVerifyFlags)
		err2 := CheckInputs(ctx, b.txs, b.outputs, txscript.StandardVerifyFlags)
		if fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Errorf("block %d: %v, before %v", i, err2, err1)
		}
		if err1 == nil {
			good++
		} else {
			bad++
		}
	}
	if good < 20 || bad < 80 {
		t.Errorf("%d blocks were good, %d bad", good, bad)
	}
	b := c.block()
	err := CheckInputs(ended(), b.txs, b.outputs, txscript.StandardVerifyFlags)
	if err != context.Canceled {
		t.Errorf("a context that is done: %v", err)
	}
}

// TestCache makes some of the batched signatures wrong. The method verify must add the right
// signatures to the cache. Then the test adds the wrong signatures, and the engine must accept
// them. This shows that the entries are those that the engine looks up.
func TestCache(t *testing.T) {
	b, n, wrong := newComparison(t).block(), 0, 0
	found := newSignatures(txscript.NewSigCache(100))
	all := func(f func(tx *wire.MsgTx, i int, hashes *txscript.TxSigHashes)) {
		for _, tx := range b.txs {
			hashes := txscript.NewTxSigHashes(tx, b.outputs)
			for i := range tx.TxIn {
				f(tx, i, hashes)
			}
		}
	}
	all(func(tx *wire.MsgTx, i int, hashes *txscript.TxSigHashes) {
		w := tx.TxIn[i].Witness
		if n++; n%3 == 0 && len(w) > 0 && (len(w) == 2 || len(w[0]) == 64) {
			wrong++
			w[0] = slices.Clone(w[0])
			w[0][len(w[0])-len(w)] ^= 1 // a bit of s, which stays low
		}
		found.add(tx, i, hashes, b.outputs)
	})
	if err := found.verify(ended()); err != context.Canceled {
		t.Errorf("a context that is done: %v", err)
	}
	if err := found.verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, good := slices.Concat(found.witness, found.taproot), 0
	for _, e := range entries {
		if found.cache.Exists(e.hash, e.sig, e.key) {
			good++
		}
	}
	if len(entries) != b.batched || wrong < 3 || good != b.batched-wrong {
		t.Errorf("%d entries, want %d: %d cached, %d wrong", len(entries), b.batched, good, wrong)
	}
	for _, want := range []int{wrong, 0} {
		refused := 0
		all(func(tx *wire.MsgTx, i int, hashes *txscript.TxSigHashes) {
			out := b.outputs.FetchPrevOutput(tx.TxIn[i].PreviousOutPoint)
			engine := reference.Must(txscript.NewEngine(out.PkScript, tx, i,
				txscript.StandardVerifyFlags, found.cache, hashes, out.Value, b.outputs))
			if engine.Execute() != nil {
				refused++
			}
		})
		if refused != want {
			t.Errorf("the engine refuses %d inputs, want %d", refused, want)
		}
		found.keep(entries, slices.Repeat([]batch.Verdict{batch.Valid}, len(entries)))
	}
}

// TestEvents compares Check and CheckAll with the code of package before, on events. Many of these
// have a fault.
func TestEvents(t *testing.T) {
	c, ctx := newComparison(t), t.Context()
	changes := []func(e *nostr.Event){
		func(*nostr.Event) {},
		func(e *nostr.Event) { e.ID = "another" },
		func(e *nostr.Event) { e.PubKey = strings.ToUpper(e.PubKey) },
		func(e *nostr.Event) { e.Sig = strings.ToUpper(e.Sig) },
		func(e *nostr.Event) { e.Content += "." },
		func(e *nostr.Event) { e.Sig = hex.EncodeToString(c.flip(reference.Hex(e.Sig))) },
		func(e *nostr.Event) { e.Sig = e.Sig[:126] },
		func(e *nostr.Event) { e.Sig += "00" },
		func(e *nostr.Event) { e.Sig += "x" },
		func(e *nostr.Event) { e.Sig = "x" + e.Sig[1:] },
		func(e *nostr.Event) { e.Sig = "" },
		func(e *nostr.Event) { e.PubKey = strings.Repeat("0", 64) },
		func(e *nostr.Event) { e.PubKey = strings.Repeat("f", 64) },
		func(e *nostr.Event) { e.PubKey = e.PubKey[:63] },
		func(e *nostr.Event) { e.PubKey = "" },
		func(e *nostr.Event) { // a bad digit after the key, which the signed id is a hash of
			key, _ := btcec.PrivKeyFromBytes(c.secret())
			e.PubKey = hex.EncodeToString(key.PubKey().SerializeCompressed()[1:]) + "x"
			hash := chainhash.HashB(e.Serialize())
			sig := reference.Must(before.SignBIP340(key.Serialize(), hash, [32]byte{}))
			e.Sig = hex.EncodeToString(sig)
		},
	}
	events := make([]nostr.Event, 20*len(changes))
	for i := range events {
		e := nostr.Event{CreatedAt: nostr.Timestamp(1_700_000_000 + i), Kind: 1,
			Content: fmt.Sprintf("note %d \"quoted\" <ü>", i), Tags: nostr.Tags{{"e", "x"}}}
		if err := e.Sign(hex.EncodeToString(c.secret())); err != nil {
			t.Fatal(err)
		}
		changes[i%len(changes)](&e)
		events[i] = e
	}
	want := reference.Must(before.CheckAll(ctx, events))
	if got := reference.Must(CheckAll(ctx, events)); !slices.Equal(got, want) {
		t.Errorf("%v, before %v", got, want)
	}
	if got := want[:5]; !slices.Equal(got, []bool{true, true, false, true, false}) {
		t.Errorf("%v", got)
	}
	if none, err := CheckAll(ctx, nil); err != nil || len(none) != 0 {
		t.Errorf("no events: %v, %v", none, err)
	}
	var old before.Relay
	var relay Relay
	var wait sync.WaitGroup
	for i := range events {
		wait.Go(func() {
			ok1, err1 := old.Check(ctx, &events[i])
			ok2, err2 := relay.Check(ctx, &events[i])
			if err1 != nil || err2 != nil || ok1 != want[i] || ok2 != want[i] {
				t.Errorf("event %d: %v, before %v, want %v", i, ok2, ok1, want[i])
			}
		})
	}
	wait.Wait()
}
