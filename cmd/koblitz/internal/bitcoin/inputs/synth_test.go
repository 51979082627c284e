package inputs

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/txscript/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
)

// key returns the ith key of the tests.
func key(i int) *btcec.PrivateKey {
	if k, ok := keys.Load(i); ok {
		return k.(*btcec.PrivateKey)
	}
	h := sha256.Sum256([]byte(fmt.Sprint("key ", i)))
	k, _ := btcec.PrivKeyFromBytes(h[:])
	keys.Store(i, k)
	return k
}

var keys sync.Map

func compressed(i int) []byte { return key(i).PubKey().SerializeCompressed() }

// script puts together opcodes (int) and pushes ([]byte).
func script(parts ...any) []byte {
	b := txscript.NewScriptBuilder()
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b.AddOp(byte(p))
		case []byte:
			b.AddData(p)
		}
	}
	s, err := b.Script()
	if err != nil {
		panic(err)
	}
	return s
}

func pkh(key []byte) []byte {
	return script(txscript.OP_DUP, txscript.OP_HASH160, address.Hash160(key), txscript.OP_EQUALVERIFY,
		checkSig)
}

func multisig(m int, keys ...[]byte) []byte {
	parts := []any{op1 + m - 1}
	for _, k := range keys {
		parts = append(parts, k)
	}
	return script(append(parts, op1+len(keys)-1, checkMultisig)...)
}

func tapKey(k int) []byte { return schnorr.SerializePubKey(key(k).PubKey()) }

const (
	checkSig      = txscript.OP_CHECKSIG
	checkMultisig = txscript.OP_CHECKMULTISIG
	op1           = txscript.OP_1
	op0           = txscript.OP_0
)

// now are all the rules.
var now = consensus.Rules{P2SH: true, StrictDER: true, CLTV: true, CSV: true, Segwit: true,
	NullDummy: true, Taproot: true}
