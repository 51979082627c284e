//go:build linux || darwin || freebsd

package peer

import (
	"crypto/rand"
	"slices"
	"unsafe"

	"github.com/koblitz-go/koblitz/musig2"
)

// musig adds to d the drivers for MuSig2. The library does not check the partial signatures that it
// makes, and verifies them one by one.
func (c *capi) musig(in *Inputs, d map[string]Driver) {
	var (
		ceremony       = in.ceremony
		n              = len(ceremony.keys)
		public         = c.parsed(ceremony.keys, c.parse)
		pointers       []uintptr
		secret, random = ceremony.private[0].Bytes(), make([]byte, 32)
		memory         = objects(5, objectSize)
		pair, out      = memory[0], memory[1]
	)
	for i := range public {
		pointers = append(pointers, ptr(public[i]))
	}
	// list returns the address of the pointers. It keeps them reachable.
	list := func() uintptr { return uintptr(unsafe.Pointer(&pointers[0])) }
	accept(c.call(keypairCreate, ptr(pair), ptr(secret)))

	// begin returns the objects for a session of the first signers.
	begin := func(signers int, sum *musig2.AggregateNonce) (cache, all, session []byte) {
		memory, b := objects(3, objectSize), sum.Bytes()
		cache, all, session = memory[0], memory[1], memory[2]
		accept(c.call(musigAggregate, 0, ptr(cache), list(), uintptr(signers)) &&
			c.call(musigParseAggregate, ptr(all), ptr(b)) &&
			c.call(musigProcess, ptr(session), ptr(all), ptr(ceremony.msg), ptr(cache)))
		return cache, all, session
	}

	cache, all, session := begin(3, ceremony.three.sum)
	secnonce, nonce, part := memory[2], memory[3], memory[4]
	round := func(int) {
		rand.Read(random) // the library overwrites the random bytes
		accept(c.call(musigGenerate, ptr(secnonce), ptr(nonce), ptr(random), ptr(secret),
			ptr(public[0]), 0, 0, 0) &&
			c.call(musigProcess, ptr(session), ptr(all), ptr(ceremony.msg), ptr(cache)) &&
			c.call(musigSign, ptr(part), ptr(secnonce), ptr(pair), ptr(cache), ptr(session)))
	}
	signed := func() []byte {
		encoded, sig := make([]byte, musig2.NonceSize), make([]byte, 32)
		accept(c.call(musigSerializeNonce, ptr(encoded), ptr(nonce)) &&
			c.call(musigSerializePart, ptr(sig), ptr(part)))
		return ceremony.signed(encoded, sig)
	}
	d["musig2-round"] = stores(Constant, round, signed).noted("not checked")
	d["musig2-round-checked"] = stores(Constant, func(i int) {
		round(i)
		accept(c.call(musigVerify, ptr(part), ptr(nonce), ptr(public[0]), ptr(cache), ptr(session)))
	}, signed)

	many := &ceremony.many
	manyCache, _, manySession := begin(len(many.sigs), many.sum)
	nonces, parts := objects(len(many.sigs), objectSize), objects(len(many.sigs), objectSize)
	for i := range nonces {
		b, s := many.nonces[i].Bytes(), many.sigs[i].Bytes()
		accept(c.call(musigParseNonce, ptr(nonces[i]), ptr(b)) &&
			c.call(musigParsePart, ptr(parts[i]), ptr(s)))
	}
	d["musig2-verify-100"] = verifies(func(int) bool {
		for i := range parts {
			if !c.call(musigVerify, ptr(parts[i]), ptr(nonces[i]), ptr(public[i]), ptr(manyCache),
				ptr(manySession)) {
				return false
			}
		}
		return true
	}).noted("one by one")

	memory = objects(2, objectSize)
	x, bigCache := memory[0], memory[1]
	d["musig2-aggregate-1000"] = stores(Public, func(int) {
		accept(c.call(musigAggregate, ptr(x), ptr(bigCache), list(), uintptr(n)))
	}, func() []byte {
		accept(c.call(xonlySerialize, ptr(out), ptr(x)))
		return slices.Clone(out[:32])
	})
}
