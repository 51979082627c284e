package bitcoin

import (
	"bytes"

	"github.com/btcsuite/btcd/txscript/v2"
)

// appendPushes appends to dst the items that script pushes. ok is false if script does anything
// other than push, exceeds the size limits, or pushes more than limit items. The items may alias
// the script.
func appendPushes(dst [][]byte, script []byte, limit int) (_ [][]byte, ok bool) {
	if len(script) > txscript.MaxScriptSize {
		return dst, false
	}
	t := txscript.MakeScriptTokenizer(0, script)
	for ; t.Next(); limit-- {
		item, op := t.Data(), t.Opcode()
		switch {
		case limit == 0 || op > txscript.OP_16 || op == txscript.OP_RESERVED ||
			len(item) > txscript.MaxScriptElementSize:
			return dst, false
		case op == txscript.OP_1NEGATE:
			item = []byte{0x81}
		case op >= txscript.OP_1:
			item = []byte{op - txscript.OP_1 + 1}
		}
		dst = append(dst, item[:len(item):len(item)])
	}
	return dst, t.Err() == nil
}

// A template is a parsed standard output script.
type template struct {
	name     string
	required int      // number of signatures required
	keys     [][]byte // public keys; empty for P2PKH, whose key comes with the signature
	keyHash  []byte   // key hash of P2PKH, otherwise nil
}

// parseScript parses script if it is P2PK, P2PKH or multisig. Otherwise ok is false. parseScript
// appends the public keys in the script to keys, so the result may use the memory of keys.
func parseScript(script []byte, keys [][]byte) (t template, ok bool) {
	n := len(script)
	switch {
	case n == 25 && script[0] == txscript.OP_DUP && script[1] == txscript.OP_HASH160 &&
		script[2] == txscript.OP_DATA_20 && script[23] == txscript.OP_EQUALVERIFY &&
		script[24] == txscript.OP_CHECKSIG:
		return template{name: "p2pkh", required: 1, keyHash: script[3:23]}, true

	case (n == 35 || n == 67) && int(script[0]) == n-2 && script[n-1] == txscript.OP_CHECKSIG:
		return template{name: "p2pk", required: 1, keys: append(keys, script[1:n-1])}, true

	case n > 3 && script[n-1] == txscript.OP_CHECKMULTISIG:
		m, all := int(script[0])-txscript.OP_1+1, int(script[n-2])-txscript.OP_1+1
		if m < 1 || m > all || all > 16 {
			return t, false
		}
		for rest := script[1 : n-2]; len(rest) > 0; {
			k := int(rest[0])
			if (k != 33 && k != 65) || len(rest) < 1+k {
				return t, false
			}
			keys = append(keys, rest[1:1+k])
			rest = rest[1+k:]
		}
		if len(keys) != all {
			return t, false
		}
		return template{name: "multisig", required: m, keys: keys}, true
	}
	return t, false
}

// witnessProgram parses script, an output script or a P2SH redeem script, if it is a witness
// program (BIP 141). Otherwise ok is false.
func witnessProgram(script []byte) (version int, program []byte, ok bool) {
	n := len(script)
	if n < 4 || n > 42 || int(script[1]) != n-2 {
		return 0, nil, false
	}
	switch op := script[0]; {
	case op == txscript.OP_0:
	case op >= txscript.OP_1 && op <= txscript.OP_16:
		version = int(op) - txscript.OP_1 + 1
	default:
		return 0, nil, false
	}
	return version, script[2:], true
}

// plainKey returns key in an encoding of SEC 1. Consensus rules also accept the hybrid encoding of
// X9.62, with the prefix 06 or 07, whose low bit is the parity of y. plainKey replaces this prefix
// by 04. If the parity is wrong, it returns key unchanged, and every parser rejects the key.
func plainKey(key []byte) []byte {
	if len(key) == 65 && key[0]&^1 == 6 && key[0]&1 == key[64]&1 {
		key = bytes.Clone(key)
		key[0] = 4
	}
	return key
}

// tapscriptKey returns the key of a tapscript that consists of a push of a key, OP_CHECKSIG, and
// before and after that any number of envelopes. It returns nil for any other script. Such a script
// succeeds if and only if its only argument is a valid signature.
func tapscriptKey(script []byte) []byte {
	script = skipEnvelopes(script)
	if len(script) < 34 || script[0] != txscript.OP_DATA_32 || script[33] != txscript.OP_CHECKSIG ||
		len(skipEnvelopes(script[34:])) > 0 {
		return nil
	}
	return script[1:33]
}

// skipEnvelopes returns script without the envelopes at its beginning. An envelope is OP_0, OP_IF,
// pushes and OP_ENDIF. It carries data that is never executed. Its pushes are no longer than an
// item of the stack, which the rules require there too.
func skipEnvelopes(script []byte) []byte {
	for len(script) > 1 && script[0] == txscript.OP_0 && script[1] == txscript.OP_IF {
		t := txscript.MakeScriptTokenizer(0, script[2:])
		op := byte(txscript.OP_0)
		for op <= txscript.OP_16 && op != txscript.OP_RESERVED &&
			len(t.Data()) <= txscript.MaxScriptElementSize && t.Next() {
			op = t.Opcode()
		}
		if op != txscript.OP_ENDIF { // or the script has ended without
			break
		}
		script = script[2+t.ByteIndex():]
	}
	return script
}
