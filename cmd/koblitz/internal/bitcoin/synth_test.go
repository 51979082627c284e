package bitcoin

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// key returns test key number i.
func key(i int) *btcec.PrivateKey {
	if k, ok := keys.Load(i); ok {
		return k.(*btcec.PrivateKey)
	}
	h := sha256.Sum256([]byte(fmt.Sprint("key ", i)))
	k, _ := btcec.PrivKeyFromBytes(h[:])
	keys.Store(i, k)
	return k
}

// keys caches the results of the function key, which takes a millisecond under the race detector.
var keys sync.Map

func compressed(i int) []byte { return key(i).PubKey().SerializeCompressed() }

func uncompressed(i int) []byte { return key(i).PubKey().SerializeUncompressed() }

func hybrid(i int) []byte {
	b := uncompressed(i)
	b[0] = 6 | b[64]&1
	return b
}

func script(parts ...any) []byte { return bitcointest.Script(parts...) }

const (
	checkSig      = txscript.OP_CHECKSIG
	checkMultisig = txscript.OP_CHECKMULTISIG
	op1           = txscript.OP_1
	op0           = txscript.OP_0
)

func pkh(key []byte) []byte {
	return script(txscript.OP_DUP, txscript.OP_HASH160, address.Hash160(key), txscript.OP_EQUALVERIFY,
		checkSig)
}

func multisig(m int, keys ...[]byte) []byte {
	parts := []any{op1 + m - 1}
	for _, k := range keys {
		parts = append(parts, k)
	}
	return script(append(parts, op1+len(keys)-1, checkMultisig)...)
}

func scriptHash(redeem []byte) []byte {
	return script(txscript.OP_HASH160, address.Hash160(redeem), txscript.OP_EQUAL)
}

func witnessHash(s []byte) []byte {
	h := sha256.Sum256(s)
	return script(op0, h[:])
}

// A spend describes one input of the tests' transaction: the output that it spends, and a function
// that signs it.
type spend struct {
	name   string
	kind   string // kind of the unit, or "" if the script engine judges the input
	script []byte
	sign   signing
}

// A signing returns the signature script and the witness of an input.
type signing func(s *signer) (sigScript []byte, witness wire.TxWitness)

// legacy signs with test key 1 for the script code. The signature script pushes the signature and
// then the items of tail.
func legacy(code []byte, hashType txscript.SigHashType, tail ...[]byte) signing {
	return pushes(func(s *signer) []any {
		parts := []any{s.ecdsa(1, code, hashType)}
		for _, item := range tail {
			parts = append(parts, item)
		}
		return parts
	})
}

// segwit signs with test key 1 for the script code of a witness of version 0. The witness is the
// signature and then the items of tail.
func segwit(code []byte, hashType txscript.SigHashType, tail ...[]byte) signing {
	return func(s *signer) ([]byte, wire.TxWitness) {
		return nil, append(wire.TxWitness{s.segwit(1, code, hashType)}, tail...)
	}
}

// pushes returns a signing without a witness. Its signature script has the parts that f returns.
func pushes(f func(s *signer) []any) signing {
	return func(s *signer) ([]byte, wire.TxWitness) { return script(f(s)...), nil }
}

// unsigned returns a signing that ignores the transaction.
func unsigned(sigScript []byte, witness ...[]byte) signing {
	return func(*signer) ([]byte, wire.TxWitness) { return sigScript, witness }
}

// A signer signs input i of the transaction tx.
type signer struct {
	tx  *wire.MsgTx
	i   int
	out []*wire.TxOut
}

func (s *signer) FetchPrevOutput(p wire.OutPoint) *wire.TxOut {
	for i, in := range s.tx.TxIn {
		if in.PreviousOutPoint == p {
			return s.out[i]
		}
	}
	return nil
}

// must returns v. It panics if the setup of a test failed.
func must[T any](v T, err error) T {
	noError(err)
	return v
}

// noError panics if the setup of a test failed.
func noError(err error) {
	if err != nil {
		panic(err)
	}
}

func (s *signer) ecdsa(k int, code []byte, hashType txscript.SigHashType) []byte {
	d := must(txscript.CalcSignatureHash(code, hashType, s.tx, s.i))
	return append(ecdsa.Sign(key(k), d).Serialize(), byte(hashType))
}

func (s *signer) segwit(k int, code []byte, hashType txscript.SigHashType) []byte {
	d := must(txscript.CalcWitnessSigHash(code, txscript.NewTxSigHashes(s.tx, s), hashType, s.tx, s.i,
		s.out[s.i].Value))
	return append(ecdsa.Sign(key(k), d).Serialize(), byte(hashType))
}

func (s *signer) taproot(k int, hashType txscript.SigHashType, annex []byte) []byte {
	if hashType&3 == txscript.SigHashSingle && s.i >= len(s.tx.TxOut) {
		return append(make([]byte, 64), byte(hashType)) // no output to sign: always invalid
	}
	t := &bitcoin.Transaction{Tx: s.tx}
	t.Spent = outputsOf(s.out)
	d := must(t.TaprootDigest(byte(hashType), s.i, annex))
	sig := must(schnorr.Sign(key(k), d[:])).Serialize()
	if hashType != 0 {
		sig = append(sig, byte(hashType))
	}
	return sig
}

// highS replaces the s of an ECDSA signature by n − s, which is above n/2.
func highS(sig []byte) []byte {
	parsed := must(ecdsa.ParseDERSignature(sig[:len(sig)-1]))
	r, s := parsed.R(), parsed.S()
	s.Negate()
	return append(derOf(r.Bytes(), s.Bytes()), sig[len(sig)-1])
}

func derOf(r, s [32]byte) []byte {
	n := func(b []byte) []byte {
		for len(b) > 1 && b[0] == 0 && b[1] < 0x80 {
			b = b[1:]
		}
		if b[0] >= 0x80 {
			b = append([]byte{0}, b...)
		}
		return append([]byte{2, byte(len(b))}, b...)
	}
	body := append(n(r[:]), n(s[:])...)
	return append([]byte{0x30, byte(len(body))}, body...)
}

// laxDER adds to the r of an ECDSA signature a leading zero that strict DER does not allow.
func laxDER(sig []byte) []byte {
	return append([]byte{0x30, sig[1] + 1, 2, sig[3] + 1, 0}, sig[4:]...)
}

func tapKey(k int) []byte { return schnorr.SerializePubKey(key(k).PubKey()) }

// tapLeaf returns a taproot output whose internal key is test key 0 and whose script tree is the
// given leaf script. It also returns the leaf's control block.
func tapLeaf(leaf []byte) (out []byte, control []byte) {
	tree := txscript.AssembleTaprootScriptTree(txscript.NewBaseTapLeaf(leaf))
	root := tree.RootNode.TapHash()
	outKey := txscript.ComputeTaprootOutputKey(key(0).PubKey(), root[:])
	cb := tree.LeafMerkleProofs[0].ToControlBlock(key(0).PubKey())
	return script(op1, schnorr.SerializePubKey(outKey)), must(cb.ToBytes())
}

// spends returns an input of every kind, and inputs that resemble a kind but differ in a detail.
// All callers share the result.
var spends = sync.OnceValue(func() (all []spend) {
	const sighash = txscript.SigHashAll
	add := func(name, kind string, out []byte, sign signing) {
		all = append(all, spend{name, kind, out, sign})
	}
	for _, k := range []struct {
		name string
		key  []byte
	}{{"compressed", compressed(1)}, {"uncompressed", uncompressed(1)}, {"hybrid", hybrid(1)}} {
		pk, hash := script(k.key, checkSig), pkh(k.key)
		add("P2PK, "+k.name, "p2pk", pk, legacy(pk, sighash))
		add("P2PKH, "+k.name, "p2pkh", hash, legacy(hash, sighash, k.key))
		add("P2WPKH, "+k.name, "p2wpkh", script(op0, address.Hash160(k.key)),
			segwit(hash, sighash, k.key))
	}
	hash, program := pkh(compressed(1)), script(op0, address.Hash160(compressed(1)))
	for _, t := range []txscript.SigHashType{0, 1, 2, 3, 4, 0x1f, 0x41, 0x80, 0x81, 0x82, 0x83, 0xff} {
		name := fmt.Sprintf(", hash type %02x", byte(t))
		add("P2PKH"+name, "p2pkh", hash, legacy(hash, t, compressed(1)))
		add("P2WPKH"+name, "p2wpkh", program, segwit(hash, t, compressed(1)))
	}
	for _, c := range []struct {
		name, kind string
		sigScript  func(s *signer, sig []byte) []byte
	}{
		{"high s", "p2pkh", func(_ *signer, sig []byte) []byte {
			return script(highS(sig), compressed(1))
		}},
		{"lax DER", "p2pkh", func(_ *signer, sig []byte) []byte {
			return script(laxDER(sig), compressed(1))
		}},
		{"pushed with PUSHDATA1", "p2pkh", func(_ *signer, sig []byte) []byte {
			return slices.Concat([]byte{txscript.OP_PUSHDATA1, byte(len(sig))}, sig, script(compressed(1)))
		}},
		{"an item too many", "", func(_ *signer, sig []byte) []byte {
			return script([]byte{7}, sig, compressed(1))
		}},
		{"another key", "", func(s *signer, _ []byte) []byte {
			return script(s.ecdsa(2, hash, sighash), compressed(2))
		}},
		{"empty signature", "", func(*signer, []byte) []byte { return script(op0, compressed(1)) }},
	} {
		add("P2PKH, "+c.name, c.kind, hash, func(s *signer) ([]byte, wire.TxWitness) {
			return c.sigScript(s, s.ecdsa(1, hash, sighash)), nil
		})
	}
	add("P2SH-P2WPKH", "p2sh-p2wpkh", scriptHash(program),
		func(s *signer) ([]byte, wire.TxWitness) {
			return script(program), wire.TxWitness{s.segwit(1, hash, sighash), compressed(1)}
		})
	for _, c := range []struct {
		m, n    int
		signers []int
	}{{1, 1, []int{10}}, {1, 2, []int{11}}, {2, 2, []int{10, 11}}, {2, 3, []int{10, 12}},
		{3, 5, []int{11, 12, 14}}, {15, 15, seq(15)}, {16, 16, seq(16)}} {
		keys := make([][]byte, c.n)
		for i := range keys {
			keys[i] = compressed(10 + i)
			if i%3 == 1 && c.n < 10 {
				keys[i] = uncompressed(10 + i)
			}
		}
		ms := multisig(c.m, keys...)
		name := fmt.Sprintf("multisig %d of %d", c.m, c.n)
		// signed pushes an empty item and the signatures, which change may alter.
		signed := func(change func(parts []any), types ...txscript.SigHashType) signing {
			return pushes(func(s *signer) []any {
				parts := []any{op0}
				for i, k := range c.signers {
					parts = append(parts, s.ecdsa(k, ms, types[i%len(types)]))
				}
				change(parts)
				return parts
			})
		}
		same := func([]any) {}
		witness := func(sigScript []byte) signing {
			return func(s *signer) ([]byte, wire.TxWitness) {
				w := wire.TxWitness{nil}
				for _, k := range c.signers {
					w = append(w, s.segwit(k, ms, sighash))
				}
				return sigScript, append(w, ms)
			}
		}
		add(name, "multisig", ms, signed(same, sighash))
		add(name+", mixed hash types", "multisig", ms, signed(same, 3, 0x82, 1))
		if len(ms) <= 520 {
			add("P2SH "+name, "p2sh-multisig", scriptHash(ms),
				func(s *signer) ([]byte, wire.TxWitness) {
					sigScript, _ := signed(same, sighash)(s)
					return append(sigScript, script(ms)...), nil
				})
		}
		add("P2WSH "+name, "p2wsh-multisig", witnessHash(ms), witness(nil))
		add("P2SH-P2WSH "+name, "p2sh-p2wsh-multisig", scriptHash(witnessHash(ms)),
			witness(script(witnessHash(ms))))
		if c.m > 1 {
			add(name+", signatures in the wrong order", "multisig", ms,
				signed(func(p []any) { p[1], p[2] = p[2], p[1] }, sighash))
			add(name+", one signature twice", "multisig", ms,
				signed(func(p []any) { p[1] = p[2] }, sighash))
		}
		add(name+", dummy not empty", "", ms, signed(func(p []any) { p[0] = op1 }, sighash))
	}
	// The script odd has an invalid public key, which does not matter if the other keys suffice for
	// the multisig.
	odd := multisig(1, append([]byte{5}, compressed(1)[1:]...), compressed(1))
	add("multisig with a broken key", "multisig", odd,
		pushes(func(s *signer) []any { return []any{op0, s.ecdsa(1, odd, sighash)} }))
	badHybrid := hybrid(1)
	badHybrid[0] ^= 1
	for _, c := range []struct {
		name, kind string
		inner      []byte
		tail       [][]byte
	}{{"P2PK", "p2pk", script(compressed(1), checkSig), nil},
		{"P2PKH", "p2pkh", hash, [][]byte{compressed(1)}},
		{"hybrid key that contradicts itself", "p2pk", script(badHybrid, checkSig), nil}} {
		tail := append(c.tail, c.inner)
		add("P2SH "+c.name, "p2sh-"+c.kind, scriptHash(c.inner), legacy(c.inner, sighash, tail...))
		add("P2WSH "+c.name, "p2wsh-"+c.kind, witnessHash(c.inner), segwit(c.inner, sighash, tail...))
	}
	for _, t := range []txscript.SigHashType{0, 1, 2, 3, 0x81, 0x82, 0x83} {
		add(fmt.Sprintf("P2TR, hash type %02x", byte(t)), "p2tr key path", script(op1, tapKey(1)),
			func(s *signer) ([]byte, wire.TxWitness) {
				return nil, wire.TxWitness{s.taproot(1, t, nil)}
			})
		add(fmt.Sprintf("P2TR, annex, hash type %02x", byte(t)), "p2tr key path", script(op1, tapKey(1)),
			func(s *signer) ([]byte, wire.TxWitness) {
				annex := append([]byte{0x50}, make([]byte, int(t)*3)...)
				return nil, wire.TxWitness{s.taproot(1, t, annex), annex}
			})
	}
	envelope := func(parts ...any) []byte {
		return script(append(append([]any{op0, txscript.OP_IF}, parts...), txscript.OP_ENDIF)...)
	}
	single, data := script(tapKey(3), checkSig), envelope([]byte("ord"), op1, make([]byte, 520), op0)
	for _, c := range []struct {
		name, kind string
		leaf       []byte
		sigs       int
	}{
		{"", "p2tr script path", single, 1},
		{", envelope after", "p2tr script path", slices.Concat(single, data), 1},
		{", envelopes around", "p2tr script path", slices.Concat(data, data, single, envelope()), 1},
		{", two signatures", "", slices.Concat(script(tapKey(3), txscript.OP_CHECKSIGVERIFY), single), 2},
		{", an envelope that runs", "", slices.Concat(script(op1, txscript.OP_IF), single,
			script(txscript.OP_ENDIF)), 1},
		{", an envelope that drops", "", slices.Concat(single, envelope(txscript.OP_DROP)), 1},
		{", an envelope without end: nobody can spend it", "", slices.Concat(single,
			script(op0, txscript.OP_IF, []byte("x"))), 1},
	} {
		tapOut, control := tapLeaf(c.leaf)
		add("P2TR script path"+c.name, c.kind, tapOut, func(s *signer) ([]byte, wire.TxWitness) {
			d := must(txscript.CalcTapscriptSignaturehash(txscript.NewTxSigHashes(s.tx, s), 0, s.tx, s.i, s,
				txscript.NewBaseTapLeaf(c.leaf)))
			sig := must(schnorr.Sign(key(3), d)).Serialize()
			return nil, append(slices.Repeat(wire.TxWitness{sig}, c.sigs), c.leaf, control)
		})
	}
	// Our reader leaves the following scripts to the script engine.
	sep := script(txscript.OP_CODESEPARATOR, compressed(1), checkSig)
	add("P2PK behind OP_CODESEPARATOR", "", sep, legacy(sep[1:], sighash))
	three := script(compressed(1), txscript.OP_CHECKSIGVERIFY, txscript.OP_3)
	add("CHECKSIGVERIFY", "", three, legacy(three, sighash))
	add("anyone can spend", "", script(op1), unsigned(nil))
	add("nobody can spend", "", script(txscript.OP_RETURN), unsigned(nil))
	add("witness version 2", "", script(op1+1, tapKey(1)), unsigned(nil, []byte{1}))
	lock := script([]byte{100}, txscript.OP_CHECKLOCKTIMEVERIFY, txscript.OP_DROP, compressed(1),
		checkSig)
	add("CHECKLOCKTIMEVERIFY", "", lock, legacy(lock, sighash))
	return all
})

func seq(n int) (s []int) {
	for i := range n {
		s = append(s, 10+i)
	}
	return s
}

// funding returns a coinbase with an output for the script of each spend.
func funding(spends []spend, height int32) *wire.MsgTx {
	tx := &wire.MsgTx{Version: 1}
	script := must(txscript.NewScriptBuilder().AddInt64(int64(height)).Script())
	script = append(script, make([]byte, 6-len(script))...) // all have one length
	tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Index: 1<<32 - 1}, SignatureScript: script})
	tx.AddTxOut(wire.NewTxOut(0, nil))
	for i, sp := range spends {
		tx.AddTxOut(wire.NewTxOut(int64(1e8+i), sp.script))
	}
	return tx
}

// build makes and signs a transaction that has an input for each of spends, and the given number of
// outputs. spent holds the outputs that the inputs spend.
func build(spends []spend, outputs int) (tx *wire.MsgTx, spent []wireform.Output) {
	from := funding(spends, 1)
	tx = &wire.MsgTx{Version: 2}
	s := &signer{tx: tx, out: from.TxOut[1:]}
	for i := range s.out {
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: from.TxHash(), Index: uint32(i + 1)},
			Sequence: 0xfffffffe - uint32(i)})
	}
	spent = outputsOf(s.out)
	for i := range outputs {
		tx.AddTxOut(wire.NewTxOut(int64(1e7+i), pkh(compressed(100+i))))
	}
	for i, sp := range spends {
		s.i = i
		tx.TxIn[i].SignatureScript, tx.TxIn[i].Witness = sp.sign(s)
	}
	return tx, spent
}

// outputsOf returns outputs of a transaction as outputs that are spent.
func outputsOf(outs []*wire.TxOut) (spent []wireform.Output) {
	for _, o := range outs {
		spent = append(spent, wireform.Output{Known: true, Amount: o.Value, Script: o.PkScript})
	}
	return spent
}

// blockOf makes a regtest block with the given transactions. If one has a witness, blockOf adds the
// commitment that BIP 141 requires to the coinbase.
func blockOf(prev chainhash.Hash, at uint32, txs ...*wire.MsgTx) (b []byte, hash chainhash.Hash) {
	first := txs[0].Copy()
	txs = append([]*wire.MsgTx{first}, txs[1:]...)
	var ids, wids []chainhash.Hash
	for _, tx := range txs {
		wids = append(wids, tx.WitnessHash())
	}
	if slices.ContainsFunc(txs, (*wire.MsgTx).HasWitness) {
		wids[0] = chainhash.Hash{}
		root, _ := consensus.MerkleRoot(wids)
		first.TxIn[0].Witness = wire.TxWitness{bytes.Repeat([]byte{7}, 32)}
		first.AddTxOut(wire.NewTxOut(0, append([]byte(consensus.WitnessMagic),
			chainhash.DoubleHashB(append(root[:], first.TxIn[0].Witness[0]...))...)))
	}
	for _, tx := range txs {
		ids = append(ids, tx.TxHash())
	}
	m := wire.MsgBlock{Header: wire.BlockHeader{Version: 4, PrevBlock: prev,
		Timestamp: time.Unix(int64(at), 0), Bits: 0x207fffff}, Transactions: txs}
	m.Header.MerkleRoot, _ = consensus.MerkleRoot(ids)
	for {
		var buf bytes.Buffer
		noError(m.Serialize(&buf))
		if h := wireform.ParseHeader(buf.Bytes()); consensus.Worked(&h) {
			return buf.Bytes(), h.Hash
		}
		m.Header.Nonce++
	}
}

// genesis returns the genesis block of regtest.
func genesis() []byte {
	var buf bytes.Buffer
	noError(chaincfg.RegressionNetParams.GenesisBlock.Serialize(&buf))
	return buf.Bytes()
}

// onRegtest is the network of the blocks that blockOf makes, and onMainnet that of real blocks.
const onRegtest, onMainnet = consensus.Regtest, consensus.Mainnet

// stages lists the sets of rules in the order in which they took effect. The last set has all
// rules.
var stages = func() (all []bitcoin.Rules) {
	flags := txscript.ScriptFlags(0)
	for _, more := range []txscript.ScriptFlags{
		0,
		txscript.ScriptBip16,
		txscript.ScriptVerifyDERSignatures,
		txscript.ScriptVerifyCheckLockTimeVerify | txscript.ScriptVerifyCheckSequenceVerify,
		txscript.ScriptVerifyWitness,
		txscript.ScriptStrictMultiSig | txscript.ScriptVerifyTaproot,
	} {
		flags |= more
		all = append(all, must(bitcoin.RulesOf(flags)))
	}
	return all
}()

// now has the rules of today.
var now = stages[len(stages)-1]

// unitOf returns the reading.Unit that our reader makes of input i of tx.
func unitOf(tx *wire.MsgTx, spent []wireform.Output, i int, r bitcoin.Rules) (u reading.Unit) {
	t := &units.Transaction{Transaction: bitcoin.Transaction{Tx: tx, Spent: spent, Rules: r,
		Missing: "missing"}, ID: tx.TxHash()}
	x := units.Expander{Emit: func(v *reading.Unit) { u = *v }}
	x.Transaction(t, i, i+1)
	return u
}

// spendsOf returns the spends with the given names.
func spendsOf(names ...string) (some []spend) {
	for _, name := range names {
		i := slices.IndexFunc(spends(), func(sp spend) bool { return sp.name == name })
		some = append(some, spends()[i])
	}
	return some
}

// TestEveryKind checks that the verdict on each input is the script engine's under each set of
// rules, and that plain kinds do not need the engine.
func TestEveryKind(t *testing.T) {
	all := spends()
	for _, outputs := range []int{len(all), 1} {
		tx, spent := build(all, outputs)
		for i, sp := range all {
			for k, r := range stages {
				if r != now && ((i+k)%oneIn(5) != 0 || !deep() && outputs == 1) {
					continue // by default, an older set of rules only with all outputs
				}
				agree(t, sp.name, tx, spent, i, r)
			}
			u := unitOf(tx, spent, i, now)
			v := judge(&u)
			if v == reading.Valid && u.Kind != sp.kind || v == reading.EngineChecked && sp.kind != "" ||
				(v == reading.Unsigned) != (sp.name == "anyone can spend" || sp.name == "witness version 2") ||
				v == reading.Unsigned && (u.Reason != "") != (sp.name == "witness version 2") {
				t.Errorf("%s: verdict %d, kind %q, want %q", sp.name, v, u.Kind, sp.kind)
			}
		}
	}
}
