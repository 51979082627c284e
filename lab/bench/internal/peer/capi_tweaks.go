//go:build linux || darwin || freebsd

package peer

import (
	"runtime"
	"slices"
	"unsafe"
)

// tweakFunctions sets the functions of tweaks, sums and tagged hashes in f, if the library has
// them.
func (c *capi) tweakFunctions(f *Functions) {
	parse, verify := c.lookup("ec_pubkey_parse"), c.lookup("ecdsa_verify")
	compact := c.lookup("ecdsa_signature_parse_compact")
	parsed := func(b []byte) []byte {
		k := c.object(64)
		if !c.call(parse, ptr(k), ptr(b), uintptr(len(b))) {
			return nil
		}
		return k
	}
	serialize := c.lookup("ec_pubkey_serialize")
	compressed := func(k []byte) []byte {
		out, size := c.object(40), uint64(33)
		c.call(serialize, ptr(out), uintptr(unsafe.Pointer(&size)), ptr(k), compress2)
		return out[:33]
	}
	f.ECDSAVerifyLowS = func(key, hash, sig []byte) bool {
		k, s := parsed(key), c.object(64)
		return k != nil && c.call(compact, ptr(s), ptr(sig)) && c.call(verify, ptr(s), ptr(hash), ptr(k))
	}
	if combine := c.lookup("ec_pubkey_combine"); combine != 0 {
		f.Combine = func(keys ...[]byte) []byte {
			var objects [][]byte
			var pointers []uintptr
			for _, b := range keys {
				k := parsed(b)
				if k == nil {
					return nil
				}
				objects, pointers = append(objects, k), append(pointers, ptr(k))
			}
			sum := c.object(64)
			if len(keys) == 0 || !c.call(combine, ptr(sum),
				uintptr(unsafe.Pointer(unsafe.SliceData(pointers))), uintptr(len(pointers))) {
				return nil
			}
			runtime.KeepAlive(objects)
			runtime.KeepAlive(pointers)
			return compressed(sum)
		}
	}
	if add := c.lookup("ec_pubkey_tweak_add"); add != 0 {
		f.TweakAdd = func(key, tweak []byte) []byte {
			k := parsed(key)
			if k == nil || !c.call(add, ptr(k), ptr(tweak)) {
				return nil
			}
			return compressed(k)
		}
	}
	secretBy := func(name string) func(secret, tweak []byte) []byte {
		change := c.lookup(name)
		if change == 0 {
			return nil
		}
		return func(secret, tweak []byte) []byte {
			s := c.object(32)
			if copy(s, secret); !c.call(change, ptr(s), ptr(tweak)) {
				return nil
			}
			return s
		}
	}
	f.SecretTweakAdd = secretBy("ec_seckey_tweak_add")
	f.SecretTweakMul = secretBy("ec_seckey_tweak_mul")
	if tagged := c.lookup("tagged_sha256"); tagged != 0 {
		f.TaggedHash = func(tag, message []byte) []byte {
			out := c.object(32)
			accept(c.call(tagged, ptr(out), ptr(tag), uintptr(len(tag)), ptr(message),
				uintptr(len(message))))
			return slices.Clone(out)
		}
	}
}
