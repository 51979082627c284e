// Package consensus holds the parameters of the Bitcoin networks, and the checks of a block as a
// whole: its proof of work, Merkle root, coinbase and witness commitment.
package consensus

import (
	"encoding/binary"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"

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

// networks holds the name of each network, btcd's parameters of it, and the first height of segwit
// in Bitcoin Core's chain parameters.
var networks = [...]struct {
	name   string
	params *chaincfg.Params
	segwit int32
}{
	Mainnet:  {"mainnet", &chaincfg.MainNetParams, 481824},
	Testnet3: {"testnet3", &chaincfg.TestNet3Params, 834624},
	Testnet4: {"testnet4", &chaincfg.TestNet4Params, 1},
	Signet:   {"signet", &chaincfg.SigNetParams, 1},
	Regtest:  {"regtest", &chaincfg.RegressionNetParams, 0},
	// On simnet, miners vote on segwit, which may be in force after 300 blocks.
	Simnet: {"simnet", &chaincfg.SimNetParams, 0},
}

func (n Network) String() string {
	if n == 0 {
		return "no network"
	}
	return networks[n].name
}

// Params returns btcd's parameters of the network, or nil for the zero value.
func (n Network) Params() *chaincfg.Params { return networks[n].params }

// Magic returns the four bytes that begin each record of the network's blk*.dat files.
func (n Network) Magic() (magic [4]byte) {
	binary.LittleEndian.PutUint32(magic[:], uint32(networks[n].params.Net))
	return magic
}

// Genesis returns the hash of the network's first block.
func (n Network) Genesis() chainhash.Hash { return *networks[n].params.GenesisHash }

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
		if m := n.Magic(); string(m[:]) == string(magic) {
			return n, true
		}
	}
	return 0, false
}

// RulesAt returns the rules for the scripts of the block with the given height and hash. A negative
// height is unknown and counts as 0.
func (n Network) RulesAt(height int32, block chainhash.Hash) bitcoin.Rules {
	r, err := bitcoin.RulesAt(networks[n].params.Net, height, block)
	if err != nil {
		panic(err) // unreachable: package bitcoin knows the networks of this package
	}
	return r
}
