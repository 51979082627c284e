package bitcoin

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
	"sync"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	//lint:ignore SA1019 keys and scripts of Bitcoin are named by it
	"golang.org/x/crypto/ripemd160"

	"github.com/koblitz-go/koblitz/schnorr"
)

// A Scheme is the kind of a signature.
type Scheme uint8

const (
	ECDSA Scheme = iota + 1
	Schnorr
)

// A Verdict is the verdict on an input. Its zero value is no verdict: the input is valid if all its
// signatures are.
type Verdict uint8

const (
	Invalid       Verdict = iota + 1 // the rules refuse the input
	EngineChecked                    // a script engine ran the script and accepted a valid signature
	NotCheckable                     // the input cannot be judged
	Unsigned                         // anyone may spend the input: no valid signature was needed
)

// A Signature is a signature with the digest that it signs.
type Signature struct {
	Digest [32]byte
	Sig    []byte // ECDSA: DER without the hash type; BIP-340: 64 bytes
	cached []byte // the form of Sig in a txscript.SigCache, BIP-340's with the hash type; may be nil
}

// A Commitment is the claim of a script path of taproot: the point Key + Tweak·G has the x
// coordinate Output, and an odd y coordinate if Odd is set (BIP 341, "Script validation rules").
// Package batch checks many such claims in one call (TweakCheckRows).
type Commitment struct {
	Key, Output []byte // x-only keys
	Tweak       [32]byte
	Odd         bool
}

// A Result is the result for one input. An m-of-n multisig has m signatures and n keys, which are
// matched in order as CHECKMULTISIG does.
type Result struct {
	Kind       string // kind of the spent output, such as p2wpkh
	Scheme     Scheme
	LaxDER     bool // accept the encodings of signatures that the chain accepted before BIP 66
	Signatures []Signature
	Keys       [][]byte
	Commitment Commitment // what else must hold, if Commitment.Key is not nil
	Verdict    Verdict
	// Reason explains the verdict. An Unsigned input has a reason if it carries data that could
	// contain an unverified signature.
	Reason string
}

// An Output is an output that an input spends. Known is false if the output was not found.
type Output struct {
	Known  bool
	Amount int64
	Script []byte
}

// A Transaction is one transaction with the outputs that it spends, ready to be judged. Several
// goroutines may judge its inputs at a time, each with a Judge of its own.
type Transaction struct {
	Tx      *wire.MsgTx
	Spent   []Output // the output that each input spends
	Missing string   // why an output in Spent may be unknown
	Rules   Rules

	once   sync.Once
	hashes *txscript.TxSigHashes

	legacy legacyParts

	onceChecks sync.Once
	checks     int // see legacyChecks
}

// sigHashes returns the hashes that are common to the signature hashes of all segwit and taproot
// inputs. Several goroutines may call it.
func (t *Transaction) sigHashes() *txscript.TxSigHashes {
	t.once.Do(func() {
		// btcd looks the spent outputs up by their outpoints. A transaction that Bitcoin Core would
		// refuse may have null outpoints, which btcd skips, or the same outpoint twice. So btcd
		// gets no outputs here, and spentSums computes the two hashes that cover them.
		t.hashes = txscript.NewTxSigHashes(t.Tx, txscript.NewCannedPrevOutputFetcher(nil, 0))
		if slices.ContainsFunc(t.Spent, func(o Output) bool {
			return txscript.IsPayToTaproot(o.Script)
		}) {
			t.hashes.HashInputAmountsV1, t.hashes.HashInputScriptsV1 = t.spentSums()
		}
	})
	return t.hashes
}

// spentSums returns the hashes of all amounts and of all scripts that t spends (BIP 341). It treats
// an unknown output as an empty one. That does no harm: an input whose signature covers an unknown
// output is not judged.
func (t *Transaction) spentSums() (amounts, scripts chainhash.Hash) {
	a, s := sha256.New(), sha256.New()
	var amount [8]byte
	for i := range t.Spent {
		binary.LittleEndian.PutUint64(amount[:], uint64(t.Spent[i].Amount))
		a.Write(amount[:])
		wire.WriteVarBytes(s, 0, t.Spent[i].Script) // a hash cannot fail
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

// A Judge judges one input after another, and reuses its memory. It verifies no signature except in
// inputs that the script engine runs.
type Judge struct {
	// SigCache, if not nil, is the cache of the script engine. Then an input that anyone may spend
	// has the verdict EngineChecked if the engine ran it.
	SigCache *txscript.SigCache

	result Result
	t      *Transaction
	i      int // number of the input being judged

	items, keys [][]byte

	sum    [32]byte
	ripemd hash.Hash // RIPEMD-160, or nil before its first use

	// legacy has the states of SHA-256 after the parts of t that a legacy signature of the input
	// covers, by coverage; nil if no signature needed them yet.
	legacy [coverages]hash.Hash
}

// hash160 returns the RIPEMD-160 hash of the SHA-256 hash of b. The result is valid until the next
// call.
func (x *Judge) hash160(b []byte) []byte {
	if x.ripemd == nil {
		x.ripemd = ripemd160.New()
	}
	x.sum = sha256.Sum256(b)
	x.ripemd.Reset()
	x.ripemd.Write(x.sum[:])
	return x.ripemd.Sum(x.sum[:0])
}

// Input judges input number i of t. The result is valid until the next call.
func (x *Judge) Input(t *Transaction, i int) *Result {
	x.t, x.i = t, i
	x.result = Result{LaxDER: !t.Rules.StrictDER, Signatures: x.result.Signatures[:0],
		Keys: x.result.Keys[:0]}
	x.items, x.keys = x.items[:0], x.keys[:0]
	x.legacy = [coverages]hash.Hash{}
	x.input()
	return &x.result
}

func (x *Judge) decide(v Verdict, format string, args ...any) {
	x.result.Verdict, x.result.Reason = v, fmt.Sprintf(format, args...)
}

// input judges the input with the number x.i, and stores the result in x.result.
func (x *Judge) input() {
	t := x.t
	in, spent := t.Tx.TxIn[x.i], &t.Spent[x.i]
	if !spent.Known {
		x.decide(NotCheckable, "spends output %d of %v, which is %s",
			in.PreviousOutPoint.Index, in.PreviousOutPoint.Hash, t.Missing)
		return
	}
	if !t.Rules.chosen {
		x.decide(NotCheckable, "no rules: RulesAt or RulesOf returns them")
		return
	}
	script := spent.Script
	if t.Rules.Segwit {
		if v, program, ok := witnessProgram(script); ok {
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
		x.engine("script") // the engine refuses a witness in such an input
		return
	}
	items, ok := appendPushes(x.items, in.SignatureScript, maxPlainItems)
	if x.items = items; !ok {
		x.engine("script")
		return
	}
	x.plain("", script, items, legacy)
}

// maxPlainItems is the maximum number of items on the stack of a plain script. A multisig takes one
// unused item, 16 signatures and the redeem script.
const maxPlainItems = 18

// scriptHash judges an input that spends a P2SH output. hash is the script hash in the output.
func (x *Judge) scriptHash(hash []byte) {
	in := x.t.Tx.TxIn[x.i]
	items, ok := appendPushes(x.items, in.SignatureScript, maxPlainItems)
	if x.items = items; !ok || len(items) == 0 {
		x.engine("p2sh script")
		return
	}
	redeem := items[len(items)-1]
	if !bytes.Equal(x.hash160(redeem), hash) {
		x.result.Kind = "p2sh"
		x.decide(Invalid, "the redeem script does not hash to the output's script hash")
		return
	}
	if x.t.Rules.Segwit {
		if v, program, ok := witnessProgram(redeem); ok {
			// BIP 141: the signature script must be exactly one push of the redeem script. A
			// witness program is so short that the push takes one byte.
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

// witness judges an input that spends a witness program. wrap is "p2sh-" if the program is nested
// in P2SH, and otherwise "".
func (x *Judge) witness(wrap string, version int, program []byte) {
	items := x.t.Tx.TxIn[x.i].Witness
	switch {
	case version == 0 && len(program) == 20:
		if len(items) != 2 || len(items[0]) > txscript.MaxScriptElementSize {
			x.engine(wrap + "p2wpkh")
			return
		}
		// BIP 143: the script code of a P2WPKH input is the script of a P2PKH output with the same
		// key hash.
		code := make([]byte, 0, 25)
		code = append(code, txscript.OP_DUP, txscript.OP_HASH160, txscript.OP_DATA_20)
		code = append(code, program...)
		code = append(code, txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG)
		x.plain(wrap, code, items, segwit)
		x.result.Kind = wrap + "p2wpkh"

	case version == 0 && len(program) == 32:
		if len(items) == 0 || len(items) > maxPlainItems ||
			len(items[len(items)-1]) > txscript.MaxScriptSize {
			x.engine(wrap + "p2wsh script")
			return
		}
		script := items[len(items)-1]
		if h := sha256.Sum256(script); !bytes.Equal(h[:], program) {
			x.result.Kind = wrap + "p2wsh"
			x.decide(Invalid, "the witness script does not hash to the output's script hash")
			return
		}
		x.plain(wrap+"p2wsh-", script, items[:len(items)-1], segwit)

	case version == 1 && len(program) == 32 && wrap == "" && x.t.Rules.Taproot:
		x.taproot(program, items)

	default:
		x.engine(wrap + "witness program")
	}
}

// A digester selects how signature hashes are computed.
type digester int

const (
	legacy digester = iota + 1
	segwit          // as in BIP 143
)

// plain judges an input whose script is P2PK, P2PKH or multisig; stack holds the items for that
// script. If the script is of another kind, or the number of items is wrong, plain lets the script
// engine judge.
func (x *Judge) plain(wrap string, script []byte, stack [][]byte, how digester) {
	u := &x.result
	p, ok := parseScript(script, x.keys)
	if !ok {
		x.engine(wrap + "script")
		return
	}
	u.Kind = wrap + p.name
	u.Scheme = ECDSA
	sigs := stack
	switch {
	case p.keyHash != nil:
		if len(stack) != 2 {
			x.engine(u.Kind)
			return
		}
		if !bytes.Equal(x.hash160(stack[1]), p.keyHash) {
			x.decide(Invalid, "the public key does not hash to the output's key hash")
			return
		}
		p.keys = append(x.keys, stack[1])
		sigs = stack[:1]
	case p.name == "multisig":
		// The first item is the one that CHECKMULTISIG takes and ignores, by a mistake in Bitcoin.
		// Since BIP 147 it must be empty.
		if len(stack) != 1+p.required || x.t.Rules.NullDummy && len(stack[0]) > 0 ||
			len(stack[0]) > txscript.MaxScriptElementSize {
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
	x.keys = p.keys
	for _, sig := range sigs {
		if len(sig) > txscript.MaxScriptElementSize || how == legacy && pushes(&p, sig) {
			// The signature is too long for the stack, or the script contains it (FindAndDelete),
			// so the script engine must judge the input.
			x.engine(u.Kind)
			return
		}
		if len(sig) == 0 {
			u.Signatures = u.Signatures[:0]
			x.decide(Invalid, "an empty signature")
			return
		}
		u.Signatures = append(u.Signatures, Signature{Sig: sig[:len(sig)-1], cached: sig[:len(sig)-1]})
		d, err := x.digest(script, sig[len(sig)-1], how)
		if err != nil {
			u.Signatures = u.Signatures[:0]
			x.decide(NotCheckable, "the signature hash: %v", err)
			return
		}
		u.Signatures[len(u.Signatures)-1].Digest = d
	}
	for _, k := range p.keys {
		u.Keys = append(u.Keys, plainKey(k))
	}
}

// pushes reports whether the script contains sig as a push, which signature hashing before segwit
// would remove (FindAndDelete).
func pushes(p *template, sig []byte) bool {
	if p.keyHash != nil {
		return bytes.Equal(sig, p.keyHash)
	}
	for _, k := range p.keys {
		if bytes.Equal(sig, k) {
			return true
		}
	}
	return false
}

func (x *Judge) digest(script []byte, hashType byte, how digester) (d [32]byte, err error) {
	if how == legacy {
		return x.legacyDigest(script, hashType), nil
	}
	t := x.t
	sum, err := txscript.CalcWitnessSigHash(script, t.sigHashes(), txscript.SigHashType(hashType),
		t.Tx, x.i, t.Spent[x.i].Amount)
	if err != nil {
		return d, err
	}
	return [32]byte(sum), nil
}

// taproot judges an input that spends a taproot output (BIP 341). items is its witness.
func (x *Judge) taproot(program []byte, items [][]byte) {
	t, u := x.t, &x.result
	var annex []byte
	if n := len(items); n >= 2 && len(items[n-1]) > 0 && items[n-1][0] == txscript.TaprootAnnexTag {
		annex, items = items[n-1], items[:n-1]
	}
	u.Kind = "p2tr"
	switch len(items) {
	case 0:
		x.decide(Invalid, "an empty witness")
		return
	case 1:
	default:
		if !x.scriptPath(program, items, annex) {
			x.engine("p2tr script path")
		}
		return
	}
	u.Kind = "p2tr key path"
	u.Scheme = Schnorr
	sig, hashType, ok := taprootSignature(items[0])
	if !ok {
		after := ""
		if len(items[0]) == 65 {
			after = " that ends in the hash type 0"
		}
		x.decide(Invalid, "a taproot signature of %d bytes%s", len(items[0]), after)
		return
	}
	if hashType&0x80 == 0 && !t.Complete() {
		x.decide(NotCheckable, "signs all spent outputs of its transaction, one of which is %s",
			t.Missing)
		return
	}
	d, err := t.TaprootDigest(hashType, x.i, annex)
	if err != nil {
		x.decide(Invalid, "the signature hash: %v", err)
		return
	}
	u.Signatures = append(u.Signatures, Signature{d, sig, items[0]})
	u.Keys = append(u.Keys, program)
}

// scriptPath judges an input whose tapscript (BIP 342) needs one signature of a key, and otherwise
// only carries data. It returns false if the script is another one, or if the input is not valid
// for a reason that the script engine states.
func (x *Judge) scriptPath(program []byte, items [][]byte, annex []byte) bool {
	const (
		version = 0xc0 // the leaf version of tapscript
		parity  = 1
		least   = 33 // bytes of a control block without a Merkle path
	)
	t, u, n := x.t, &x.result, len(items)
	script, control := items[n-2], items[n-1]
	key := tapscriptKey(script)
	if n != 3 || key == nil || len(control) < least || len(control) > least+128*32 ||
		(len(control)-least)%32 != 0 || control[0]&^parity != version {
		return false
	}
	sig, hashType, ok := taprootSignature(items[0])
	if !ok || hashType&0x80 == 0 && !t.Complete() {
		return false
	}
	h := sha256.New()
	h.Write(tapLeaf)
	h.Write([]byte{version})
	wire.WriteVarBytes(h, 0, script) // a hash cannot fail
	node := [32]byte(h.Sum(nil))
	d, err := t.taprootDigest(hashType, x.i, annex, &node)
	if err != nil {
		return false
	}
	for path := control[least:]; len(path) > 0; path = path[32:] {
		node = tapBranchHash(&node, (*[32]byte)(path))
	}
	u.Kind, u.Scheme = "p2tr script path", Schnorr
	u.Signatures = append(u.Signatures, Signature{d, sig, items[0]})
	u.Keys = append(u.Keys, key)
	u.Commitment = Commitment{Key: control[1:33], Output: program,
		Tweak: schnorr.TaggedHash("TapTweak", control[1:33], node[:]), Odd: control[0]&parity == 1}
	return true
}

// taprootSignature splits a signature of taproot into 64 bytes and its hash type.
func taprootSignature(item []byte) (sig []byte, hashType byte, ok bool) {
	switch {
	case len(item) == 64:
		return item, byte(txscript.SigHashDefault), true
	case len(item) == 65 && item[64] != 0:
		return item[:64], item[64], true
	}
	return nil, 0, false
}

// engine judges the input with btcd's script engine. If the engine accepts the input but has
// verified no valid signature, the verdict is Unsigned, with a reason if the input carries data.
func (x *Judge) engine(kind string) {
	t, u := x.t, &x.result
	u.Kind = kind
	u.Signatures, u.Keys = u.Signatures[:0], u.Keys[:0]
	if t.Rules.Taproot && txscript.IsPayToTaproot(t.Spent[x.i].Script) && !t.Complete() {
		x.decide(NotCheckable, "may sign all spent outputs of its transaction, one of which is %s",
			t.Missing)
		return
	}
	if why := x.engineExcess(); why != "" {
		x.decide(NotCheckable, "not run in the script engine: %s", why)
		return
	}
	defer func() {
		if p := recover(); p != nil {
			x.decide(NotCheckable, "the script engine broke off: %.200v", p)
		}
	}()
	// The engine does not report whether it verified a valid signature, but it stores each valid
	// one in its cache. A cache with one entry shows it: a valid signature replaces the entry added
	// here.
	cache := x.SigCache
	if cache == nil {
		cache = txscript.NewSigCache(1)
		cache.Add(chainhash.Hash{}, nil, nil)
	}
	// The engine asks only for the output that this input spends.
	spent := &t.Spent[x.i]
	vm, err := txscript.NewEngine(spent.Script, t.Tx, x.i, t.Rules.Flags(), cache, t.sigHashes(),
		spent.Amount, txscript.NewCannedPrevOutputFetcher(spent.Script, spent.Amount))
	if err == nil {
		err = vm.Execute()
	}
	switch in := t.Tx.TxIn[x.i]; {
	case err != nil:
		x.decide(Invalid, "the script engine: %.200v", err)
	case !cache.Exists(chainhash.Hash{}, nil, nil):
		x.decide(EngineChecked, "ran in the script engine")
	case len(in.SignatureScript) == 0 && len(in.Witness) == 0:
		x.decide(Unsigned, "")
	default:
		x.decide(Unsigned, "anybody could spend it: no signature was looked at, or none that is "+
			"valid, in what it carries")
	}
}
