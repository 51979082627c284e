package ethereum

import (
	"math"
	"slices"
	"strconv"

	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// A Chain holds the ID of an Ethereum chain and the points from which its rules on signatures hold.
type Chain struct {
	ID uint64

	// Each field is the first block number at which a rule holds or, for Cancun and later, the
	// first block time in seconds. Zero means that the rule has always held.
	homestead, eip155, berlin, london uint64
	cancun, prague                    uint64
}

// Mainnet has the fork numbers and times of go-ethereum's params.MainnetChainConfig.
var Mainnet = Chain{
	ID:        1,
	homestead: 1_150_000,
	eip155:    2_675_000,
	berlin:    12_244_000,
	london:    12_965_000,
	cancun:    1_710_338_135,
	prague:    1_746_612_311,
}

// ChainNames lists the names that ParseChain accepts. The variable chains lists the chains with
// these names, in the same order.
var (
	ChainNames = []string{"mainnet", "sepolia", "holesky", "hoodi"}
	chains     = []Chain{Mainnet, {ID: 11155111}, {ID: 17000}, {ID: 560048}}
)

// ParseChain returns the chain with the given name or decimal chain ID. On every chain but mainnet
// all rules hold from block 0 on.
func ParseChain(s string) (Chain, bool) {
	if i := slices.Index(ChainNames, s); i >= 0 {
		return chains[i], true
	}
	id, err := strconv.ParseUint(s, 10, 64)
	if err != nil || id == 0 {
		return Chain{}, false
	}
	if id == Mainnet.ID {
		return Mainnet, true
	}
	return Chain{ID: id}, true
}

// String returns the chain's name for reports.
func (c Chain) String() string {
	id := strconv.FormatUint(c.ID, 10)
	for i, known := range chains {
		if known.ID == c.ID {
			return "ethereum " + ChainNames[i] + ", chain id " + id
		}
	}
	return "ethereum, chain id " + id
}

// apart returns the least number of seconds between a block with at least the given number and the
// next one. Chains other than mainnet may have several blocks in a second.
func (c Chain) apart(number uint64) uint64 {
	const merge = 15_537_394 // the first block of proof of stake (EIP-3675)
	switch {
	case c.ID != Mainnet.ID:
		return 0
	case number < merge:
		return 1
	}
	return 12
}

// rules holds the requirements on the signatures in one block.
type rules struct {
	chain  uint64
	lowS   bool // s must be at most n/2 (EIP-2, since Homestead)
	eip155 bool // v may encode the chain ID
	newest wire.Type
}

// latest is used in place of an unknown block number or time. It selects the latest rules.
const latest = math.MaxUint64

// rulesAt returns the rules of a block with the given number and time. A block before London has no
// later fork's rules, whatever its time.
func (c *Chain) rulesAt(number, time uint64) rules {
	r := rules{chain: c.ID, lowS: number >= c.homestead,
		eip155: number >= c.eip155}
	switch {
	case number < c.berlin:
	case number < c.london:
		r.newest = wire.AccessList
	case time < c.cancun:
		r.newest = wire.DynamicFee
	case time < c.prague:
		r.newest = wire.Blob
	default:
		r.newest = wire.SetCode
	}
	return r
}
