package bitcoin

import (
	"fmt"

	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/btcsuite/btcd/address/v2/bech32"
)

// address is what Bitcoin Core prints as the address of an output script, or
// empty for a script that has none: base58 for P2PKH and P2SH, bech32 (BIP 173)
// for witness programs of version 0, bech32m (BIP 350) for the others.
func (n Network) address(script []byte) string {
	if n == 0 {
		return ""
	}
	p := &networks[n]
	if t, ok := parseTemplate(script, nil); ok && t.keyHash != nil {
		return base58.CheckEncode(t.keyHash, p.keyHash)
	}
	if isScriptHash(script) {
		return base58.CheckEncode(script[2:22], p.scriptHash)
	}
	version, program, ok := witnessProgram(script)
	if !ok || version == 0 && len(program) != 20 && len(program) != 32 {
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
	text, err := encode(p.hrp, append([]byte{byte(version)}, digits...))
	if err != nil {
		return ""
	}
	return text
}

// differs says that the script has another address than it is said to have.
func (s *scriptJSON) differs(n Network) string {
	if s.Address == nil {
		return ""
	}
	is := n.address(s.Hex)
	if is == *s.Address {
		return ""
	}
	for other := range everyNetwork {
		if *s.Address != "" && other.address(s.Hex) == *s.Address {
			return fmt.Sprintf("the address %s is one of %v, and the rules are those of %v (--network %v)",
				*s.Address, other, n, other)
		}
	}
	if is == "" {
		return "an \"address\" of a script that has none"
	}
	return "the \"address\" of the script is not " + is
}
