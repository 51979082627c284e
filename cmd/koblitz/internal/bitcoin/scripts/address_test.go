package scripts

import (
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/txscript/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
)

// TestAddress checks that addresses are the same as btcd's.
func TestAddress(t *testing.T) {
	key := btcec.Generator().SerializeCompressed()
	script := bitcointest.Script
	pkh := script(txscript.OP_DUP, txscript.OP_HASH160, address.Hash160(key),
		txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG)
	for n := range consensus.EveryNetwork {
		for _, script := range [][]byte{pkh, script(txscript.OP_HASH160, key[:20], txscript.OP_EQUAL),
			script(txscript.OP_0, key[:32]), script(txscript.OP_0, key[:20]),
			script(txscript.OP_1, key[1:]), script(txscript.OP_1, []byte{0x4e, 0x73}),
			script(key, txscript.OP_CHECKSIG), {txscript.OP_RETURN}, nil} {
			want := ""
			if class, addrs, _, err := txscript.ExtractPkScriptAddrs(script, n.Params()); err == nil &&
				len(addrs) == 1 && class != txscript.PubKeyTy {
				want = addrs[0].EncodeAddress()
			}
			if a := Address(n, script); a != want {
				t.Errorf("%v: address of %x is %q, want %q", n, script, a, want)
			}
		}
	}
	// A witness program of a version that has no rules yet has an address. A program of version 0
	// has an address only if its length is 20 or 32 bytes.
	program := script(txscript.OP_2, key[:16])
	if a := Address(consensus.Mainnet, program); !strings.HasPrefix(a, "bc1z") {
		t.Errorf("version 2: %q", a)
	}
	if a := Address(0, pkh) + Address(consensus.Mainnet, script(txscript.OP_0, key[:21])); a != "" {
		t.Errorf("an address of no network, or of 21 bytes: %s", a)
	}
}
