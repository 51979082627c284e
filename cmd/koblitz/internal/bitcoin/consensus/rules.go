// Package consensus holds the parameters of the Bitcoin networks, the script rules at each height,
// and the checks of a block as a whole: its proof of work, Merkle root, coinbase and witness
// commitment.
package consensus

import (
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
)

// A Network is a Bitcoin network. Each has its own heights at which rules take effect. The zero
// value stands for no network.
type Network uint8

const (
	Mainnet Network = iota + 1
	Testnet3
	Testnet4
	Signet
	Regtest
	Simnet // btcd's network for tests
)

// networks holds the parameters of each network as in Bitcoin Core's chain parameters, and for
// simnet as in btcd's: the magic bytes of blk*.dat records, the genesis block, the greatest target
// (as difficulty bits), the first height of each rule, and the address prefixes.
var networks = [...]struct {
	name                                string
	magic                               [4]byte
	genesis                             chainhash.Hash
	limit                               uint32
	bip34, strictDER, cltv, csv, segwit int32
	keyHash, scriptHash                 byte
	hrp                                 string
}{
	Mainnet: {"mainnet", [4]byte{0xf9, 0xbe, 0xb4, 0xd9},
		hashOf("000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"),
		0x1d00ffff, 227931, 363725, 388381, 419328, 481824, 0, 5, "bc"},
	Testnet3: {"testnet3", [4]byte{0x0b, 0x11, 0x09, 0x07},
		hashOf("000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943"),
		0x1d00ffff, 21111, 330776, 581885, 770112, 834624, 111, 196, "tb"},
	Testnet4: {"testnet4", [4]byte{0x1c, 0x16, 0x3f, 0x28},
		hashOf("00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043"),
		0x1d00ffff, 1, 1, 1, 1, 1, 111, 196, "tb"},
	Signet: {"signet", [4]byte{0x0a, 0x03, 0xcf, 0x40},
		hashOf("00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6"),
		0x1e0377ae, 1, 1, 1, 1, 1, 111, 196, "tb"},
	Regtest: {"regtest", [4]byte{0xfa, 0xbf, 0xb5, 0xda},
		hashOf("0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"),
		0x207fffff, 1, 1, 1, 1, 0, 111, 196, "bcrt"},
	// On simnet, miners vote on CSV and segwit, which may be in force after 300 blocks.
	Simnet: {"simnet", [4]byte{0x16, 0x1c, 0x14, 0x12},
		hashOf("683e86bd5c6d110d91b94b97137ba6bfe02dbbdb8e3dff722a669b5d69d77af6"),
		0x207fffff, 1, 1, 1, 1, 0, 63, 123, "sb"},
}

// hashOf parses a hash in hex, in the reversed byte order that block explorers use.
func hashOf(s string) chainhash.Hash {
	h, err := chainhash.NewHashFromStr(s)
	if err != nil {
		panic(err)
	}
	return *h
}

func (n Network) String() string {
	if n == 0 {
		return "no network"
	}
	return networks[n].name
}

// Magic returns the four bytes that begin each record of the network's blk*.dat files.
func (n Network) Magic() [4]byte { return networks[n].magic }

// Genesis returns the hash of the network's first block.
func (n Network) Genesis() chainhash.Hash { return networks[n].genesis }

// Prefixes returns the network's address prefixes: the base58 version bytes for a key hash and a
// script hash, and the human-readable part of bech32.
func (n Network) Prefixes() (keyHash, scriptHash byte, hrp string) {
	p := &networks[n]
	return p.keyHash, p.scriptHash, p.hrp
}

// EveryNetwork yields all networks.
func EveryNetwork(yield func(Network) bool) {
	for n := Mainnet; int(n) < len(networks) && yield(n); n++ {
	}
}

// ParseNetwork returns the network with the given name.
func ParseNetwork(name string) (Network, bool) {
	for n := range EveryNetwork {
		if networks[n].name == name {
			return n, true
		}
	}
	return 0, false
}

// NetworkOf returns the network whose records begin with magic.
func NetworkOf(magic []byte) (Network, bool) {
	for n := range EveryNetwork {
		if string(networks[n].magic[:]) == string(magic) {
			return n, true
		}
	}
	return 0, false
}

// Rules says which consensus rules apply to the scripts of a block.
type Rules struct {
	P2SH      bool // BIP 16: pay to script hash
	StrictDER bool // BIP 66: signatures in strict DER
	CLTV      bool // BIP 65: CHECKLOCKTIMEVERIFY
	CSV       bool // BIP 68 and 112: CHECKSEQUENCEVERIFY
	Segwit    bool // BIP 141 and 143: segregated witness
	NullDummy bool // BIP 147: the item that CHECKMULTISIG ignores must be empty
	Taproot   bool // BIP 341 and 342: taproot and tapscript
}

// exceptions lists the only blocks that break a rule that was introduced after them. One mainnet
// block and one testnet3 block have a spend that BIP 16 refuses, and one mainnet block has a spend
// that BIP 341 refuses.
var exceptions = [...]struct {
	block                 chainhash.Hash
	p2sh, segwit, taproot bool // which of the rules apply to the block nevertheless
}{
	{block: hashOf("00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22")},
	{block: hashOf("00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105")},
	{block: hashOf("0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad"), p2sh: true,
		segwit: true},
}

// RulesAt returns the rules for the block with the given height and hash. A negative height is
// unknown and counts as 0.
//
// BIP 16, 141 and 341 apply to every block that is not in the list exceptions, even below the
// heights at which they were activated, as in Bitcoin Core (GetBlockScriptFlags in validation.cpp).
// Otherwise a file that states a low height could prevent the check of a signature.
func (n Network) RulesAt(height int32, block chainhash.Hash) Rules {
	p := &networks[n]
	height = max(height, 0)
	r := Rules{
		P2SH:      true,
		StrictDER: height >= p.strictDER,
		CLTV:      height >= p.cltv,
		CSV:       height >= p.csv,
		Segwit:    true,
		NullDummy: height >= p.segwit,
		Taproot:   true,
	}
	for i := range exceptions {
		if x := &exceptions[i]; x.block == block {
			r.P2SH, r.Segwit, r.Taproot = x.p2sh, x.segwit, x.taproot
		}
	}
	return r
}

// Flags returns the rules as flags of btcd's script engine.
func (r Rules) Flags() (f txscript.ScriptFlags) {
	for _, x := range [...]struct {
		on   bool
		flag txscript.ScriptFlags
	}{
		{r.P2SH, txscript.ScriptBip16},
		{r.StrictDER, txscript.ScriptVerifyDERSignatures},
		{r.CLTV, txscript.ScriptVerifyCheckLockTimeVerify},
		{r.CSV, txscript.ScriptVerifyCheckSequenceVerify},
		{r.Segwit, txscript.ScriptVerifyWitness},
		{r.NullDummy, txscript.ScriptStrictMultiSig},
		{r.Taproot, txscript.ScriptVerifyTaproot},
	} {
		if x.on {
			f |= x.flag
		}
	}
	return f
}
