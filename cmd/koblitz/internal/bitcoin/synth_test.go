package bitcoin

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
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
	sign   func(s *signer) (sigScript []byte, witness wire.TxWitness)
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

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
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
	for _, o := range s.out {
		t.Spent = append(t.Spent, wireform.Output{Known: true, Amount: o.Value, Script: o.PkScript})
	}
	d, err := t.TaprootDigest(byte(hashType), s.i, annex)
	if err != nil {
		panic(err)
	}
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
	out := append([]byte{0x30, sig[1] + 1, 2, sig[3] + 1, 0}, sig[4:]...)
	return out
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
// The scripts are shared by all callers.
func spends() []spend { return slices.Clone(allSpends()) }

var allSpends = sync.OnceValue(func() (all []spend) {
	const sighash = txscript.SigHashAll
	add := func(name, kind string, out []byte, sign func(s *signer) ([]byte, wire.TxWitness)) {
		all = append(all, spend{name, kind, out, sign})
	}
	for _, k := range []struct {
		name string
		key  []byte
	}{{"compressed", compressed(1)}, {"uncompressed", uncompressed(1)}, {"hybrid", hybrid(1)}} {
		pk, hash := script(k.key, checkSig), pkh(k.key)
		add("P2PK, "+k.name, "p2pk", pk, func(s *signer) ([]byte, wire.TxWitness) {
			return script(s.ecdsa(1, pk, sighash)), nil
		})
		add("P2PKH, "+k.name, "p2pkh", hash, func(s *signer) ([]byte, wire.TxWitness) {
			return script(s.ecdsa(1, hash, sighash), k.key), nil
		})
		add("P2WPKH, "+k.name, "p2wpkh", script(op0, address.Hash160(k.key)), func(s *signer) ([]byte,
			wire.TxWitness) {
			return nil, wire.TxWitness{s.segwit(1, hash, sighash), k.key}
		})
	}
	hash := pkh(compressed(1))
	for _, t := range []txscript.SigHashType{0, 1, 2, 3, 4, 0x1f, 0x41, 0x80, 0x81, 0x82, 0x83, 0xff} {
		add(fmt.Sprintf("P2PKH, hash type %02x", byte(t)), "p2pkh", hash, func(s *signer) ([]byte,
			wire.TxWitness) {
			return script(s.ecdsa(1, hash, t), compressed(1)), nil
		})
		add(fmt.Sprintf("P2WPKH, hash type %02x", byte(t)), "p2wpkh",
			script(op0, address.Hash160(compressed(1))), func(s *signer) ([]byte, wire.TxWitness) {
				return nil, wire.TxWitness{s.segwit(1, hash, t), compressed(1)}
			})
	}
	add("P2PKH, high s", "p2pkh", hash, func(s *signer) ([]byte, wire.TxWitness) {
		return script(highS(s.ecdsa(1, hash, sighash)), compressed(1)), nil
	})
	add("P2PKH, lax DER", "p2pkh", hash, func(s *signer) ([]byte, wire.TxWitness) {
		return script(laxDER(s.ecdsa(1, hash, sighash)), compressed(1)), nil
	})
	add("P2PKH, pushed with PUSHDATA1", "p2pkh", hash, func(s *signer) ([]byte, wire.TxWitness) {
		sig := s.ecdsa(1, hash, sighash)
		b := append([]byte{txscript.OP_PUSHDATA1, byte(len(sig))}, sig...)
		return append(b, script(compressed(1))...), nil
	})
	add("P2PKH with an item too many", "", hash, func(s *signer) ([]byte, wire.TxWitness) {
		return script([]byte{7}, s.ecdsa(1, hash, sighash), compressed(1)), nil
	})
	add("P2PKH, another key", "", hash, func(s *signer) ([]byte, wire.TxWitness) {
		return script(s.ecdsa(2, hash, sighash), compressed(2)), nil
	})
	add("P2PKH, empty signature", "", hash, func(s *signer) ([]byte, wire.TxWitness) {
		return script(op0, compressed(1)), nil
	})
	add("P2SH-P2WPKH", "p2sh-p2wpkh", scriptHash(script(op0, address.Hash160(compressed(1)))),
		func(s *signer) ([]byte, wire.TxWitness) {
			return script(script(op0, address.Hash160(compressed(1)))),
				wire.TxWitness{s.segwit(1, hash, sighash), compressed(1)}
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
		legacySigs := func(s *signer, types ...txscript.SigHashType) []any {
			parts := []any{op0}
			for i, k := range c.signers {
				t := sighash
				if len(types) > 0 {
					t = types[i%len(types)]
				}
				parts = append(parts, s.ecdsa(k, ms, t))
			}
			return parts
		}
		segwitSigs := func(s *signer) wire.TxWitness {
			w := wire.TxWitness{nil}
			for _, k := range c.signers {
				w = append(w, s.segwit(k, ms, sighash))
			}
			return append(w, ms)
		}
		add(name, "multisig", ms, func(s *signer) ([]byte, wire.TxWitness) {
			return script(
				legacySigs(s)...), nil
		})
		add(name+", mixed hash types", "multisig", ms, func(s *signer) ([]byte, wire.TxWitness) {
			return script(legacySigs(s, 3, 0x82, 1)...), nil
		})
		if len(ms) <= 520 {
			add("P2SH "+name, "p2sh-multisig", scriptHash(ms), func(s *signer) ([]byte, wire.TxWitness) {
				return script(append(legacySigs(s), ms)...), nil
			})
		}
		add("P2WSH "+name, "p2wsh-multisig", witnessHash(ms), func(s *signer) ([]byte,
			wire.TxWitness) {
			return nil, segwitSigs(s)
		})
		add("P2SH-P2WSH "+name, "p2sh-p2wsh-multisig", scriptHash(witnessHash(ms)),
			func(s *signer) ([]byte, wire.TxWitness) {
				return script(witnessHash(ms)), segwitSigs(s)
			})
		if c.m > 1 {
			add(name+", signatures in the wrong order", "multisig", ms, func(s *signer) ([]byte,
				wire.TxWitness) {
				p := legacySigs(s)
				p[1], p[2] = p[2], p[1]
				return script(p...), nil
			})
			add(name+", one signature twice", "multisig", ms, func(s *signer) ([]byte, wire.TxWitness) {
				p := legacySigs(s)
				p[1] = p[2]
				return script(p...), nil
			})
		}
		add(name+", dummy not empty", "", ms, func(s *signer) ([]byte, wire.TxWitness) {
			p := legacySigs(s)
			p[0] = op1
			return script(p...), nil
		})
	}
	// The script odd has an invalid public key, which does not matter if the other keys suffice for
	// the multisig.
	odd := multisig(1, append([]byte{5}, compressed(1)[1:]...), compressed(1))
	add("multisig with a broken key", "multisig", odd, func(s *signer) ([]byte, wire.TxWitness) {
		return script(op0, s.ecdsa(1, odd, sighash)), nil
	})
	badHybrid := hybrid(1)
	badHybrid[0] ^= 1
	for _, c := range []struct {
		name  string
		inner []byte
	}{{"P2PK", script(compressed(1), checkSig)}, {"P2PKH", hash},
		{"hybrid key that contradicts itself", script(badHybrid, checkSig)}} {
		tail := [][]byte{}
		kind := "p2pk"
		if c.name == "P2PKH" {
			tail, kind = append(tail, compressed(1)), "p2pkh"
		}
		add("P2SH "+c.name, "p2sh-"+kind, scriptHash(c.inner), func(s *signer) ([]byte, wire.TxWitness) {
			parts := []any{s.ecdsa(1, c.inner, sighash)}
			for _, x := range tail {
				parts = append(parts, x)
			}
			return script(append(parts, c.inner)...), nil
		})
		add("P2WSH "+c.name, "p2wsh-"+kind, witnessHash(c.inner), func(s *signer) ([]byte,
			wire.TxWitness) {
			w := append(wire.TxWitness{s.segwit(1, c.inner, sighash)}, tail...)
			return nil, append(w, c.inner)
		})
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
		leaf := c.leaf
		tapOut, control := tapLeaf(leaf)
		add("P2TR script path"+c.name, c.kind, tapOut, func(s *signer) ([]byte, wire.TxWitness) {
			d := must(txscript.CalcTapscriptSignaturehash(txscript.NewTxSigHashes(s.tx, s), 0, s.tx, s.i, s,
				txscript.NewBaseTapLeaf(leaf)))
			var w wire.TxWitness
			for range c.sigs {
				w = append(w, must(schnorr.Sign(key(3), d)).Serialize())
			}
			return nil, append(w, leaf, control)
		})
	}
	// Our reader leaves the following scripts to the script engine.
	sep := script(txscript.OP_CODESEPARATOR, compressed(1), checkSig)
	add("P2PK behind OP_CODESEPARATOR", "", sep, func(s *signer) ([]byte, wire.TxWitness) {
		return script(s.ecdsa(1, sep[1:], sighash)), nil
	})
	three := script(compressed(1), txscript.OP_CHECKSIGVERIFY, txscript.OP_3)
	add("CHECKSIGVERIFY", "", three, func(s *signer) ([]byte, wire.TxWitness) {
		return script(s.ecdsa(1, three, sighash)), nil
	})
	add("anyone can spend", "", script(op1), func(s *signer) ([]byte, wire.TxWitness) {
		return nil,
			nil
	})
	add("nobody can spend", "", script(txscript.OP_RETURN), func(s *signer) ([]byte,
		wire.TxWitness) {
		return nil, nil
	})
	add("witness version 2", "", script(op1+1, tapKey(1)), func(s *signer) ([]byte, wire.TxWitness) {
		return nil, wire.TxWitness{{1}}
	})
	lock := script([]byte{100}, txscript.OP_CHECKLOCKTIMEVERIFY, txscript.OP_DROP, compressed(1),
		checkSig)
	add("CHECKLOCKTIMEVERIFY", "", lock, func(s *signer) ([]byte, wire.TxWitness) {
		return script(s.ecdsa(1, lock, sighash)), nil
	})
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
	script, err := txscript.NewScriptBuilder().AddInt64(int64(height)).Script()
	if err != nil {
		panic(err)
	}
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
	for i, out := range s.out {
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: from.TxHash(), Index: uint32(i + 1)},
			Sequence: 0xfffffffe - uint32(i)})
		spent = append(spent, wireform.Output{Known: true, Amount: out.Value, Script: out.PkScript})
	}
	for i := range outputs {
		tx.AddTxOut(wire.NewTxOut(int64(1e7+i), pkh(compressed(100+i))))
	}
	for i, sp := range spends {
		s.i = i
		tx.TxIn[i].SignatureScript, tx.TxIn[i].Witness = sp.sign(s)
	}
	return tx, spent
}

// blockOf makes a regtest block with the given transactions. If one has a witness, blockOf adds the
// commitment that BIP 141 requires to the coinbase.
func blockOf(prev chainhash.Hash, time uint32, txs ...*wire.MsgTx) (b []byte, hash chainhash.Hash) {
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
	m := wire.MsgBlock{Header: wire.BlockHeader{Version: 4, PrevBlock: prev, Timestamp: unix(time),
		Bits: 0x207fffff}, Transactions: txs}
	m.Header.MerkleRoot, _ = consensus.MerkleRoot(ids)
	for {
		var buf bytes.Buffer
		if err := m.Serialize(&buf); err != nil {
			panic(err)
		}
		if h := wireform.ParseHeader(buf.Bytes()); consensus.Worked(&h) {
			return buf.Bytes(), h.Hash
		}
		m.Header.Nonce++
	}
}

// genesis returns the genesis block of regtest.
func genesis() []byte {
	var buf bytes.Buffer
	if err := chaincfg.RegressionNetParams.GenesisBlock.Serialize(&buf); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

// onRegtest is the network of the blocks that blockOf makes.
const onRegtest = consensus.Regtest

func unix(t uint32) time.Time { return time.Unix(int64(t), 0) }

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
		r, err := bitcoin.RulesOf(flags)
		if err != nil {
			panic(err)
		}
		all = append(all, r)
	}
	return all
}()

// unitOf returns the reading.Unit that our reader makes of input i of tx.
func unitOf(tx *wire.MsgTx, spent []wireform.Output, i int, r bitcoin.Rules) (u reading.Unit) {
	t := &units.Transaction{Transaction: bitcoin.Transaction{Tx: tx, Spent: spent, Rules: r,
		Missing: "missing"}, ID: tx.TxHash()}
	x := units.Expander{Emit: func(v *reading.Unit) { u = *v }}
	x.Transaction(t, i, i+1)
	return u
}

func TestEveryKind(t *testing.T) {
	all := spends()
	now := stages[len(stages)-1]
	// An input fails under today's rules if its name contains one of these texts.
	fails := []string{"lax DER", "another key", "empty signature", "nobody can spend",
		"contradicts itself",
		"CHECKLOCKTIMEVERIFY", "wrong order", "twice", "dummy not empty"}
	for _, outputs := range []int{len(all), 1} {
		tx, spent := build(all, outputs)
		for i, sp := range all {
			want := true
			for _, f := range fails {
				want = want && !strings.Contains(sp.name, f)
			}
			if outputs <= i && strings.HasPrefix(sp.name, "P2TR") && (strings.HasSuffix(sp.name, "03") ||
				strings.HasSuffix(sp.name, "83")) {
				want = false // SIGHASH_SINGLE without an output of the same index
			}
			for k, r := range stages {
				if r != now && ((i+k)%oneIn(5) != 0 || !deep() && outputs == 1) {
					continue // by default, an older set of rules only with all outputs
				}
				ok := agree(t, sp.name, tx, spent, i, r)
				if r != now {
					continue
				}
				u := unitOf(tx, spent, i, r)
				v, _ := judge(&u)
				if v == reading.Valid && u.Kind != sp.kind || v == reading.EngineChecked && sp.kind != "" ||
					(v == reading.Unsigned) != (sp.name == "anyone can spend" || sp.name == "witness version 2") ||
					v == reading.Unsigned && (u.Reason != "") != (sp.name == "witness version 2") {
					t.Errorf("%s: verdict %d, kind %q, want %q", sp.name, v, u.Kind, sp.kind)
				}
				if ok != want {
					t.Errorf("%s, %d outputs: valid is %v (%s)", sp.name, outputs, ok, u.Reason)
				}
			}
		}
	}
}

// onMainnet is the network in most tests.
const onMainnet = consensus.Mainnet
