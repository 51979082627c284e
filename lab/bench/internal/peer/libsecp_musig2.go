package peer

import (
	"crypto/rand"
	"slices"
	"unsafe"

	"github.com/koblitz-go/koblitz/musig2"
)

// musig adds to d the drivers for MuSig2. The library does not check the partial signatures that it
// makes, and verifies them one by one.
func (l *Libsecp) musig(in *Inputs, d map[string]Driver) {
	ceremony, random := in.ceremony, make([]byte, 32)
	public := each(ceremony.keys, func(b []byte) []byte { return kept(l.Key(b)) })
	pointers := each(public, l.ptr)
	secret := ceremony.private[0].Bytes()
	pair := kept(l.Pair(secret))
	// list returns the address of the pointers. It keeps them reachable.
	list := func() uintptr { return uintptr(unsafe.Pointer(&pointers[0])) }

	// begin returns the objects for a session of the first signers.
	begin := func(signers int, sum *musig2.AggregateNonce) (cache, all, session []byte) {
		b := sum.Bytes()
		cache, all, session = newObject(), newObject(), newObject()
		accept(l.call(musigAggregate, 0, l.ptr(cache), list(), uintptr(signers)) &&
			l.call(musigParseAggregate, l.ptr(all), l.ptr(b)) &&
			l.call(musigProcess, l.ptr(session), l.ptr(all), l.ptr(ceremony.msg), l.ptr(cache)))
		return cache, all, session
	}

	cache, all, session := begin(3, ceremony.three.sum)
	secnonce, nonce, part := newObject(), newObject(), newObject()
	round := func(int) {
		rand.Read(random) // the library overwrites the random bytes
		accept(l.call(musigGenerate, l.ptr(secnonce), l.ptr(nonce), l.ptr(random), l.ptr(secret),
			l.ptr(public[0]), 0, 0, 0) &&
			l.call(musigProcess, l.ptr(session), l.ptr(all), l.ptr(ceremony.msg), l.ptr(cache)) &&
			l.call(musigSign, l.ptr(part), l.ptr(secnonce), l.ptr(pair), l.ptr(cache), l.ptr(session)))
	}
	signed := func() []byte {
		encoded, sig := newObject()[:musig2.NonceSize], newObject()[:32]
		accept(l.call(musigSerializeNonce, l.ptr(encoded), l.ptr(nonce)) &&
			l.call(musigSerializePart, l.ptr(sig), l.ptr(part)))
		return ceremony.signed(encoded, sig)
	}
	d["musig2-round"] = stores(Constant, round, signed).noted("not checked")
	d["musig2-round-checked"] = stores(Constant, func(i int) {
		round(i)
		accept(l.call(musigVerify, l.ptr(part), l.ptr(nonce), l.ptr(public[0]), l.ptr(cache),
			l.ptr(session)))
	}, signed)

	many := &ceremony.many
	manyCache, _, manySession := begin(len(many.sigs), many.sum)
	var nonces, parts [][]byte
	for i := range many.sigs {
		nonces, parts = append(nonces, newObject()), append(parts, newObject())
		b, s := many.nonces[i].Bytes(), many.sigs[i].Bytes()
		accept(l.call(musigParseNonce, l.ptr(nonces[i]), l.ptr(b)) &&
			l.call(musigParsePart, l.ptr(parts[i]), l.ptr(s)))
	}
	d["musig2-verify-100"] = once(Public, func() bool {
		for i := range parts {
			accept(l.call(musigVerify, l.ptr(parts[i]), l.ptr(nonces[i]), l.ptr(public[i]),
				l.ptr(manyCache), l.ptr(manySession)))
		}
		return true
	}, verdict).noted("one by one")

	x, bigCache, out := newObject(), newObject(), newObject()[:32]
	d["musig2-aggregate-1000"] = stores(Public, func(int) {
		accept(l.call(musigAggregate, l.ptr(x), l.ptr(bigCache), list(), uintptr(len(public))))
	}, func() []byte {
		accept(l.call(xonlySerialize, l.ptr(out), l.ptr(x)))
		return slices.Clone(out)
	})
}
