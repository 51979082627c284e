// Package inputs judges the inputs of transactions. Each becomes a rows.Unit: the digests that its
// signatures sign, with the keys, or a verdict. A Queue collects transactions into batches.
package inputs

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"
	"sync"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	//lint:ignore SA1019 keys and scripts of Bitcoin are named by it
	"golang.org/x/crypto/ripemd160"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/scripts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A Transaction is one transaction with the outputs that it spends, ready to be judged.
type Transaction struct {
	Tx      *wire.MsgTx
	ID      chainhash.Hash
	Spent   []wireform.Output // one for each input
	Missing string            // why an output in Spent may be unknown
	Rules   consensus.Rules
	Where   rows.Where // of the transaction
	Flaws   []string   // for each input what makes it malformed, or nil

	LeaveOut bool // inputs of which the output is not known: the reader has counted them

	Block []byte // that the scripts of Tx are part of, or nil

	once   sync.Once
	hashes *txscript.TxSigHashes

	onceBare sync.Once
	bare     []byte // serialized, without the scripts of inputs and the witness
}

// sigHashes returns the hashes that the signature hashes of segwit and taproot inputs share.
// Several goroutines may call it.
func (t *Transaction) sigHashes() *txscript.TxSigHashes {
	t.once.Do(func() {
		// The library looks spent outputs up by their outpoints. A transaction that Bitcoin Core refuses
		// may have null outpoints, which the library passes over, or one outpoint twice. So the library
		// gets no output, and the two hashes of outputs are computed here.
		t.hashes = txscript.NewTxSigHashes(t.Tx, txscript.NewCannedPrevOutputFetcher(nil, 0))
		if slices.ContainsFunc(t.Spent, func(o wireform.Output) bool {
			return txscript.IsPayToTaproot(o.Script)
		}) {
			t.hashes.HashInputAmountsV1, t.hashes.HashInputScriptsV1 = t.spentSums()
		}
	})
	return t.hashes
}

// spentSums returns the hashes of the amounts and of the scripts that t spends (BIP 341). An output
// that is not known is an empty one: the signature of an input that signs it is not judged.
func (t *Transaction) spentSums() (amounts, scripts chainhash.Hash) {
	a, s := sha256.New(), sha256.New()
	var b []byte
	for i := range t.Spent {
		b = wireform.AppendOutput(b[:0], t.Spent[i].Amount, t.Spent[i].Script)
		a.Write(b[:8])
		s.Write(b[8:])
	}
	return chainhash.Hash(a.Sum(nil)), chainhash.Hash(s.Sum(nil))
}

// Complete reports whether every output that t spends is known.
func (t *Transaction) Complete() bool {
	for i := range t.Spent {
		if !t.Spent[i].Known {
			return false
		}
	}
	return true
}

// An Expander checks one input after another. It reuses its memory.
type Expander struct {
	Emit func(*rows.Unit)
	Unit rows.Unit
	t    *Transaction
	i    int // the input

	items, keys [][]byte

	sum    [32]byte
	ripemd hash.Hash // RIPEMD-160, or nil
}

// hash160 returns the RIPEMD-160 of the SHA-256 of b. The result is valid until the next call.
func (x *Expander) hash160(b []byte) []byte {
	if x.ripemd == nil {
		x.ripemd = ripemd160.New()
	}
	x.sum = sha256.Sum256(b)
	x.ripemd.Reset()
	x.ripemd.Write(x.sum[:])
	return x.ripemd.Sum(x.sum[:0])
}

// Transaction judges the inputs from … to-1 of t.
func (x *Expander) Transaction(t *Transaction, from, to int) {
	x.t = t
	where := t.Where
	where.Tx = t.ID.String()
	for x.i = from; x.i < to; x.i++ {
		if t.LeaveOut && !t.Spent[x.i].Known {
			continue
		}
		where.Input = x.i
		x.Unit = rows.Unit{Where: where, LaxDER: !t.Rules.StrictDER, Signatures: x.Unit.Signatures[:0],
			Keys: x.Unit.Keys[:0]}
		x.items, x.keys = x.items[:0], x.keys[:0]
		x.input()
		x.Emit(&x.Unit)
	}
}

func (x *Expander) decide(v rows.Verdict, format string, args ...any) {
	x.Unit.Decided, x.Unit.Reason = v, fmt.Sprintf(format, args...)
}

// input fills in x.Unit for input x.i.
func (x *Expander) input() {
	t := x.t
	in, spent := t.Tx.TxIn[x.i], &t.Spent[x.i]
	if t.Flaws != nil && t.Flaws[x.i] != "" {
		x.decide(rows.Malformed, "%s", t.Flaws[x.i])
		return
	}
	if !spent.Known {
		x.decide(rows.NotCheckable, "spends output %d of %v, which is %s",
			in.PreviousOutPoint.Index, in.PreviousOutPoint.Hash, t.Missing)
		return
	}
	script := spent.Script
	if t.Rules.Segwit {
		if v, program, ok := scripts.WitnessProgram(script); ok {
			if len(in.SignatureScript) == 0 {
				x.witness("", v, program)
			} else {
				x.engine("witness program")
			}
			return
		}
	}
	if t.Rules.P2SH && txscript.IsPayToScriptHash(script) {
		x.scriptHash(script[2:22])
		return
	}
	if t.Rules.Segwit && len(in.Witness) > 0 {
		x.engine("script") // refused: a witness where there must be none
		return
	}
	items, ok := scripts.AppendPushes(x.items, in.SignatureScript, maxPlainItems)
	if x.items = items; !ok {
		x.engine("script")
		return
	}
	x.plain("", script, items, legacy)
}

// maxPlainItems is the maximum number of items that a plain script reads: the dummy and 16
// signatures of a multisig, and the redeem script.
const maxPlainItems = 18

// scriptHash judges a P2SH input. hash is the script hash in the output.
func (x *Expander) scriptHash(hash []byte) {
	in := x.t.Tx.TxIn[x.i]
	items, ok := scripts.AppendPushes(x.items, in.SignatureScript, maxPlainItems)
	if x.items = items; !ok || len(items) == 0 {
		x.engine("p2sh script")
		return
	}
	redeem := items[len(items)-1]
	if !bytes.Equal(x.hash160(redeem), hash) {
		x.Unit.Kind = "p2sh"
		x.decide(rows.Invalid, "the redeem script does not hash to the output's script hash")
		return
	}
	if x.t.Rules.Segwit {
		if v, program, ok := scripts.WitnessProgram(redeem); ok {
			// BIP 141: the signature script is the redeem script's push and
			// nothing else. A program is short enough to be pushed directly.
			if len(in.SignatureScript) == 1+len(redeem) {
				x.witness("p2sh-", v, program)
			} else {
				x.engine("p2sh witness program")
			}
			return
		}
		if len(in.Witness) > 0 {
			x.engine("p2sh script")
			return
		}
	}
	x.plain("p2sh-", redeem, items[:len(items)-1], legacy)
}

// witness judges a spend of a witness program. wrap is "p2sh-" if the program is nested in P2SH.
func (x *Expander) witness(wrap string, version int, program []byte) {
	items := x.t.Tx.TxIn[x.i].Witness
	switch {
	case version == 0 && len(program) == 20:
		if len(items) != 2 || len(items[0]) > scripts.MaxElementSize {
			x.engine(wrap + "p2wpkh")
			return
		}
		// BIP 143: the script code is that of P2PKH.
		code := make([]byte, 0, 25)
		code = append(code, txscript.OP_DUP, txscript.OP_HASH160, txscript.OP_DATA_20)
		code = append(code, program...)
		code = append(code, txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG)
		x.plain(wrap, code, items, segwit)
		x.Unit.Kind = wrap + "p2wpkh"

	case version == 0 && len(program) == 32:
		if len(items) == 0 || len(items) > maxPlainItems ||
			len(items[len(items)-1]) > scripts.MaxScriptSize {
			x.engine(wrap + "p2wsh script")
			return
		}
		script := items[len(items)-1]
		if h := sha256.Sum256(script); !bytes.Equal(h[:], program) {
			x.Unit.Kind = wrap + "p2wsh"
			x.decide(rows.Invalid, "the witness script does not hash to the output's script hash")
			return
		}
		x.plain(wrap+"p2wsh-", script, items[:len(items)-1], segwit)

	case version == 1 && len(program) == 32 && wrap == "" && x.t.Rules.Taproot:
		x.taproot(program, items)

	default:
		x.engine(wrap + "witness program")
	}
}

// A digester is a kind of signature hash.
type digester int

const (
	legacy digester = iota + 1
	segwit          // BIP 143
)

// plain judges a script of a plain form with the given stack. If the script has another form, or
// the stack does not have exactly the items that it takes, plain passes the input to the engine.
func (x *Expander) plain(wrap string, script []byte, stack [][]byte, how digester) {
	u := &x.Unit
	p, ok := scripts.Parse(script, x.keys)
	if !ok {
		x.engine(wrap + "script")
		return
	}
	u.Kind = wrap + p.Name
	u.Scheme = rows.ECDSA
	sigs := stack
	switch {
	case p.KeyHash != nil:
		if len(stack) != 2 {
			x.engine(u.Kind)
			return
		}
		if !bytes.Equal(x.hash160(stack[1]), p.KeyHash) {
			x.decide(rows.Invalid, "the public key does not hash to the output's key hash")
			return
		}
		p.Keys = append(x.keys, stack[1])
		sigs = stack[:1]
	case p.Name == "multisig":
		// Below the signatures lies the item that CHECKMULTISIG takes by
		// mistake; since BIP 147 it has to be empty.
		if len(stack) != 1+p.Required || x.t.Rules.NullDummy && len(stack[0]) > 0 {
			x.engine(u.Kind)
			return
		}
		sigs = stack[1:]
	default:
		if len(stack) != 1 {
			x.engine(u.Kind)
			return
		}
	}
	x.keys = p.Keys
	for _, sig := range sigs {
		if len(sig) > scripts.MaxElementSize || how == legacy && pushes(&p, sig) {
			// Too long for the stack; or FindAndDelete has something to find.
			x.engine(u.Kind)
			return
		}
		if len(sig) == 0 {
			u.Signatures = u.Signatures[:0]
			x.decide(rows.Invalid, "an empty signature")
			return
		}
		u.Signatures = append(u.Signatures, rows.Signature{Sig: sig[:len(sig)-1]})
		d, err := x.digest(script, sig[len(sig)-1], how)
		if err != nil {
			u.Signatures = u.Signatures[:0]
			x.decide(rows.NotCheckable, "the signature hash: %v", err)
			return
		}
		u.Signatures[len(u.Signatures)-1].Digest = d
	}
	for _, k := range p.Keys {
		u.Keys = append(u.Keys, scripts.PlainKey(k))
	}
}

// pushes reports whether the script pushes sig itself, which legacy hashing would remove
// (FindAndDelete).
func pushes(p *scripts.Template, sig []byte) bool {
	if p.KeyHash != nil {
		return bytes.Equal(sig, p.KeyHash)
	}
	for _, k := range p.Keys {
		if bytes.Equal(sig, k) {
			return true
		}
	}
	return false
}

func (x *Expander) digest(script []byte, hashType byte, how digester) (d [32]byte, err error) {
	t := x.t
	var sum []byte
	switch {
	case how == legacy && signsAll(hashType):
		return t.allDigest(x.i, script, hashType), nil
	case how == legacy:
		sum, err = txscript.CalcSignatureHash(script, txscript.SigHashType(hashType), t.Tx, x.i)
	default:
		sum, err = txscript.CalcWitnessSigHash(script, t.sigHashes(), txscript.SigHashType(hashType),
			t.Tx, x.i, t.Spent[x.i].Amount)
	}
	if err != nil {
		return d, err
	}
	return [32]byte(sum), nil
}

// signsAll reports whether a hash type signs all inputs and all outputs, as most do.
func signsAll(hashType byte) bool {
	outputs := txscript.SigHashType(hashType & 0x1f)
	return hashType&byte(txscript.SigHashAnyOneCanPay) == 0 && outputs != txscript.SigHashNone &&
		outputs != txscript.SigHashSingle
}

// allDigest returns the signature hash of before BIP 143 for input i and a hash type that signsAll.
// code has no OP_CODESEPARATOR. The library copies the transaction for each signature, which takes
// three times as long if there are many inputs.
func (t *Transaction) allDigest(i int, code []byte, hashType byte) [32]byte {
	const outpoint, input = 36, 41 // bytes of an outpoint, and of an input without a script
	t.onceBare.Do(func() {
		bare := wire.MsgTx{Version: t.Tx.Version, TxOut: t.Tx.TxOut, LockTime: t.Tx.LockTime}
		for _, in := range t.Tx.TxIn {
			bare.AddTxIn(&wire.TxIn{PreviousOutPoint: in.PreviousOutPoint, Sequence: in.Sequence})
		}
		b := bytes.NewBuffer(make([]byte, 0, bare.SerializeSizeStripped()))
		bare.SerializeNoWitness(b) // a Buffer has no errors
		t.bare = b.Bytes()
	})
	at := 4 + wire.VarIntSerializeSize(uint64(len(t.Tx.TxIn))) + i*input + outpoint
	h := sha256.New()
	h.Write(t.bare[:at])
	h.Write(wireform.AppendCompactSize(nil, uint64(len(code))))
	h.Write(code)
	h.Write(t.bare[at+1:]) // behind the length of a script, 0
	h.Write([]byte{hashType, 0, 0, 0})
	return sha256.Sum256(h.Sum(nil))
}

// taproot judges a spend of a taproot output (BIP 341).
func (x *Expander) taproot(program []byte, items [][]byte) {
	t, u := x.t, &x.Unit
	var annex []byte
	if n := len(items); n >= 2 && len(items[n-1]) > 0 && items[n-1][0] == txscript.TaprootAnnexTag {
		annex, items = items[n-1], items[:n-1]
	}
	u.Kind = "p2tr"
	switch len(items) {
	case 0:
		x.decide(rows.Invalid, "an empty witness")
		return
	case 1:
	default:
		x.engine("p2tr script path")
		return
	}
	u.Kind = "p2tr key path"
	u.Scheme = rows.Schnorr
	sig, hashType := items[0], byte(txscript.SigHashDefault)
	switch {
	case len(sig) == 65 && sig[64] != 0:
		sig, hashType = sig[:64], sig[64]
	case len(sig) != 64:
		x.decide(rows.Invalid, "a taproot signature of %d bytes%s", len(sig),
			map[bool]string{true: " that ends in the hash type 0"}[len(sig) == 65])
		return
	}
	if hashType&0x80 == 0 && !t.Complete() {
		x.decide(rows.NotCheckable, "signs all spent outputs of its transaction, one of which is %s",
			t.Missing)
		return
	}
	d, err := t.TaprootDigest(hashType, x.i, annex)
	if err != nil {
		x.decide(rows.Invalid, "the signature hash: %v", err)
		return
	}
	u.Signatures = append(u.Signatures, rows.Signature{Digest: d, Sig: sig})
	u.Keys = append(u.Keys, program)
}

// engine judges the input with btcd's script engine. An input accepted without a valid signature is
// Unsigned, with a reason if it carries data.
func (x *Expander) engine(kind string) {
	t, u := x.t, &x.Unit
	u.Kind = kind
	u.Signatures, u.Keys = u.Signatures[:0], u.Keys[:0]
	if t.Rules.Taproot && txscript.IsPayToTaproot(t.Spent[x.i].Script) && !t.Complete() {
		x.decide(rows.NotCheckable, "may sign all spent outputs of its transaction, one of which is %s",
			t.Missing)
		return
	}
	defer func() {
		if p := recover(); p != nil {
			x.decide(rows.NotCheckable, "the script engine broke off: %.200v", p)
		}
	}()
	// The engine does not report whether it verified a valid signature, but it stores each one in
	// its cache. This cache holds one entry, so any valid signature replaces the one stored here.
	cache := txscript.NewSigCache(1)
	cache.Add(chainhash.Hash{}, nil, nil)
	// It asks for the output of this input alone.
	spent := &t.Spent[x.i]
	vm, err := txscript.NewEngine(spent.Script, t.Tx, x.i, t.Rules.Flags(), cache, t.sigHashes(),
		spent.Amount, txscript.NewCannedPrevOutputFetcher(spent.Script, spent.Amount))
	if err == nil {
		err = vm.Execute()
	}
	switch in := t.Tx.TxIn[x.i]; {
	case err != nil:
		x.decide(rows.Invalid, "the script engine: %.200v", err)
	case !cache.Exists(chainhash.Hash{}, nil, nil):
		x.decide(rows.EngineChecked, "ran in the script engine")
	case len(in.SignatureScript) == 0 && len(in.Witness) == 0:
		x.decide(rows.Unsigned, "")
	default:
		x.decide(rows.Unsigned, "anybody could spend it: no signature was looked at, or none that is "+
			"valid, in what it carries")
	}
}
