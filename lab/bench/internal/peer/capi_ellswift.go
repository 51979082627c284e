//go:build linux || darwin || freebsd

package peer

import (
	"slices"
	"unsafe"
)

// ellswift adds to d the operations of BIP-324, if the library has them.
func (c *capi) ellswift(in *Inputs, d map[string]Driver) {
	var (
		encode, decode  = c.lookup("ellswift_encode"), c.lookup("ellswift_decode")
		parse           = c.lookup("ec_pubkey_parse")
		keys, key, last = rows(64), rows(64)[0], rows(64)[0]
	)
	if encode == 0 {
		return
	}
	for i := range Rows {
		accept(c.call(parse, ptr(keys[i]), ptr(in.Key[i]), 33))
	}
	compressed := func() []byte { return c.compressed(key) }
	d[ellswiftEncode] = stores(Public, func(i int) {
		accept(c.call(encode, ptr(last), ptr(keys[i]), ptr(in.Aux[i])))
	}, func() []byte {
		accept(c.call(decode, ptr(key), ptr(last)))
		return compressed()
	})
	d[ellswiftDecode] = stores(Public, func(i int) {
		accept(c.call(decode, ptr(key), ptr(in.Ellswift[i])))
	}, compressed)
	secret := c.ellswiftSecret(last)
	d[ellswiftECDH] = stores(Constant, func(i int) {
		accept(secret(in.Secret[i], in.Ellswift[i], in.Ellswift[(i+1)%Rows], i%2 == 0))
	}, func() []byte { return slices.Clone(last[:32]) })
	rowByRow(in, d, ellswiftMany, "one by one, with y coordinates", func(i int) {
		accept(c.call(decode, ptr(key), ptr(in.Many.Ellswift[i])))
	}, func() []byte { return compressed()[1:] })
}

// ellswiftSecret returns the function that writes the secret of BIP-324 to out.
func (c *capi) ellswiftSecret(out []byte) func(secret, ours, theirs []byte, initiating bool) bool {
	// The library exports a variable that holds the address of its hash function.
	xdh, variable := c.lookup("ellswift_xdh"), c.lookup("ellswift_xdh_hash_function_bip324")
	hash := **(**uintptr)(unsafe.Pointer(&variable))
	return func(secret, ours, theirs []byte, initiating bool) bool {
		first, second, role := ours, theirs, uintptr(0)
		if !initiating {
			first, second, role = theirs, ours, 1
		}
		return c.call(xdh, ptr(out), ptr(first), ptr(second), ptr(secret), role, hash, 0)
	}
}

// ellswiftFunctions sets the functions of BIP-324 in f, if the library has them.
func (c *capi) ellswiftFunctions(f *Functions) {
	decode := c.lookup("ellswift_decode")
	if decode == 0 {
		return
	}
	f.EllswiftX = func(b []byte) []byte {
		key := rows(64)[0]
		accept(c.call(decode, ptr(key), ptr(b)))
		return c.compressed(key)[1:]
	}
	out := rows(64)[0]
	secret := c.ellswiftSecret(out)
	f.EllswiftSecret = func(key, ours, theirs []byte, initiating bool) []byte {
		accept(secret(key, ours, theirs, initiating))
		return slices.Clone(out[:32])
	}
}

// compressed returns the encoding of a parsed key in 33 bytes.
func (c *capi) compressed(key []byte) []byte {
	out, size := rows(64)[0], new(uint64)
	*size = 33
	c.call(c.lookup("ec_pubkey_serialize"), ptr(out), uintptr(unsafe.Pointer(size)), ptr(key),
		compress2)
	return out[:33]
}
