// Package scripts encodes output scripts as addresses.
package scripts

import (
	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/btcsuite/btcd/address/v2/bech32"
	"github.com/btcsuite/btcd/txscript/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
)

// Address returns the address that Bitcoin Core prints for an output script on network n: base58
// for P2PKH and P2SH, bech32 (BIP 173) for witness programs of version 0, bech32m (BIP 350) for
// programs of other versions. It returns "" for a script without an address.
func Address(n consensus.Network, script []byte) string {
	if n == 0 {
		return ""
	}
	p := n.Params()
	if txscript.IsPayToPubKeyHash(script) {
		return base58.CheckEncode(script[3:23], p.PubKeyHashAddrID)
	}
	if txscript.IsPayToScriptHash(script) {
		return base58.CheckEncode(script[2:22], p.ScriptHashAddrID)
	}
	version, program, err := txscript.ExtractWitnessProgramInfo(script)
	if err != nil || version == 0 && len(program) != 20 && len(program) != 32 {
		return ""
	}
	digits, err := bech32.ConvertBits(program, 8, 5, true)
	if err != nil {
		return ""
	}
	encode := bech32.Encode
	if version > 0 {
		encode = bech32.EncodeM
	}
	text, err := encode(p.Bech32HRPSegwit, append([]byte{byte(version)}, digits...))
	if err != nil {
		return ""
	}
	return text
}
