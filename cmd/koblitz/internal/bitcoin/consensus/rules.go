// Package consensus holds the parameters of the Bitcoin networks, and the checks of a block as a
// whole: its proof of work, Merkle root, coinbase and witness commitment.
package consensus

import (
	"encoding/binary"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
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
// (as difficulty bits), the first heights of BIP 34 and segwit, and the address prefixes.
var networks = [...]struct {
	name                string
	magic               [4]byte
	genesis             chainhash.Hash
	limit               uint32
	bip34, segwit       int32
	keyHash, scriptHash byte
	hrp                 string
}{
	Mainnet: {"mainnet", [4]byte{0xf9, 0xbe, 0xb4, 0xd9},
		hashOf("000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"),
		0x1d00ffff, 227931, 481824, 0, 5, "bc"},
	Testnet3: {"testnet3", [4]byte{0x0b, 0x11, 0x09, 0x07},
		hashOf("000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943"),
		0x1d00ffff, 21111, 834624, 111, 196, "tb"},
	Testnet4: {"testnet4", [4]byte{0x1c, 0x16, 0x3f, 0x28},
		hashOf("00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043"),
		0x1d00ffff, 1, 1, 111, 196, "tb"},
	Signet: {"signet", [4]byte{0x0a, 0x03, 0xcf, 0x40},
		hashOf("00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6"),
		0x1e0377ae, 1, 1, 111, 196, "tb"},
	Regtest: {"regtest", [4]byte{0xfa, 0xbf, 0xb5, 0xda},
		hashOf("0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"),
		0x207fffff, 1, 0, 111, 196, "bcrt"},
	// On simnet, miners vote on segwit, which may be in force after 300 blocks.
	Simnet: {"simnet", [4]byte{0x16, 0x1c, 0x14, 0x12},
		hashOf("683e86bd5c6d110d91b94b97137ba6bfe02dbbdb8e3dff722a669b5d69d77af6"),
		0x207fffff, 1, 0, 63, 123, "sb"},
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

// RulesAt returns the rules for the scripts of the block with the given height and hash. A negative
// height is unknown and counts as 0.
func (n Network) RulesAt(height int32, block chainhash.Hash) bitcoin.Rules {
	magic := n.Magic()
	r, err := bitcoin.RulesAt(wire.BitcoinNet(binary.LittleEndian.Uint32(magic[:])), height, block)
	if err != nil {
		panic(err) // unreachable: package bitcoin knows the networks of this package
	}
	return r
}
