package bitcoin

import (
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/txscript/v2"
)

// TestAddress compares addresses with those of the library.
func TestAddress(t *testing.T) {
	for n, p := range map[Network]*chaincfg.Params{Mainnet: &chaincfg.MainNetParams,
		Testnet3: &chaincfg.TestNet3Params,
		Testnet4: &chaincfg.TestNet4Params, Signet: &chaincfg.SigNetParams,
		Regtest: &chaincfg.RegressionNetParams, Simnet: &chaincfg.SimNetParams} {
		for _, script := range [][]byte{pkh(compressed(1)), scriptHash(compressed(1)),
			witnessHash(compressed(1)), script(op0, compressed(1)[:20]),
			script(op1, tapKey(1)), script(op1, []byte{0x4e, 0x73}), script(compressed(1), checkSig),
			{txscript.OP_RETURN}, nil} {
			want := ""
			if class, addrs, _, err := txscript.ExtractPkScriptAddrs(script, p); err == nil &&
				len(addrs) == 1 && class != txscript.PubKeyTy {
				want = addrs[0].EncodeAddress()
			}
			if a := Address(n, script); a != want {
				t.Errorf("%v: address of %x is %q, want %q", n, script, a, want)
			}
		}
	}
	// A witness version without rules has an address, and a program of version 0
	// with an odd length none.
	if a := Address(Mainnet, script(op1+1, compressed(1)[:16])); !strings.HasPrefix(a, "bc1z") {
		t.Errorf("version 2: %q", a)
	}
	if a := Address(Network(0), pkh(compressed(1))); a != "" {
		t.Errorf("an address of no network: %s", a)
	}
	if a := Address(Mainnet, script(op0, compressed(1)[:21])); a != "" {
		t.Errorf("21 bytes: %q", a)
	}
}
