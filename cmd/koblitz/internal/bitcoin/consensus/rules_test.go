package consensus

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// TestRules checks that each rule begins to apply at the height in Bitcoin Core's chain parameters,
// and does not apply one block earlier. It also checks the exceptions for single blocks.
func TestRules(t *testing.T) {
	always := Rules{P2SH: true, Segwit: true, Taproot: true}
	der, cltv, csv := always, always, always
	der.StrictDER = true
	cltv.StrictDER, cltv.CLTV = true, true
	csv.StrictDER, csv.CLTV, csv.CSV = true, true, true
	now := csv
	now.NullDummy = true
	for _, c := range []struct {
		n      Network
		height int32
		block  string
		want   Rules
	}{
		{Mainnet, -1, "", always},
		{Mainnet, 0, "", always},
		{Mainnet, 170060, "00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22", Rules{}},
		{Mainnet, 170060, "01000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22", always},
		{Mainnet, 363724, "", always},
		{Mainnet, 363725, "", der},
		{Mainnet, 388380, "", der},
		{Mainnet, 388381, "", cltv},
		{Mainnet, 419327, "", cltv},
		{Mainnet, 419328, "", csv},
		{Mainnet, 481823, "", csv},
		{Mainnet, 481824, "", now},
		{Mainnet, 692261, "0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad",
			Rules{P2SH: true, StrictDER: true, CLTV: true, CSV: true, Segwit: true, NullDummy: true}},
		{Mainnet, 692261, "", now},
		{Testnet3, 330775, "", always},
		{Testnet3, 330776, "", der},
		{Testnet3, 1, "00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105", Rules{}},
		{Testnet3, 834624, "", now},
		{Testnet4, 1, "", now},
		{Signet, 1, "", now},
		{Regtest, 0, "", Rules{P2SH: true, Segwit: true, NullDummy: true, Taproot: true}},
		{Regtest, 1, "", now},
		{Simnet, 1, "", now},
	} {
		var hash chainhash.Hash
		if c.block != "" {
			hash = hashOf(c.block)
		}
		if got := c.n.RulesAt(c.height, hash); got != c.want {
			t.Errorf("%v, height %d, block %s: %+v, want %+v", c.n, c.height, c.block, got, c.want)
		}
	}
}

// TestNetworks checks that the networks' parameters are the same as btcd's.
func TestNetworks(t *testing.T) {
	for n, p := range map[Network]*chaincfg.Params{Mainnet: &chaincfg.MainNetParams,
		Testnet3: &chaincfg.TestNet3Params,
		Testnet4: &chaincfg.TestNet4Params, Signet: &chaincfg.SigNetParams,
		Regtest: &chaincfg.RegressionNetParams, Simnet: &chaincfg.SimNetParams} {
		got := networks[n]
		if n == Simnet && p.BIP0034Height == 0 {
			got.bip34-- // btcd says 0, but the genesis coinbase contains no height
		}
		if got.genesis != *p.GenesisHash || got.limit != p.PowLimitBits || got.bip34 != p.BIP0034Height ||
			got.keyHash != p.PubKeyHashAddrID ||
			got.scriptHash != p.ScriptHashAddrID || got.hrp != p.Bech32HRPSegwit ||
			binary.LittleEndian.Uint32(got.magic[:]) != uint32(p.Net) {
			t.Errorf("%v: %+v", n, got)
		}
		h := headerOf(p.GenesisBlock)
		if why := n.Misfit(h); why != "" || !Worked(h) {
			t.Errorf("%v: the first block does not fit: %s", n, why)
		}
		for o := range EveryNetwork {
			if o != n && (o.Refuse(h) == nil || !strings.Contains(o.Refuse(h).Error(), "--network "+
				n.String())) {
				t.Errorf("%v: %v takes its first block: %v", n, o, o.Refuse(h))
			}
		}
		limit, ok := Target(got.limit)
		if !ok || n != Mainnet && n != Testnet3 && n != Testnet4 && new(big.Int).SetBytes(limit[:]).Cmp(
			p.PowLimit) > 0 {
			t.Errorf("%v: limit %x", n, limit)
		}
	}
}

func headerOf(b *wire.MsgBlock) *wireform.Header {
	var buf bytes.Buffer
	if err := b.Serialize(&buf); err != nil {
		panic(err)
	}
	h := wireform.ParseHeader(buf.Bytes())
	return &h
}

// TestTarget compares the targets of difficulty bits with targets computed with big integers.
func TestTarget(t *testing.T) {
	for _, mantissa := range []uint32{0, 1, 0x80, 0xffff, 0x10000, 0x123456, 0x7fffff, 0x800000,
		0x800001, 0xffffff} {
		for size := range uint32(256) {
			bits := size<<24 | mantissa
			want := new(big.Int).SetUint64(uint64(mantissa & 0x7fffff))
			if size >= 3 {
				want.Lsh(want, uint(8*(size-3)))
			} else {
				want.Rsh(want, uint(8*(3-size)))
			}
			got, ok := Target(bits)
			if good := mantissa < 0x800000 && want.Sign() > 0 && want.BitLen() <= 256; ok != good ||
				ok && new(big.Int).SetBytes(got[:]).Cmp(want) != 0 {
				t.Errorf("%08x: %x, %v; want %x, %v", bits, got, ok, want, good)
			}
		}
	}
}

func TestParseNetwork(t *testing.T) {
	count := 0
	for n := range EveryNetwork {
		count++
		if got, ok := ParseNetwork(n.String()); !ok || got != n {
			t.Errorf("%v is not parsed", n)
		}
		if got, ok := NetworkOf(networks[n].magic[:]); !ok || got != n {
			t.Errorf("%v is not recognised", n)
		}
	}
	if count != 6 {
		t.Errorf("%d networks", count)
	}
	for _, name := range []string{"testnet", "", "no network"} {
		if n, ok := ParseNetwork(name); ok {
			t.Errorf("%q is the name of %v", name, n)
		}
	}
	if n, ok := NetworkOf(make([]byte, 4)); ok {
		t.Errorf("zeros begin a record of %v", n)
	}
}

// TestNoNetwork checks that the zero Network refuses every block.
func TestNoNetwork(t *testing.T) {
	h := headerOf(chaincfg.MainNetParams.GenesisBlock)
	if err := Network(0).Refuse(h); err == nil || !strings.Contains(err.Error(), "whose rules") {
		t.Errorf("a header is refused by %v", err)
	}
}
