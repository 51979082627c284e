package scripts

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/txscript/v2"
)

// key is the generator of secp256k1 in compressed form, and tapKey its x coordinate.
var (
	key    = btcec.Generator().SerializeCompressed()
	tapKey = key[1:]
)

// script assembles a script from opcodes (int) and pushes ([]byte).
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
