//go:build linux || darwin || freebsd

package peer

import (
	"slices"
	"unsafe"
)

// copyX is the name of a hash function for ECDH that returns the x coordinate. It is one of the
// functions in native/internals.c.
const copyX = "koblitz_bench_copy_x"

// secrets adds to d the drivers that process one secret after another.
func (c *capi) secrets(in *Inputs, d map[string]Driver) {
	var (
		m               = &in.Many
		create, parse   = c.lookup("ec_pubkey_create"), c.lookup("ec_pubkey_parse")
		serialize, ecdh = c.lookup("ec_pubkey_serialize"), c.lookup("ecdh")
		hash            = c.lookup(copyX)
		key, out, size  = rows(64)[0], rows(64)[0], new(uint64)
		encoded         = func() []byte { return slices.Clone(out[:33]) }
		x               = func() []byte { return slices.Clone(out[:32]) }
	)
	constantRows(in, d, pubkeys, "one by one", func(i int) {
		*size = 33
		accept(c.call(create, ptr(key), ptr(m.Secret[i])) &&
			c.call(serialize, ptr(out), uintptr(unsafe.Pointer(size)), ptr(key), compress2))
	}, encoded)
	if ecdh == 0 || hash == 0 {
		return
	}
	shared := func(key33, secret []byte) {
		accept(c.call(parse, ptr(key), ptr(key33), 33) &&
			c.call(ecdh, ptr(out), ptr(key), ptr(secret), hash, 0))
	}
	constantRows(in, d, ecdhPairs, "one by one", func(i int) {
		shared(m.peerKey(i), m.Secret[i])
	}, x)
	constantRows(in, d, ecdhOne, "one by one", func(i int) {
		shared(m.Key[i], in.Secret[0])
	}, x)
}

// signs adds to d the drivers that sign one message after another. A keypair, which only BIP-340
// needs, is created for each row, or beforehand for a single secret.
func (c *capi) signs(in *Inputs, d map[string]Driver) {
	var (
		m                   = &in.Many
		ecdsa, compact      = c.lookup("ecdsa_sign"), c.lookup("ecdsa_signature_serialize_compact")
		create, schnorr     = c.lookup("keypair_create"), c.lookup("schnorrsig_sign32")
		pair, one, sig, out = rows(96)[0], rows(96)[0], rows(64)[0], rows(64)[0]
		result              = func() []byte { return slices.Clone(out) }
	)
	byECDSA := func(secret []byte, i int) {
		accept(c.call(ecdsa, ptr(sig), ptr(m.Hash[i]), ptr(secret), 0, 0) &&
			c.call(compact, ptr(out), ptr(sig)))
	}
	constantRows(in, d, ecdsaSigns, "one by one", func(i int) { byECDSA(m.Secret[i], i) }, result)
	constantRows(in, d, ecdsaSignsOne, "one by one", func(i int) { byECDSA(in.Secret[0], i) }, result)
	if create == 0 || schnorr == 0 {
		return
	}
	accept(c.call(create, ptr(one), ptr(in.Secret[0])))
	bySchnorr := func(pair []byte, i int) bool {
		return c.call(schnorr, ptr(out), ptr(m.Hash[i]), ptr(pair), ptr(m.Hash[i]))
	}
	constantRows(in, d, schnorrSigns, "one by one", func(i int) {
		accept(c.call(create, ptr(pair), ptr(m.Secret[i])) && bySchnorr(pair, i))
	}, result)
	constantRows(in, d, schnorrSignsOne, "one by one", func(i int) {
		accept(bySchnorr(one, i))
	}, result)
}

// scans adds to d the drivers that scan one transaction after another for silent payments.
func (c *capi) scans(in *Inputs, d map[string]Driver) {
	scan, scanParsed := c.lookup("koblitz_bench_scan"), c.lookup("koblitz_bench_scan_parsed")
	if scan == 0 || len(in.Many.Key) == 0 {
		return
	}
	w, spend, out := in.wallet, rows(64)[0], rows(192)[0]
	accept(c.call(c.lookup("ec_pubkey_parse"), ptr(spend), ptr(w.spend), 33))
	for _, s := range scans {
		f, note, outputs := scan, "one by one", w.allOutputs(in, s)
		if s.parsed {
			f, note = scanParsed, "one by one, outputs parsed beforehand"
			outputs = c.parseOutputs(outputs)
		}
		var label []byte
		if s.label {
			label = slices.Concat(w.label, w.labelTweak)
		}
		constantRows(in, d, s.family, note, func(i int) {
			accept(c.call(f, ptr(out), ptr(in.Many.Key[i]), ptr(outputs[i]), ptr(w.secret),
				ptr(spend), ptr(label)))
		}, func() []byte { return slices.Clone(out[:1+65*int(out[0])]) })
	}
}

// parseOutputs returns the two x-only keys of each transaction as objects of the library.
func (c *capi) parseOutputs(outputs [][]byte) [][]byte {
	parse, parsed := c.lookup("xonly_pubkey_parse"), objects(len(outputs), 2*64)
	for i, o := range outputs {
		accept(c.call(parse, ptr(parsed[i]), ptr(o)) && c.call(parse, ptr(parsed[i][64:]), ptr(o[32:])))
	}
	return parsed
}
