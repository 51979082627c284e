package bitcoin

import "testing"

func TestRules(t *testing.T) {
	const before, after = p2shTime - 1, p2shTime
	for _, c := range []struct {
		n      Network
		height int32
		time   uint32
		want   rules
	}{
		{Mainnet, -1, 0, stages[0]},
		{Mainnet, 0, 1231006505, stages[0]},
		{Mainnet, 170060, 1331137983, stages[0]}, // has a P2SH spend that BIP 16 would refuse
		{Mainnet, 173804, before, stages[0]},
		{Mainnet, 173805, after, stages[1]},
		{Mainnet, 363724, 1435974785, stages[1]},
		{Mainnet, 363725, 1435974872, stages[2]},
		{Mainnet, 363725, 0, stages[2]}, // whatever the header says
		{Mainnet, 388380, 1450000000, stages[2]},
		{Mainnet, 388381, 1450000000, rules{p2sh: true, strictDER: true, cltv: true}},
		{Mainnet, 419327, 1467000000, rules{p2sh: true, strictDER: true, cltv: true}},
		{Mainnet, 419328, 1467000000, stages[3]},
		{Mainnet, 481823, 1503539000, stages[3]},
		{Mainnet, 481824, 1503539857, stages[4]},
		{Mainnet, 692261, 1627000000, stages[4]}, // has a taproot spend that BIP 341 would refuse
		{Mainnet, 709631, 1636866000, stages[4]},
		{Mainnet, 709632, 1636867000, stages[5]},
		{Testnet3, 330775, after, stages[1]},
		{Testnet3, 330776, after, stages[2]},
		{Testnet3, 834624, after, stages[5]},
		{Testnet4, 1, after, stages[5]},
		{Signet, 1, after, stages[5]},
		{Regtest, 0, 1296688602, rules{p2sh: true, segwit: true, taproot: true}},
		{Regtest, 1, 1296688602, stages[5]},
	} {
		if got := c.n.rulesAt(c.height, c.time); got != c.want {
			t.Errorf("%v, height %d, time %d: %+v, want %+v", c.n, c.height, c.time, got, c.want)
		}
	}
	for i := range networks {
		n := Network(i)
		if got, ok := ParseNetwork(n.String()); !ok || got != n {
			t.Errorf("%v is not parsed", n)
		}
		if got, ok := networkOf(networks[i].magic[:]); !ok || got != n {
			t.Errorf("%v is not recognised", n)
		}
	}
	if _, ok := ParseNetwork("testnet"); ok {
		t.Error("testnet is not the name of one network")
	}
}
