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
		parse, xdh      = c.lookup("ec_pubkey_parse"), c.lookup("ellswift_xdh")
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
	// The library exports a variable that holds the address of its hash function.
	variable := c.lookup("ellswift_xdh_hash_function_bip324")
	hash := **(**uintptr)(unsafe.Pointer(&variable))
	d[ellswiftECDH] = stores(Constant, func(i int) {
		initiator, responder, role := in.Ellswift[i], in.Ellswift[(i+1)%Rows], uintptr(0)
		if i%2 != 0 {
			initiator, responder, role = responder, initiator, 1
		}
		accept(c.call(xdh, ptr(last), ptr(initiator), ptr(responder), ptr(in.Secret[i]), role, hash, 0))
	}, func() []byte { return slices.Clone(last[:32]) })
	rowByRow(in, d, ellswiftMany, "one by one, with y coordinates", func(i int) {
		accept(c.call(decode, ptr(key), ptr(in.Many.Ellswift[i])))
	}, func() []byte { return compressed()[1:] })
}

// compressed returns the encoding of a parsed key in 33 bytes.
func (c *capi) compressed(key []byte) []byte {
	out, size := rows(64)[0], new(uint64)
	*size = 33
	c.call(c.lookup("ec_pubkey_serialize"), ptr(out), uintptr(unsafe.Pointer(size)), ptr(key),
		compress2)
	return out[:33]
}
