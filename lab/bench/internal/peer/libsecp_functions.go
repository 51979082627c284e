package peer

import (
	"runtime"
	"unsafe"
)

// The following methods of Libsecp return objects of the library, encodings, or verdicts. A nil
// result means that the library refused the input; methods that take an object refuse nil. Results
// are valid until the memory is used again: see the method object.

// Key parses a key in 33 or 65 bytes.
func (l *Libsecp) Key(encoded []byte) []byte {
	k := l.object()
	return made(l.call(publicParse, l.ptr(k), l.ptr(encoded), uintptr(len(encoded))), k)
}

// XOnly parses a key of BIP-340.
func (l *Libsecp) XOnly(encoded []byte) []byte {
	k := l.object()
	return made(l.call(xonlyParse, l.ptr(k), l.ptr(encoded)), k)
}

// Signature parses a signature of 64 bytes.
func (l *Libsecp) Signature(encoded []byte) []byte {
	sig := l.object()
	return made(l.call(ecdsaParseCompact, l.ptr(sig), l.ptr(encoded)), sig)
}

// DER parses a signature.
func (l *Libsecp) DER(encoded []byte) []byte {
	sig := l.object()
	return made(l.call(ecdsaParseDER, l.ptr(sig), l.ptr(encoded), uintptr(len(encoded))), sig)
}

// Low returns a signature with its s or the opposite of s, which is low.
func (l *Libsecp) Low(sig []byte) []byte {
	if sig != nil {
		l.call(ecdsaNormalize, l.ptr(sig), l.ptr(sig))
	}
	return sig
}

// Pair returns the pair of a secret and its public key.
func (l *Libsecp) Pair(secret []byte) []byte {
	pair := l.object()
	return made(l.call(keypairCreate, l.ptr(pair), l.ptr(secret)), pair)
}

// PublicKey returns the key of a secret.
func (l *Libsecp) PublicKey(secret []byte) []byte {
	k := l.object()
	return made(l.call(publicCreate, l.ptr(k), l.ptr(secret)), k)
}

// Recover returns the key of a signature of 65 bytes.
func (l *Libsecp) Recover(hash, sig65 []byte) []byte {
	sig, k := l.object(), l.object()
	return made(sig65[64] < 4 &&
		l.call(recoverableParse, l.ptr(sig), l.ptr(sig65), uintptr(sig65[64])) &&
		l.call(ecdsaRecover, l.ptr(k), l.ptr(sig), l.ptr(hash)), k)
}

// Decode returns the key with an encoding of BIP-324.
func (l *Libsecp) Decode(ellswift []byte) []byte {
	k := l.object()
	return made(l.call(ellswiftDecode, l.ptr(k), l.ptr(ellswift)), k)
}

// Tweak returns the result of one of the functions TweakAdd and so on, for a key or a secret.
func (l *Libsecp) Tweak(f symbol, key, tweak []byte) []byte {
	k := l.object()[:len(key)]
	copy(k, key)
	return made(key != nil && l.call(f, l.ptr(k), l.ptr(tweak)), k)
}

// Combine returns the sum of keys.
func (l *Libsecp) Combine(keys ...[]byte) []byte {
	sum := l.object()
	l.pointers = each(keys, l.ptr)
	ok := len(keys) > 0 && l.call(publicCombine, l.ptr(sum),
		uintptr(unsafe.Pointer(&l.pointers[0])), uintptr(len(keys)))
	runtime.KeepAlive(keys)
	return made(ok, sum)
}

func (l *Libsecp) serialize(key []byte, size uint64, form uintptr) []byte {
	out := l.object()[:size]
	l.size = size
	return made(key != nil && l.call(publicSerialize, l.ptr(out), uintptr(unsafe.Pointer(&l.size)),
		l.ptr(key), form), out)
}

// Short returns the encoding of a key in 33 bytes, and Long that in 65 bytes.
func (l *Libsecp) Short(key []byte) []byte { return l.serialize(key, 33, compress2) }
func (l *Libsecp) Long(key []byte) []byte  { return l.serialize(key, 65, plain) }

// Compact returns the encoding of a signature in 64 bytes.
func (l *Libsecp) Compact(sig []byte) []byte {
	out := l.object()[:64]
	return made(sig != nil && l.call(ecdsaSerializeCompact, l.ptr(out), l.ptr(sig)), out)
}

// Sign returns an ECDSA signature.
func (l *Libsecp) Sign(secret, hash []byte) []byte {
	sig := l.object()
	return made(l.call(ecdsaSign, l.ptr(sig), l.ptr(hash), l.ptr(secret), 0, 0), sig)
}

// Verify refuses an s above n/2.
func (l *Libsecp) Verify(key, hash, sig []byte) bool {
	return key != nil && sig != nil && l.call(ecdsaVerify, l.ptr(sig), l.ptr(hash), l.ptr(key))
}

// SignSchnorr returns an encoded signature of BIP-340. The message has 32 bytes.
func (l *Libsecp) SignSchnorr(pair, message, aux []byte) []byte {
	out := l.object()[:64]
	return made(pair != nil &&
		l.call(schnorrSign, l.ptr(out), l.ptr(message), l.ptr(pair), l.ptr(aux)), out)
}

// VerifySchnorr takes an x-only key and an encoded signature.
func (l *Libsecp) VerifySchnorr(key, message, sig []byte) bool {
	return key != nil &&
		l.call(schnorrVerify, l.ptr(sig), l.ptr(message), uintptr(len(message)), l.ptr(key))
}

// CheckTweak reports whether an output commits to an x-only key by a tweak (BIP-341).
func (l *Libsecp) CheckTweak(key, tweak, output []byte, parity byte) bool {
	return key != nil &&
		l.call(xonlyTweakCheck, l.ptr(output), uintptr(parity), l.ptr(key), l.ptr(tweak))
}

// SharedX returns the x coordinate of a shared point, and SharedHash its hash by SHA-256.
func (l *Libsecp) SharedX(secret, key []byte) []byte {
	return l.shared(secret, key, l.functions[internalCopyX])
}
func (l *Libsecp) SharedHash(secret, key []byte) []byte { return l.shared(secret, key, 0) }

func (l *Libsecp) shared(secret, key []byte, hash uintptr) []byte {
	out := l.object()[:32]
	return made(key != nil && l.call(ecdhShare, l.ptr(out), l.ptr(key), l.ptr(secret), hash, 0), out)
}

// SharedSecret returns the secret of BIP-324 that the owners of two encodings share.
func (l *Libsecp) SharedSecret(secret, ours, theirs []byte, initiating bool) []byte {
	// The library exports a variable that holds the address of its hash function.
	hash := **(**uintptr)(unsafe.Pointer(&l.functions[ellswiftHash]))
	first, second, role := ours, theirs, uintptr(0)
	if !initiating {
		first, second, role = theirs, ours, 1
	}
	out := l.object()[:32]
	return made(l.call(ellswiftXDH, l.ptr(out), l.ptr(first), l.ptr(second), l.ptr(secret), role,
		hash, 0), out)
}
