//go:build linux || darwin || freebsd

package peer

import (
	"crypto/rand"
	"slices"
	"unsafe"

	"github.com/koblitz-go/koblitz/musig2"
)

// The sizes of libsecp256k1's objects of MuSig2, rounded up to whole words.
const (
	cacheSize, nonceSize, sessionSize, partSize = 200, 136, 136, 40
)

// musig adds to d the drivers for MuSig2. The library does not check the partial signatures that it
// makes, and verifies them one by one.
func (c *capi) musig(in *Inputs, d map[string]Driver) {
	aggregate := c.lookup("musig_pubkey_agg")
	if aggregate == 0 {
		return
	}
	var (
		ceremony       = in.ceremony
		n              = len(ceremony.keys)
		generate       = c.lookup("musig_nonce_gen")
		process, sign  = c.lookup("musig_nonce_process"), c.lookup("musig_partial_sign")
		verify         = c.lookup("musig_partial_sig_verify")
		serializeNonce = c.lookup("musig_pubnonce_serialize")
		serializePart  = c.lookup("musig_partial_sig_serialize")
		serializeX     = c.lookup("xonly_pubkey_serialize")
		public, pair   = objects(n, 64), rows(96)[0]
		pointers       = make([]uintptr, n)
		secret, random = ceremony.private[0].Bytes(), make([]byte, 32)
		out            = rows(72)[0]
	)
	for i := range public {
		accept(c.call(c.lookup("ec_pubkey_parse"), ptr(public[i]), ptr(ceremony.keys[i]), 33))
		pointers[i] = ptr(public[i])
	}
	// list returns the address of the pointers. It keeps them reachable.
	list := func() uintptr { return uintptr(unsafe.Pointer(&pointers[0])) }
	accept(c.call(c.lookup("keypair_create"), ptr(pair), ptr(secret)))

	// begin returns the objects for a session of the first signers.
	begin := func(signers int, sum *musig2.AggregateNonce) (cache, all, session []byte) {
		cache, all, session = rows(cacheSize)[0], rows(nonceSize)[0], rows(sessionSize)[0]
		b := sum.Bytes()
		accept(c.call(aggregate, 0, ptr(cache), list(), uintptr(signers)) &&
			c.call(c.lookup("musig_aggnonce_parse"), ptr(all), ptr(b)) &&
			c.call(process, ptr(session), ptr(all), ptr(ceremony.msg), ptr(cache)))
		return cache, all, session
	}

	cache, all, session := begin(3, ceremony.three.sum)
	secnonce, nonce, part := rows(nonceSize)[0], rows(nonceSize)[0], rows(partSize)[0]
	round := func(int) {
		rand.Read(random) // the library overwrites the random bytes
		accept(c.call(generate, ptr(secnonce), ptr(nonce), ptr(random), ptr(secret), ptr(public[0]),
			0, 0, 0) &&
			c.call(process, ptr(session), ptr(all), ptr(ceremony.msg), ptr(cache)) &&
			c.call(sign, ptr(part), ptr(secnonce), ptr(pair), ptr(cache), ptr(session)))
	}
	signed := func() []byte {
		b := out[:musig2.NonceSize]
		accept(c.call(serializeNonce, ptr(b), ptr(nonce)))
		encoded := slices.Clone(b)
		accept(c.call(serializePart, ptr(out), ptr(part)))
		return ceremony.signed(encoded, slices.Clone(out[:32]))
	}
	d[musigRound] = stores(Constant, round, signed).noted("not checked")
	d[musigChecked] = stores(Constant, func(i int) {
		round(i)
		accept(c.call(verify, ptr(part), ptr(nonce), ptr(public[0]), ptr(cache), ptr(session)))
	}, signed)

	many := &ceremony.many
	manyCache, _, manySession := begin(len(many.sigs), many.sum)
	nonces, parts := objects(len(many.sigs), nonceSize), objects(len(many.sigs), partSize)
	for i := range nonces {
		b, s := many.nonces[i].Bytes(), many.sigs[i].Bytes()
		accept(c.call(c.lookup("musig_pubnonce_parse"), ptr(nonces[i]), ptr(b)) &&
			c.call(c.lookup("musig_partial_sig_parse"), ptr(parts[i]), ptr(s)))
	}
	d[musigVerify] = verifies(func(int) bool {
		for i := range parts {
			if !c.call(verify, ptr(parts[i]), ptr(nonces[i]), ptr(public[i]), ptr(manyCache),
				ptr(manySession)) {
				return false
			}
		}
		return true
	}).noted("one by one")

	x, bigCache := rows(64)[0], rows(cacheSize)[0]
	d[musigAggregate] = stores(Public, func(int) {
		accept(c.call(aggregate, ptr(x), ptr(bigCache), list(), uintptr(n)))
	}, func() []byte {
		accept(c.call(serializeX, ptr(out), ptr(x)))
		return slices.Clone(out[:32])
	})
}
