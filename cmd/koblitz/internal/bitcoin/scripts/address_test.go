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

// key is the generator of secp256k1 in compressed form, and tapKey its x coordinate.
var (
	key    = btcec.Generator().SerializeCompressed()
	tapKey = key[1:]
)

func script(parts ...any) []byte { return bitcointest.Script(parts...) }

// TestAddress checks that addresses are the same as btcd's.
func TestAddress(t *testing.T) {
	for n := range consensus.EveryNetwork {
		p := n.Params()
		for _, script := range [][]byte{script(txscript.OP_DUP, txscript.OP_HASH160, address.Hash160(key),
			txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG), script(txscript.OP_HASH160, address.Hash160(key),
			txscript.OP_EQUAL),
			script(txscript.OP_0, make([]byte, 32)), script(txscript.OP_0, key[:20]),
			script(txscript.OP_1, tapKey), script(txscript.OP_1, []byte{0x4e, 0x73}), script(key,
				txscript.OP_CHECKSIG),
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
	// A witness program of a version that has no rules yet has an address. A program of version 0
	// has an address only if its length is 20 or 32 bytes.
	if a := Address(consensus.Mainnet, script(txscript.OP_1+1, key[:16])); !strings.HasPrefix(a,
		"bc1z") {
		t.Errorf("version 2: %q", a)
	}
	if a := Address(consensus.Network(0), script(txscript.OP_DUP, txscript.OP_HASH160,
		address.Hash160(key),
		txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG)); a != "" {
		t.Errorf("an address of no network: %s", a)
	}
	if a := Address(consensus.Mainnet, script(txscript.OP_0, key[:21])); a != "" {
		t.Errorf("21 bytes: %q", a)
	}
}
