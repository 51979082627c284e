package bitcoin

import "github.com/btcsuite/btcd/txscript/v2"

// A Network is a Bitcoin chain: the rules by height differ between them.
type Network uint8

const (
	Mainnet Network = iota
	Testnet3
	Testnet4
	Signet
	Regtest
)

// networks holds, for each network, the bytes that begin a record of its
// blk*.dat files and the first block at which a rule holds (as Bitcoin Core's
// chain parameters have them).
var networks = [...]struct {
	name                                  string
	magic                                 [4]byte
	strictDER, cltv, csv, segwit, taproot int32
	p2shByTime                            bool // P2SH from p2shTime on, and at the latest with BIP 66; otherwise always
}{
	Mainnet:  {"mainnet", [4]byte{0xf9, 0xbe, 0xb4, 0xd9}, 363725, 388381, 419328, 481824, 709632, true},
	Testnet3: {"testnet3", [4]byte{0x0b, 0x11, 0x09, 0x07}, 330776, 581885, 770112, 834624, 0, true},
	Testnet4: {"testnet4", [4]byte{0x1c, 0x16, 0x3f, 0x28}, 1, 1, 1, 1, 0, false},
	Signet:   {"signet", [4]byte{0x0a, 0x03, 0xcf, 0x40}, 1, 1, 1, 1, 0, false},
	Regtest:  {"regtest", [4]byte{0xfa, 0xbf, 0xb5, 0xda}, 1, 1, 1, 0, 0, false},
}

// p2shTime is when BIP 16 came into force: 1 April 2012, 00:00 UTC. The first
// mainnet block with such a time is 173805.
const p2shTime = 1333238400

func (n Network) String() string { return networks[n].name }

// ParseNetwork returns the network of that name.
func ParseNetwork(name string) (Network, bool) {
	for i := range networks {
		if networks[i].name == name {
			return Network(i), true
		}
	}
	return 0, false
}

// networkOf returns the network whose records begin with magic.
func networkOf(magic []byte) (Network, bool) {
	for i := range networks {
		if string(networks[i].magic[:]) == string(magic) {
			return Network(i), true
		}
	}
	return 0, false
}

// rules are the consensus rules that a block's scripts must keep.
type rules struct {
	p2sh      bool // BIP 16
	strictDER bool // BIP 66
	cltv      bool // BIP 65
	csv       bool // BIP 68, 112
	segwit    bool // BIP 141, 143, and 147 (an empty CHECKMULTISIG dummy)
	taproot   bool // BIP 341, 342
}

// rulesAt returns the rules of a block with that height and header time. A
// height below 0 (not known) counts as 0.
func (n Network) rulesAt(height int32, time uint32) rules {
	p := &networks[n]
	height = max(height, 0)
	return rules{
		p2sh:      !p.p2shByTime || time >= p2shTime || height >= p.strictDER,
		strictDER: height >= p.strictDER,
		cltv:      height >= p.cltv,
		csv:       height >= p.csv,
		segwit:    height >= p.segwit,
		taproot:   height >= p.taproot && height >= p.segwit,
	}
}

// flags returns the rules in the script engine's terms.
func (r rules) flags() (f txscript.ScriptFlags) {
	for _, x := range [...]struct {
		on   bool
		flag txscript.ScriptFlags
	}{
		{r.p2sh, txscript.ScriptBip16},
		{r.strictDER, txscript.ScriptVerifyDERSignatures},
		{r.cltv, txscript.ScriptVerifyCheckLockTimeVerify},
		{r.csv, txscript.ScriptVerifyCheckSequenceVerify},
		{r.segwit, txscript.ScriptVerifyWitness | txscript.ScriptStrictMultiSig},
		{r.taproot, txscript.ScriptVerifyTaproot},
	} {
		if x.on {
			f |= x.flag
		}
	}
	return f
}
