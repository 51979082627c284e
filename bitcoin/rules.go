package bitcoin

import (
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// Rules says which consensus rules apply to the scripts of a block. RulesAt and RulesOf return
// Rules. VerifyBlock and VerifyTx refuse any other value, and a Judge judges nothing under it, so
// that forgotten rules are not those of 2009.
type Rules struct {
	P2SH      bool // BIP 16: pay to script hash
	StrictDER bool // BIP 66: signatures in strict DER
	CLTV      bool // BIP 65: CHECKLOCKTIMEVERIFY
	CSV       bool // BIP 68 and 112: CHECKSEQUENCEVERIFY
	Segwit    bool // BIP 141 and 143: segregated witness
	NullDummy bool // BIP 147: the item that CHECKMULTISIG ignores must be empty
	Taproot   bool // BIP 341 and 342: taproot and tapscript

	chosen bool // RulesAt or RulesOf has returned the value
}

// activations holds the first height of each rule that depends on the height, as in Bitcoin Core's
// chain parameters. On simnet, btcd's network for tests, miners vote on CSV and segwit, which may
// be in force after 300 blocks.
var activations = map[wire.BitcoinNet]struct{ strictDER, cltv, csv, nullDummy int32 }{
	wire.MainNet:  {363725, 388381, 419328, 481824},
	wire.TestNet3: {330776, 581885, 770112, 834624},
	wire.TestNet4: {1, 1, 1, 1},
	wire.SigNet:   {1, 1, 1, 1},
	wire.TestNet:  {1, 1, 1, 0}, // regtest
	wire.SimNet:   {1, 1, 1, 0},
}

// exceptions lists the only blocks that break a rule that was introduced after them. One mainnet
// block and one testnet3 block have a spend that BIP 16 refuses, and one mainnet block has a spend
// that BIP 341 refuses. The key is the hash as block explorers print it. The value holds the rules
// that apply to the block nevertheless.
var exceptions = map[string]Rules{
	"00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22": {},
	"00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105": {},
	"0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad": {P2SH: true, Segwit: true},
}

// RulesAt returns the rules for the block with the given height and hash on a network, for example
// wire.MainNet. Regtest is wire.TestNet. There is an error for a network that is not one of btcd's
// or not a signet with the default challenge; RulesOf returns rules for those.
//
// BIP 16, 141 and 341 apply to every block that is not one of three exceptions, even below the
// heights at which they were activated, as in Bitcoin Core (GetBlockScriptFlags in validation.cpp).
// Otherwise a low height could prevent the check of a signature. A negative height counts as 0.
func RulesAt(net wire.BitcoinNet, height int32, block chainhash.Hash) (Rules, error) {
	first, ok := activations[net]
	if !ok {
		return Rules{}, fmt.Errorf("bitcoin: rules: no known network has the magic bytes %08x",
			uint32(net))
	}
	height = max(height, 0)
	r := Rules{P2SH: true, Segwit: true, Taproot: true}
	// The hash of every exception begins with eight zeros as printed. No other hash is converted
	// to text.
	if block[31] == 0 && block[30] == 0 && block[29] == 0 && block[28] == 0 {
		if x, ok := exceptions[block.String()]; ok {
			r = x
		}
	}
	r.StrictDER, r.CLTV, r.CSV = height >= first.strictDER, height >= first.cltv, height >= first.csv
	r.NullDummy, r.chosen = height >= first.nullDummy, true
	return r, nil
}

// flags lists the flags of btcd's script engine for consensus rules.
func (r *Rules) flags() [7]struct {
	on   *bool
	flag txscript.ScriptFlags
} {
	return [...]struct {
		on   *bool
		flag txscript.ScriptFlags
	}{
		{&r.P2SH, txscript.ScriptBip16},
		{&r.StrictDER, txscript.ScriptVerifyDERSignatures},
		{&r.CLTV, txscript.ScriptVerifyCheckLockTimeVerify},
		{&r.CSV, txscript.ScriptVerifyCheckSequenceVerify},
		{&r.Segwit, txscript.ScriptVerifyWitness},
		{&r.NullDummy, txscript.ScriptStrictMultiSig},
		{&r.Taproot, txscript.ScriptVerifyTaproot},
	}
}

// RulesOf returns the rules for which btcd's script engine has the given flags. There is an error
// for flags that are not consensus rules, such as those of txscript.StandardVerifyFlags for a
// mempool's policy: let the engine verify transactions under them. Segwit needs P2SH: without it,
// the engine refuses every input.
func RulesOf(flags txscript.ScriptFlags) (Rules, error) {
	r := Rules{chosen: true}
	for _, x := range r.flags() {
		*x.on = flags&x.flag != 0
	}
	if rest := flags &^ r.Flags(); rest != 0 {
		return Rules{}, fmt.Errorf("bitcoin: rules: the flags %#x are not consensus rules", uint32(rest))
	}
	if r.Segwit && !r.P2SH {
		return Rules{}, errors.New("bitcoin: rules: ScriptVerifyWitness needs ScriptBip16")
	}
	return r, nil
}

// Flags returns the rules as flags of btcd's script engine.
func (r Rules) Flags() (f txscript.ScriptFlags) {
	for _, x := range r.flags() {
		if *x.on {
			f |= x.flag
		}
	}
	return f
}
