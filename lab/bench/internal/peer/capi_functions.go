//go:build linux || darwin || freebsd

package peer

import (
	"runtime"
	"slices"
	"unsafe"
)

// The following methods, except those that are not exported, are those of Functions.

// parsedKey returns the object of a key, or nil.
func (c *capi) parsedKey(b []byte) []byte {
	k := c.object()
	if !c.parse(k, b) {
		return nil
	}
	return k
}

// result returns the encoding of a key if ok is true, or nil.
func (c *capi) result(ok bool, key []byte) []byte {
	if !ok {
		return nil
	}
	return c.compressed(key)
}

func (c *capi) PublicKey(secret []byte) []byte {
	k := c.object()
	return c.result(c.call(publicCreate, ptr(k), ptr(secret)), k)
}

func (c *capi) Parse(b []byte) []byte {
	k, out := c.parsedKey(b), make([]byte, 65)
	if k == nil {
		return nil
	}
	c.serialize(out, k)
	return out
}

func (c *capi) ECDSASign(secret, hash []byte) []byte {
	sig, out := c.object(), make([]byte, 64)
	if !c.call(ecdsaSign, ptr(sig), ptr(hash), ptr(secret), 0, 0) {
		return nil
	}
	c.call(ecdsaSerializeCompact, ptr(out), ptr(sig))
	return out
}

func (c *capi) verify(key, hash, sig []byte) bool {
	k := c.parsedKey(key)
	return k != nil && c.call(ecdsaVerify, ptr(sig), ptr(hash), ptr(k))
}

// ECDSAVerify normalizes a high s before the verification, because the library accepts only a low
// one.
func (c *capi) ECDSAVerify(key, hash, sig []byte) bool {
	s := c.object()
	if !c.parseCompact(s, sig) {
		return false
	}
	c.call(ecdsaNormalize, ptr(s), ptr(s))
	return c.verify(key, hash, s)
}

func (c *capi) ECDSAVerifyLowS(key, hash, sig []byte) bool {
	s := c.object()
	return c.parseCompact(s, sig) && c.verify(key, hash, s)
}

func (c *capi) ECDSAVerifyDER(key, hash, der []byte) bool {
	s := c.object()
	return c.parseDER(s, der) && c.verify(key, hash, s)
}

func (c *capi) SchnorrSign(secret, message, aux []byte) []byte {
	pair, out := c.object(), make([]byte, 64)
	if !c.call(keypairCreate, ptr(pair), ptr(secret)) {
		return nil
	}
	c.call(schnorrSign, ptr(out), ptr(message), ptr(pair), ptr(aux))
	return out
}

func (c *capi) SchnorrVerify(key, message, sig []byte) bool {
	k := c.object()
	return c.parseXOnly(k, key) &&
		c.call(schnorrVerify, ptr(sig), ptr(message), uintptr(len(message)), ptr(k))
}

func (c *capi) share(secret, key []byte, hash uintptr) []byte {
	out, k := make([]byte, 32), c.parsedKey(key)
	if k == nil || !c.call(ecdhShare, ptr(out), ptr(k), ptr(secret), hash, 0) {
		return nil
	}
	return out
}

func (c *capi) ECDHX(secret, key []byte) []byte {
	return c.share(secret, key, c.functions[internalCopyX])
}

func (c *capi) ECDHSHA256(secret, key []byte) []byte { return c.share(secret, key, 0) }

func (c *capi) EllswiftDecode(encoding []byte) []byte {
	key := c.object()
	return c.result(c.call(ellswiftDecode, ptr(key), ptr(encoding)), key)
}

func (c *capi) EllswiftSecret(secret, ours, theirs []byte, initiating bool) []byte {
	out := make([]byte, 32)
	if !c.secret(out, secret, ours, theirs, initiating) {
		return nil
	}
	return out
}

func (c *capi) Recover(hash, sig65 []byte) []byte {
	sig, key := c.object(), c.object()
	return c.result(c.parseRecoverable(sig, sig65) &&
		c.call(ecdsaRecover, ptr(key), ptr(sig), ptr(hash)), key)
}

func (c *capi) Multiply(k, key []byte) []byte {
	p := c.parsedKey(key)
	return c.result(p != nil && c.call(publicTweakMul, ptr(p), ptr(k)), p)
}

func (c *capi) Combine(keys ...[]byte) []byte {
	var pointers []uintptr
	all := objects(len(keys), 64)
	for i, b := range keys {
		if !c.parse(all[i], b) {
			return nil
		}
		pointers = append(pointers, ptr(all[i]))
	}
	sum := c.object()
	ok := len(keys) > 0 && c.call(publicCombine, ptr(sum),
		uintptr(unsafe.Pointer(unsafe.SliceData(pointers))), uintptr(len(pointers)))
	runtime.KeepAlive(all)
	runtime.KeepAlive(pointers)
	return c.result(ok, sum)
}

func (c *capi) TweakAdd(key, tweak []byte) []byte {
	k := c.parsedKey(key)
	return c.result(k != nil && c.call(publicTweakAdd, ptr(k), ptr(tweak)), k)
}

func (c *capi) TweakCheck(key, tweak, output []byte, parity byte) bool {
	k := c.object()
	return c.parseXOnly(k, key) &&
		c.call(xonlyTweakCheck, ptr(output), uintptr(parity), ptr(k), ptr(tweak))
}

func (c *capi) tweakSecret(f symbol, secret, tweak []byte) []byte {
	s := slices.Clone(secret)
	if !c.call(f, ptr(s), ptr(tweak)) {
		return nil
	}
	return s
}

func (c *capi) SecretTweakAdd(secret, tweak []byte) []byte {
	return c.tweakSecret(secretTweakAdd, secret, tweak)
}

func (c *capi) SecretTweakMul(secret, tweak []byte) []byte {
	return c.tweakSecret(secretTweakMul, secret, tweak)
}

func (c *capi) TaggedHash(tag, message []byte) []byte {
	out := make([]byte, 32)
	accept(c.call(taggedHash, ptr(out), ptr(tag), uintptr(len(tag)), ptr(message),
		uintptr(len(message))))
	return out
}
