package bitcoin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/internal/forkjoin/forkjointest"
)

// current returns today's rules.
func current(t testing.TB) Rules {
	r, err := RulesAt(wire.MainNet, 1<<30, chainhash.Hash{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func privateKey(i int) *btcec.PrivateKey {
	key, _ := btcec.PrivKeyFromBytes([]byte{1, byte(i)})
	return key
}

// A signing is an output together with the keys that sign its spend.
type signing struct {
	script []byte
	keys   []int
}

// multisigOf returns an output that needs m signatures of keys. A negative key -n is a string of n
// bytes that encodes no key; only -33 and -65 have the length of a key.
func multisigOf(t testing.TB, m int, signers []int, keys ...int) signing {
	b := txscript.NewScriptBuilder().AddInt64(int64(m))
	for _, k := range keys {
		switch {
		case k < 0:
			b.AddData(append([]byte{5}, make([]byte, -k-1)...))
		case k%3 == 2:
			b.AddData(privateKey(k).PubKey().SerializeUncompressed())
		default:
			b.AddData(privateKey(k).PubKey().SerializeCompressed())
		}
	}
	script, err := b.AddInt64(int64(len(keys))).AddOp(txscript.OP_CHECKMULTISIG).Script()
	if err != nil {
		t.Fatal(err)
	}
	return signing{script, signers}
}

func p2pkOf(t testing.TB, k int) signing {
	script, err := txscript.NewScriptBuilder().AddData(privateKey(k).PubKey().SerializeCompressed()).
		AddOp(txscript.OP_CHECKSIG).Script()
	if err != nil {
		t.Fatal(err)
	}
	return signing{script, []int{k}}
}

// spend returns a transaction that spends the outputs, and these outputs. The transaction has one
// output, with the given script.
func spend(t testing.TB, script []byte, outputs ...signing) (*wire.MsgTx,
	*txscript.MultiPrevOutFetcher) {
	tx, fetch := sized(len(outputs), 1, 0), txscript.NewMultiPrevOutFetcher(nil)
	tx.TxOut[0].PkScript = script
	for i, o := range outputs {
		fetch.AddPrevOut(tx.TxIn[i].PreviousOutPoint, wire.NewTxOut(1, o.script))
		sign(t, tx, i, o)
	}
	return tx, fetch
}

// TestMultisig compares verdicts on multisigs with those of the script engine: with signatures of
// all subsets and some orders of the keys, and keys that are not valid.
func TestMultisig(t *testing.T) {
	r := current(t)
	verdicts := map[bool]int{}
	for _, c := range []struct{ m, n int }{{1, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 5}, {1, 4}, {2, 16}} {
		for seed := range uint64(30) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			keys := rnd.Perm(c.n)
			signers := make([]int, 0, c.m)
			for i, at := 0, 0; i < c.m; i++ {
				at += rnd.IntN(c.n - c.m + i + 1 - at)
				signers = append(signers, keys[at])
				at++
			}
			switch rnd.IntN(6) {
			case 0:
				rnd.Shuffle(c.m, func(i, j int) { signers[i], signers[j] = signers[j], signers[i] })
			case 1:
				signers[rnd.IntN(c.m)] = 100
			case 2:
				keys[rnd.IntN(c.n)] = -33
			case 3:
				keys[rnd.IntN(c.n)] = -65
			}
			tx, fetch := spend(t, nil, multisigOf(t, c.m, signers, keys...))
			out := fetch.FetchPrevOutput(tx.TxIn[0].PreviousOutPoint)
			want := engine(tx, 0, out, r, fetch)
			cache := txscript.NewSigCache(100)
			for range 2 { // the second time, the cache may have the signatures
				got := VerifyTx(t.Context(), tx, fetch, r, &Options{SigCache: cache})
				if (got == nil) != (want == nil) {
					t.Errorf("%d of %d, keys %v, signers %v: %v; the engine: %v", c.m, c.n, keys, signers,
						got, want)
				}
			}
			verdicts[want == nil]++
		}
	}
	if verdicts[true] < 50 || verdicts[false] < 20 {
		t.Errorf("verdicts %v", verdicts)
	}
}

// TestVerifyBlock checks blocks in which transactions spend outputs of each other, and which input
// an error names.
func TestVerifyBlock(t *testing.T) {
	r := current(t)
	coinbase := wire.NewMsgTx(1)
	coinbase.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: 1<<32 - 1}, []byte{1, 2}, nil))
	var outputs []signing
	for i := range 200 {
		outputs = append(outputs, p2pkOf(t, i%20))
	}
	outputs = append(outputs, multisigOf(t, 2, []int{3, 5}, 3, 4, 5))
	first, fetch := spend(t, p2pkOf(t, 7).script, outputs...)
	second := wire.NewMsgTx(1)
	second.AddTxIn(wire.NewTxIn(&wire.OutPoint{Hash: first.TxHash()}, nil, nil))
	second.AddTxOut(wire.NewTxOut(1, nil))
	sign(t, second, 0, p2pkOf(t, 7))
	block := &wire.MsgBlock{Transactions: []*wire.MsgTx{coinbase, first, second}}

	verify := func(what, want string, txs ...*wire.MsgTx) *InputError {
		t.Helper()
		block.Transactions = txs
		var at *InputError
		for _, workers := range []int{1, 2, 9} {
			err := VerifyBlock(t.Context(), block, fetch, r, &Options{Workers: workers})
			switch {
			case want == "" && err != nil:
				t.Errorf("%s: %v", what, err)
			case want != "" && (!errors.As(err, &at) || !strings.Contains(err.Error(), want) ||
				at.Block != block.BlockHash()):
				t.Errorf("%s: %v, want %s", what, err, want)
			}
		}
		return at
	}
	verify("good", "", coinbase, first, second)
	verify("empty", "")
	verify("the coinbase alone", "", coinbase)
	if e := verify("child before parent", "input 0: it spends an unknown output: ", coinbase, second,
		first); !errors.Is(e, ErrUnknownOutput) || e.Tx != 1 {
		t.Errorf("%+v", e)
	}
	if e := verify("a second coinbase", "unknown output", coinbase, first, coinbase); e.Tx != 2 {
		t.Errorf("%+v", e)
	}
	bad := first.Copy()
	bad.TxIn[190].SignatureScript = bad.TxIn[10].SignatureScript
	bad.TxIn[70].SignatureScript = bad.TxIn[71].SignatureScript
	bad.TxIn[200].SignatureScript = nil
	if e := verify("several", "input 70 (p2pk): the signature is not one of the key", coinbase,
		bad); e.Tx != 1 || e.Input != 70 || e.TxID != bad.TxHash() ||
		e.OutPoint != bad.TxIn[70].PreviousOutPoint {
		t.Errorf("%+v", e)
	}

	block.Transactions = []*wire.MsgTx{coinbase, first, second}
	for _, bad := range []Rules{{}, {P2SH: true, Segwit: true, Taproot: true}} {
		if err := VerifyBlock(t.Context(), block, fetch, bad, nil); err != errRules {
			t.Errorf("rules %+v: %v", bad, err)
		}
		if err := VerifyTx(t.Context(), first, fetch, bad, nil); err != errRules {
			t.Errorf("rules %+v: %v", bad, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := VerifyBlock(ctx, block, fetch, r, nil); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// A forgetful context returns an error only from the call with number at of its method Err,
// although package context forbids that.
type forgetful struct {
	context.Context
	at int
}

func (c *forgetful) Err() error {
	if c.at--; c.at == 0 {
		return context.Canceled
	}
	return nil
}

// TestForgetfulContext verifies a transaction whose last input has no valid signature, with
// contexts that end at each look and forget it. An input that was not verified must not be called
// valid, and no other input invalid.
func TestForgetfulContext(t *testing.T) {
	var outputs []signing
	for i := range 3 * spanInputs {
		outputs = append(outputs, p2pkOf(t, i%20))
	}
	tx, fetch := spend(t, p2pkOf(t, 7).script, outputs...)
	last := len(tx.TxIn) - 1
	tx.TxIn[last].SignatureScript = tx.TxIn[last-1].SignatureScript
	for at := 1; ; at++ {
		ctx := &forgetful{t.Context(), at}
		err := VerifyTx(ctx, tx, fetch, current(t), &Options{Workers: 1})
		var invalid *InputError
		if errors.As(err, &invalid) && invalid.Input == last {
			if ctx.at > 0 {
				break // it did not end
			}
		} else if err != context.Canceled {
			t.Fatalf("the context ends at look %d: %v", at, err)
		}
	}
}

// sign signs input i of tx, which spends the output o.
func sign(t testing.TB, tx *wire.MsgTx, i int, o signing) {
	d, err := txscript.CalcSignatureHash(o.script, txscript.SigHashAll, tx, i)
	if err != nil {
		t.Fatal(err)
	}
	b := txscript.NewScriptBuilder()
	if o.script[len(o.script)-1] == txscript.OP_CHECKMULTISIG {
		b.AddOp(txscript.OP_0)
	}
	for _, k := range o.keys {
		b.AddData(append(ecdsa.Sign(privateKey(k), d).Serialize(), byte(txscript.SigHashAll)))
	}
	if tx.TxIn[i].SignatureScript, err = b.Script(); err != nil {
		t.Fatal(err)
	}
}

// TestConcurrentCalls checks that calls that share a cache and the transactions do not disturb each
// other.
func TestConcurrentCalls(t *testing.T) {
	r, cache := current(t), txscript.NewSigCache(50)
	var outputs []signing
	for i := range 80 {
		outputs = append(outputs, p2pkOf(t, i))
	}
	tx, fetch := spend(t, nil, outputs...)
	bad := tx.Copy()
	bad.TxIn[60].SignatureScript = bad.TxIn[0].SignatureScript
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			o := &Options{Workers: 3, SigCache: cache}
			if i%2 == 0 {
				o.SigCache = nil
			}
			if err := VerifyTx(t.Context(), tx, fetch, r, o); err != nil {
				t.Error(err)
			}
			var at *InputError
			if err := VerifyTx(t.Context(), bad, fetch, r, o); !errors.As(err, &at) || at.Input != 60 {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
}

// TestContexts checks every function that takes a context: see forkjointest.Contexts.
func TestContexts(t *testing.T) {
	outputs := make([]signing, 100)
	for i := range outputs {
		outputs[i] = p2pkOf(t, i%7+1)
	}
	tx, fetch := spend(t, nil, outputs...)
	block := &wire.MsgBlock{Transactions: []*wire.MsgTx{tx}}
	r, o := current(t), &Options{Workers: 2}
	forkjointest.Contexts(t, map[string]forkjointest.Call{
		"bitcoin.VerifyBlock": func(ctx context.Context) (int, int, error) {
			err := VerifyBlock(ctx, block, fetch, r, o)
			return forkjointest.One(err == nil, err)
		},
		"bitcoin.VerifyTx": func(ctx context.Context) (int, int, error) {
			err := VerifyTx(ctx, tx, fetch, r, o)
			return forkjointest.One(err == nil, err)
		},
	}, "../api/bitcoin.txt")
}

// rulesOf returns the rules with the given flags.
func rulesOf(t testing.TB, flags txscript.ScriptFlags) Rules {
	r, err := RulesOf(flags)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWitnessDummy compares verdicts on multisigs in P2WSH with those of the script engine, for
// several lengths of the item that CHECKMULTISIG ignores. Before BIP 147 it may have 520 bytes.
func TestWitnessDummy(t *testing.T) {
	r := rulesOf(t, txscript.ScriptBip16|txscript.ScriptVerifyWitness)
	o := multisigOf(t, 1, []int{1}, 1, 2)
	program := sha256.Sum256(o.script)
	out := wire.NewTxOut(1, append([]byte{txscript.OP_0, txscript.OP_DATA_32}, program[:]...))
	for _, size := range []int{0, 1, 520, 521} {
		tx, fetch := sized(1, 1, 0), txscript.NewMultiPrevOutFetcher(nil)
		fetch.AddPrevOut(tx.TxIn[0].PreviousOutPoint, out)
		sig, err := txscript.RawTxInWitnessSignature(tx, txscript.NewTxSigHashes(tx, fetch), 0, 1,
			o.script, txscript.SigHashAll, privateKey(1))
		if err != nil {
			t.Fatal(err)
		}
		tx.TxIn[0].Witness = wire.TxWitness{make([]byte, size), sig, o.script}
		got, want := VerifyTx(t.Context(), tx, fetch, r, nil), engine(tx, 0, out, r, fetch)
		if (got == nil) != (want == nil) || (got == nil) != (size <= 520) {
			t.Errorf("%d bytes: %v; the engine: %v", size, got, want)
		}
	}
}

// TestCacheOfLaxSignatures checks that an entry of the script engine's cache does not make a
// signature valid that the engine and the chain read as different numbers. Both digests are 1,
// because SIGHASH_SINGLE lacks an output.
func TestCacheOfLaxSignatures(t *testing.T) {
	o := p2pkOf(t, 1)
	signature := ecdsa.Sign(privateKey(1), append([]byte{1}, make([]byte, 31)...))
	r, s := signature.R(), signature.S()
	rBytes, sBytes := r.Bytes(), s.Bytes()
	// The engine does not read the byte 0x80+34, and finds the integers r and s. In the chain's lax
	// DER this byte says that the next 34 bytes, which hold r, are the length of the sequence. So
	// there the integers are s and 1.
	sig := append([]byte{0x30, 0x80 + 34, 2, 32}, rBytes[:]...)
	sig = append(append(sig, 2, 126), make([]byte, 94)...)
	sig = append(append(sig, sBytes[:]...), 2, 1, 1, byte(txscript.SigHashSingle))
	push := append([]byte{txscript.OP_PUSHDATA1, byte(len(sig))}, sig...)

	tx, fetch := sized(2, 0, 0), txscript.NewMultiPrevOutFetcher(nil)
	for i, script := range [][]byte{append([]byte{txscript.OP_NOP}, o.script...), o.script} {
		tx.TxIn[i].SignatureScript = push
		fetch.AddPrevOut(tx.TxIn[i].PreviousOutPoint, wire.NewTxOut(1, script))
	}
	for _, cache := range []*txscript.SigCache{nil, txscript.NewSigCache(10)} {
		var at *InputError
		err := VerifyTx(t.Context(), tx, fetch, rulesOf(t, txscript.ScriptBip16),
			&Options{Workers: 1, SigCache: cache})
		if !errors.As(err, &at) || at.Input != 1 {
			t.Errorf("with a cache %v: %v", cache != nil, err)
		}
	}
}

// TestCacheOfChangedSignatures changes a signature that is in the cache, in the memory from which
// it came there. The changed one is not valid.
func TestCacheOfChangedSignatures(t *testing.T) {
	for _, o := range []signing{p2pkOf(t, 1), multisigOf(t, 2, []int{3, 4}, 3, 4, 5)} {
		tx, fetch := spend(t, nil, o)
		options := &Options{SigCache: txscript.NewSigCache(10)}
		if err := VerifyTx(t.Context(), tx, fetch, current(t), options); err != nil {
			t.Fatal(err)
		}
		script := tx.TxIn[0].SignatureScript
		script[len(script)-3] ^= 1
		if VerifyTx(t.Context(), tx, fetch, current(t), options) == nil {
			t.Error("a changed signature is valid")
		}
	}
}

// TestZeroSignature checks signatures whose numbers are zero or too large. The rules before BIP 66
// accept their encoding.
func TestZeroSignature(t *testing.T) {
	lax := rulesOf(t, txscript.ScriptBip16)
	zero := []byte{0x30, 6, 2, 1, 0, 2, 1, 0, byte(txscript.SigHashAll)}
	large := append([]byte{0x30, 37, 2, 32}, bytes.Repeat([]byte{0xff}, 32)...)
	large = append(large, 2, 1, 1, byte(txscript.SigHashAll))
	good, one, two := p2pkOf(t, 1), p2pkOf(t, 2), multisigOf(t, 2, []int{3, 4}, 3, 4, 5)
	for _, r := range []Rules{lax, current(t)} {
		for _, sig := range [][]byte{zero, large} {
			for _, o := range []signing{one, two} {
				tx, fetch := spend(t, nil, good, o, good)
				script := tx.TxIn[1].SignatureScript
				at := 0 // the start of the last signature
				if len(o.keys) == 2 {
					at = 2 + int(script[1])
				}
				tx.TxIn[1].SignatureScript = append(append(script[:at:at], byte(len(sig))), sig...)
				var e *InputError
				err := VerifyTx(t.Context(), tx, fetch, r, nil)
				if !errors.As(err, &e) || e.Input != 1 {
					t.Errorf("strict %v, signature %x: %v", r.StrictDER, sig, err)
				}
			}
		}
	}
}

// TestStop checks that a call stops after an input that is not valid: it does not verify inputs
// that come long after.
func TestStop(t *testing.T) {
	outputs := make([]signing, 3*spanInputs)
	for i := range outputs {
		outputs[i] = p2pkOf(t, 1)
	}
	tx, fetch := spend(t, nil, outputs...)
	tx.TxIn[1].SignatureScript = nil
	cache := txscript.NewSigCache(1000)
	var at *InputError
	err := VerifyTx(t.Context(), tx, fetch, current(t), &Options{Workers: 1, SigCache: cache})
	if !errors.As(err, &at) || at.Input != 1 {
		t.Error(err)
	}
	key := privateKey(1).PubKey().SerializeCompressed()
	for i, in := range tx.TxIn {
		d, err := txscript.CalcSignatureHash(outputs[i].script, txscript.SigHashAll, tx, i)
		if err != nil {
			t.Fatal(err)
		}
		cached := i != 1 && cache.Exists(chainhash.Hash(d), in.SignatureScript[1:len(
			in.SignatureScript)-1], key)
		if cached != (i == 0) {
			t.Errorf("input %d: verified: %v", i, cached)
		}
	}
}

// FuzzVerifyTx checks that no transaction and no output makes VerifyTx panic, and that its verdict
// is the script engine's for inputs that the engine does not refuse for lax encodings.
func FuzzVerifyTx(f *testing.F) {
	r := current(f)
	tx, fetch := spend(f, nil, p2pkOf(f, 1), multisigOf(f, 1, []int{2}, 1, 2))
	var b bytes.Buffer
	if err := tx.Serialize(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes(), fetch.FetchPrevOutput(tx.TxIn[0].PreviousOutPoint).PkScript,
		fetch.FetchPrevOutput(tx.TxIn[1].PreviousOutPoint).PkScript)
	f.Fuzz(func(t *testing.T, raw, script0, script1 []byte) {
		var tx wire.MsgTx
		if tx.Deserialize(bytes.NewReader(raw)) != nil || len(tx.TxIn) > 2 {
			return
		}
		fetch := txscript.NewMultiPrevOutFetcher(nil)
		for i, in := range tx.TxIn {
			fetch.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(int64(i), [][]byte{script0, script1}[i]))
		}
		if len(tx.TxIn) == 2 && tx.TxIn[0].PreviousOutPoint == tx.TxIn[1].PreviousOutPoint {
			return
		}
		_ = VerifyTx(t.Context(), &tx, fetch, rulesOf(t, 0), nil) // must not panic
		got, want := VerifyTx(t.Context(), &tx, fetch, r, nil), error(nil)
		for i, in := range tx.TxIn {
			if want == nil {
				want = engine(&tx, i, fetch.FetchPrevOutput(in.PreviousOutPoint), r, fetch)
			}
		}
		if (got == nil) != (want == nil) {
			t.Errorf("%v; the engine: %v", got, want)
		}
	})
}

// engine runs btcd's script engine on input i. A panic of the engine is an error.
func engine(tx *wire.MsgTx, i int, out *wire.TxOut, r Rules, fetch txscript.PrevOutputFetcher) (
	err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	vm, err := txscript.NewEngine(out.PkScript, tx, i, r.Flags(), nil,
		txscript.NewTxSigHashes(tx, fetch), out.Value, fetch)
	if err != nil {
		return err
	}
	return vm.Execute()
}
