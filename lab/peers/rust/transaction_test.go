//go:build rust

package rust

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
	//lint:ignore SA1019 Bitcoin's scripts use it
	"golang.org/x/crypto/ripemd160"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/silentpay"
)

// A spending is an input and the script of the output that it spends.
type spending struct {
	name              string
	eligible, taproot bool
	output            []byte
	script            []byte
	witness           wire.TxWitness
}

// spendings returns a spending of each type, with the given public key, and sig in place of a
// signature. The key of taproot outputs is the output key. The first four are eligible and spend no
// taproot output.
func spendings(public *koblitz.PublicKey, sig []byte) []spending {
	key, full := public.Bytes(), public.UncompressedBytes()
	pubkey := join(push(key), []byte{txscript.OP_CHECKSIG})
	witnessHash, witnessScript := payWitnessHash(key), payWitnessScript(pubkey)
	taproot := payTaproot(key[1:])
	leaf, path, unspendable := push(key[1:]), control(sig[:32]), control(nums)
	annex := []byte{txscript.TaprootAnnexTag, 1, 2}
	drop := join(push(sig[:33]), []byte{txscript.OP_DROP})
	return []spending{
		{"P2PKH", true, false, payHash(key), join(push(sig), push(key)), nil},
		{"P2PKH, changed", true, false, payHash(key), join(push(sig), push(key), drop), nil},
		{"P2WPKH", true, false, witnessHash, nil, wire.TxWitness{sig, key}},
		{"P2SH-P2WPKH", true, false, payScript(witnessHash), push(witnessHash),
			wire.TxWitness{sig, key}},
		{"P2TR, key", true, true, taproot, nil, wire.TxWitness{sig[:64]}},
		{"P2TR, key, annex", true, true, taproot, nil, wire.TxWitness{sig[:64], annex}},
		{"P2TR, script", true, true, taproot, nil, wire.TxWitness{sig, leaf, path}},
		{"P2TR, script, annex", true, true, taproot, nil, wire.TxWitness{leaf, path, annex}},
		{"P2TR, script, H", false, true, taproot, nil, wire.TxWitness{sig, leaf, unspendable}},
		{"P2TR, script, H, annex", false, true, taproot, nil,
			wire.TxWitness{leaf, unspendable, annex}},
		{"P2PKH, uncompressed", false, false, payHash(full), join(push(sig), push(full)), nil},
		{"P2WPKH, uncompressed", false, false, payWitnessHash(full), nil, wire.TxWitness{sig, full}},
		{"P2PK", false, false, pubkey, push(sig), nil},
		{"P2SH", false, false, payScript(pubkey), join(push(sig), push(pubkey)), nil},
		{"P2WSH", false, false, witnessScript, nil, wire.TxWitness{sig, pubkey}},
		{"P2SH-P2WSH", false, false, payScript(witnessScript), push(witnessScript),
			wire.TxWitness{sig, pubkey}},
	}
}

// nums is the x coordinate of the point H of BIP-341, the internal key of outputs without a key
// path.
var nums = []byte{
	0x50, 0x92, 0x9b, 0x74, 0xc1, 0xa0, 0x49, 0x54, 0xb7, 0x8b, 0x4b, 0x60, 0x35, 0xe9, 0x7a, 0x5e,
	0x07, 0x8a, 0x5a, 0x0f, 0x28, 0xec, 0x96, 0xd5, 0x47, 0xbf, 0xee, 0x9a, 0xce, 0x80, 0x3a, 0xc0}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// push returns the opcode that pushes at most 75 bytes.
func push(b []byte) []byte { return join([]byte{byte(len(b))}, b) }

func hash160(b []byte) []byte {
	sum := sha256.Sum256(b)
	h := ripemd160.New()
	h.Write(sum[:])
	return h.Sum(nil)
}

func payHash(key []byte) []byte {
	return join([]byte{txscript.OP_DUP, txscript.OP_HASH160}, push(hash160(key)),
		[]byte{txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG})
}

func payScript(redeem []byte) []byte {
	return join([]byte{txscript.OP_HASH160}, push(hash160(redeem)), []byte{txscript.OP_EQUAL})
}

func payWitnessHash(key []byte) []byte { return join([]byte{txscript.OP_0}, push(hash160(key))) }

func payWitnessScript(script []byte) []byte {
	sum := sha256.Sum256(script)
	return join([]byte{txscript.OP_0}, push(sum[:]))
}

func payTaproot(x []byte) []byte { return join([]byte{txscript.OP_1}, push(x)) }

// control returns a control block with the given internal key and one node of the tree.
func control(internal []byte) []byte { return join([]byte{0xc0}, internal, make([]byte, 32)) }

// A transaction is a transaction of Bitcoin with the data that its sender knows.
type transaction struct {
	*wire.MsgTx
	kinds  []string          // the names of its inputs' spendings
	spent  []bitcoin.Output  // the outputs that its inputs spend
	inputs []silentpay.Input // the eligible inputs
	sum    *group.Scalar     // sum of the private keys of the eligible inputs
}

// add adds an input of a random type with the given key. The type is one of the first n that
// spendings returns, or any of them if n is 0.
func (tx *transaction) add(r *rand.Rand, key *koblitz.PrivateKey, n int) {
	all := spendings(key.PublicKey(), reference.Bytes(r, 71))
	if n == 0 {
		n = len(all)
	}
	s := all[r.IntN(n)]
	outpoint := &wire.OutPoint{Hash: [32]byte(reference.Bytes(r, 32)), Index: r.Uint32() >> r.IntN(32)}
	tx.AddTxIn(wire.NewTxIn(outpoint, s.script, s.witness))
	tx.kinds = append(tx.kinds, s.name)
	tx.spent = append(tx.spent, bitcoin.Output{Known: true, Script: s.output})
	if !s.eligible {
		return
	}
	tx.inputs = append(tx.inputs, silentpay.Input{Key: key, Taproot: s.taproot})
	if s.taproot && !key.PublicKey().HasEvenY() {
		key = key.Negate()
	}
	d := reference.Must(new(group.Scalar).SetPrivateKey(key))
	tx.sum.Add(tx.sum, d)
}

// randomTransaction returns a transaction with up to seven inputs and without outputs. In one of
// twelve, the keys of the eligible inputs add up to zero.
func randomTransaction(r *rand.Rand) *transaction {
	tx := &transaction{MsgTx: wire.NewMsgTx(2), sum: new(group.Scalar)}
	for range 1 + r.IntN(6) {
		tx.add(r, randomKey(r), 0)
	}
	if r.IntN(12) == 0 && !tx.sum.IsZero() {
		last := reference.Must(new(group.Scalar).Negate(tx.sum).PrivateKey())
		tx.add(r, last, 4) // a taproot input may count with the negated key
	}
	return tx
}

// request returns the words of a request that describe the inputs.
func (tx *transaction) request() (words []string) {
	outpoints := bitcoin.SilentPaymentOutpoints(tx.MsgTx)
	for i, in := range tx.TxIn {
		fields := [][]byte{outpoints[i][:], in.SignatureScript, tx.spent[i].Script}
		words = append(words, list(append(fields, in.Witness...)...))
	}
	return words
}

// keys returns the words of a request that describe the outpoints and the private keys.
func (tx *transaction) keys() []string {
	var outpoints, keys [][]byte
	for _, o := range bitcoin.SilentPaymentOutpoints(tx.MsgTx) {
		outpoints = append(outpoints, o[:])
	}
	for _, in := range tx.inputs {
		taproot := byte(0)
		if in.Taproot {
			taproot = 1
		}
		keys = append(keys, join([]byte{taproot}, in.Key.Bytes()))
	}
	return []string{list(outpoints...), list(keys...)}
}
