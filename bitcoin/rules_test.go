package bitcoin

import (
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
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
		net    wire.BitcoinNet
		height int32
		block  string
		want   Rules
	}{
		{wire.MainNet, -1, "", always},
		{wire.MainNet, 0, "", always},
		{wire.MainNet, 170060,
			"00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22", Rules{}},
		{wire.MainNet, 170060,
			"01000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22", always},
		{wire.MainNet, 363724, "", always},
		{wire.MainNet, 363725, "", der},
		{wire.MainNet, 388380, "", der},
		{wire.MainNet, 388381, "", cltv},
		{wire.MainNet, 419327, "", cltv},
		{wire.MainNet, 419328, "", csv},
		{wire.MainNet, 481823, "", csv},
		{wire.MainNet, 481824, "", now},
		{wire.MainNet, 692261, "0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad",
			Rules{P2SH: true, StrictDER: true, CLTV: true, CSV: true, Segwit: true, NullDummy: true}},
		{wire.MainNet, 692261, "", now},
		{wire.TestNet3, 330775, "", always},
		{wire.TestNet3, 330776, "", der},
		{wire.TestNet3, 1, "00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105", Rules{}},
		{wire.TestNet3, 834624, "", now},
		{wire.TestNet4, 1, "", now},
		{wire.SigNet, 1, "", now},
		{wire.TestNet, 0, "", Rules{P2SH: true, Segwit: true, NullDummy: true, Taproot: true}},
		{wire.TestNet, 1, "", now},
		{wire.SimNet, 1, "", now},
	} {
		var hash chainhash.Hash
		if c.block != "" {
			h, err := chainhash.NewHashFromStr(c.block)
			if err != nil {
				t.Fatal(err)
			}
			hash = *h
		}
		got, err := RulesAt(c.net, c.height, hash)
		c.want.chosen = true
		if err != nil || got != c.want {
			t.Errorf("%v, height %d, block %s: %+v, %v, want %+v", c.net, c.height, c.block, got, err,
				c.want)
		}
		if again, err := RulesOf(got.Flags()); err != nil || again != got {
			t.Errorf("%+v from its flags: %+v, %v", got, again, err)
		}
	}
	if r, err := RulesAt(1, 0, chainhash.Hash{}); err == nil || r != (Rules{}) {
		t.Errorf("an unknown network: %+v, %v", r, err)
	}
	if r, err := RulesOf(txscript.StandardVerifyFlags); err == nil || r != (Rules{}) {
		t.Errorf("the flags of a policy: %+v, %v", r, err)
	}
	if r, err := RulesOf(txscript.ScriptVerifyWitness); err == nil || r != (Rules{}) {
		t.Errorf("segwit without P2SH: %+v, %v", r, err)
	}
}
