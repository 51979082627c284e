//go:build linux || darwin || freebsd

package peer

import (
	"runtime"
	"slices"
	"unsafe"
)

// encoded returns the library's functions on encoded values.
func (c *capi) encoded() *Functions {
	// parse returns the object of a key, or nil.
	parse := func(b []byte) []byte {
		k := c.object()
		if !c.parse(k, b) {
			return nil
		}
		return k
	}
	// result returns the encoding of a key if ok is true.
	result := func(ok bool, key []byte) []byte {
		if !ok {
			return nil
		}
		return c.compressed(key)
	}
	verify := func(key, hash, sig []byte) bool {
		k := parse(key)
		return k != nil && c.call(ecdsaVerify, ptr(sig), ptr(hash), ptr(k))
	}
	share := func(secret, key []byte, hash uintptr) []byte {
		out, k := make([]byte, 32), parse(key)
		if k == nil || !c.call(ecdhShare, ptr(out), ptr(k), ptr(secret), hash, 0) {
			return nil
		}
		return out
	}
	tweakSecret := func(f symbol) func(secret, tweak []byte) []byte {
		return func(secret, tweak []byte) []byte {
			s := slices.Clone(secret)
			if !c.call(f, ptr(s), ptr(tweak)) {
				return nil
			}
			return s
		}
	}
	all := &Functions{
		PublicKey: func(secret []byte) []byte {
			k := c.object()
			return result(c.call(publicCreate, ptr(k), ptr(secret)), k)
		},
		Parse: func(b []byte) []byte {
			k, out := parse(b), make([]byte, 65)
			if k == nil {
				return nil
			}
			c.serialize(out, k)
			return out
		},
		ECDSASign: func(secret, hash []byte) []byte {
			sig, out := c.object(), make([]byte, 64)
			if !c.call(ecdsaSign, ptr(sig), ptr(hash), ptr(secret), 0, 0) {
				return nil
			}
			c.call(ecdsaSerializeCompact, ptr(out), ptr(sig))
			return out
		},
		// The library accepts only a low s, so a high s is normalized before the verification.
		ECDSAVerify: func(key, hash, sig []byte) bool {
			s := c.object()
			if !c.parseCompact(s, sig) {
				return false
			}
			c.call(ecdsaNormalize, ptr(s), ptr(s))
			return verify(key, hash, s)
		},
		ECDSAVerifyLowS: func(key, hash, sig []byte) bool {
			s := c.object()
			return c.parseCompact(s, sig) && verify(key, hash, s)
		},
		ECDSAVerifyDER: func(key, hash, der []byte) bool {
			s := c.object()
			return c.parseDER(s, der) && verify(key, hash, s)
		},
		Multiply: func(k, key []byte) []byte {
			p := parse(key)
			return result(p != nil && c.call(publicTweakMul, ptr(p), ptr(k)), p)
		},
		TweakAdd: func(key, tweak []byte) []byte {
			k := parse(key)
			return result(k != nil && c.call(publicTweakAdd, ptr(k), ptr(tweak)), k)
		},
		Combine: func(keys ...[]byte) []byte {
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
			return result(ok, sum)
		},
		SecretTweakAdd: tweakSecret(secretTweakAdd),
		SecretTweakMul: tweakSecret(secretTweakMul),
	}
	if c.has(schnorrVerify) {
		all.SchnorrSign = func(secret, msg, aux []byte) []byte {
			pair, out := c.object(), make([]byte, 64)
			if !c.call(keypairCreate, ptr(pair), ptr(secret)) {
				return nil
			}
			c.call(schnorrSign, ptr(out), ptr(msg), ptr(pair), ptr(aux))
			return out
		}
		all.SchnorrVerify = func(key, message, sig []byte) bool {
			k := c.object()
			return c.parseXOnly(k, key) &&
				c.call(schnorrVerify, ptr(sig), ptr(message), uintptr(len(message)), ptr(k))
		}
	}
	if c.has(xonlyTweakCheck) {
		all.TweakCheck = func(key, tweak, output []byte, parity byte) bool {
			k := c.object()
			return c.parseXOnly(k, key) &&
				c.call(xonlyTweakCheck, ptr(output), uintptr(parity), ptr(k), ptr(tweak))
		}
	}
	if c.has(ecdhShare) {
		all.ECDHSHA256 = func(secret, key []byte) []byte { return share(secret, key, 0) }
	}
	if c.has(ecdhShare) && c.has(internalCopyX) {
		all.ECDHX = func(secret, key []byte) []byte {
			return share(secret, key, c.functions[internalCopyX])
		}
	}
	if c.has(ecdsaRecover) {
		all.Recover = func(hash, sig65 []byte) []byte {
			sig, key := c.object(), c.object()
			return result(c.parseRecoverable(sig, sig65) &&
				c.call(ecdsaRecover, ptr(key), ptr(sig), ptr(hash)), key)
		}
	}
	if c.has(ellswiftDecode) {
		all.EllswiftDecode = func(encoding []byte) []byte {
			key := c.object()
			return result(c.call(ellswiftDecode, ptr(key), ptr(encoding)), key)
		}
		all.EllswiftSecret = func(secret, ours, theirs []byte, initiating bool) []byte {
			out := make([]byte, 32)
			if !c.secret(out, secret, ours, theirs, initiating) {
				return nil
			}
			return out
		}
	}
	if c.has(taggedHash) {
		all.TaggedHash = func(tag, message []byte) []byte {
			out := make([]byte, 32)
			accept(c.call(taggedHash, ptr(out), ptr(tag), uintptr(len(tag)), ptr(message),
				uintptr(len(message))))
			return out
		}
	}
	return all
}
